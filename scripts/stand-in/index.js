/**
 * Stands in for @actions/http-client and @actions/exec where @actions/core imports them ("overrides"
 * in package.json). Only its OpenID token and its facts about the platform need them, no stage of the
 * action asks for either, and every stage would load them. @actions/cache has the real ones.
 */
function leftOut(name) {
  throw new Error(
    `${name} is left out of this bundle of @actions/core: see overrides in package.json.`,
  );
}

export class HttpClient {
  constructor() {
    leftOut("@actions/http-client");
  }
}

export class BearerCredentialHandler {}

export function getExecOutput() {
  leftOut("@actions/exec");
}
