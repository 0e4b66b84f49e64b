export { here } from "./here.ts";
export { type Identity, type IdentityOverrides, identify, isGithubHosted, type Surroundings, } from "./identify.ts";
