import type { Alive, AliveOptions } from "./alive.ts";
export { here } from "./here.ts";
export { type Identity, type IdentityOverrides, identify, type Surroundings, } from "./identify.ts";
export { runOf } from "./run.ts";
export { checkHostedRunner, isGithubHosted } from "./runner.ts";
/** Like `openAlive`, but loads the code only when a job has to be asked about, which is rare. */
export declare function aliveLater(options: AliveOptions): Alive;
