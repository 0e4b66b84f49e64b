export { here } from "./here.ts";
export { type Identity, type IdentityOverrides, identify, type Surroundings, } from "./identify.ts";
export { checkHostedRunner, isGithubHosted } from "./runner.ts";
