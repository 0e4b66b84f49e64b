import type { Alive, AliveOptions } from "./alive.ts";

// Not the forge, which asks over TLS: loading that takes every stage of the action 10 ms.
export { here } from "./here.ts";
export {
  type Identity,
  type IdentityOverrides,
  identify,
  type Surroundings,
} from "./identify.ts";
export { runOf } from "./run.ts";
export { checkHostedRunner, isGithubHosted } from "./runner.ts";

/** Like `openAlive`, but loads the code only when a job has to be asked about, which is rare. */
export function aliveLater(options: AliveOptions): Alive {
  let alive: Alive | null = null;
  return async (life, signal) => {
    alive ??= (await import("./alive.ts")).openAlive(options);
    return alive(life, signal);
  };
}
