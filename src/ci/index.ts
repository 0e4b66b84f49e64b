// Not the forge, which asks over TLS: loading that takes every stage of the action 10 ms.
export { here } from "./here.ts";
export {
  type Identity,
  type IdentityOverrides,
  identify,
  type Surroundings,
} from "./identify.ts";
export { checkHostedRunner, isGithubHosted } from "./runner.ts";
