import type { Alive, AliveOptions } from "./alive.ts";
export { here } from "./here.ts";
export { type Identity, type IdentityOverrides, identify, type Surroundings, } from "./identify.ts";
export { runOf } from "./run.ts";
export { checkHostedRunner, isGithubHosted } from "./runner.ts";
/** As `openAlive`, which is loaded when somebody has to be asked about: mostly nobody has. */
export declare function aliveLater(options: AliveOptions): Alive;
