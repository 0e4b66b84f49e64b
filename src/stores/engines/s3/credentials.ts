import { LockError } from "../../../lock/errors.ts";
import { hasControl } from "../../../lock/text.ts";
import type { StoreOptions } from "../../options.ts";
import type { Environment, S3Address } from "./address.ts";

/** Who asks, by Amazon's names. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of credentials that end, such as those of a role that a job has taken. */
  readonly sessionToken?: string;
}

/**
 * The store's token is `access-key:secret-key`; without it the variables of Amazon's own tools count.
 * Profiles, instance roles and web identities are not looked up: `aws configure
 * export-credentials --format env` makes variables of them.
 */
export function credentialsOf(
  { shown }: S3Address,
  { token }: Pick<StoreOptions, "token">,
  env: Environment,
): Credentials {
  const given = token?.trim() || null;
  const found = given === null ? fromVariables(env) : fromToken(given);
  if (found === null) {
    throw new LockError(
      "BAD_OPTION",
      given === null
        ? `The store ${shown} needs credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN where they have one), or HOLDFAST_TOKEN or the token input to access-key:secret-key.`
        : `The token for ${shown} has no colon in it: give it as access-key:secret-key.`,
    );
  }
  if (hasControl(Object.values(found).join(""))) {
    const sentence = "The credentials hold control characters: give each as one line of text.";
    throw new LockError("BAD_OPTION", sentence);
  }
  return found;
}

function fromToken(token: string): Credentials | null {
  const end = token.indexOf(":");
  if (end < 1 || end === token.length - 1) return null;
  return { accessKeyId: token.slice(0, end), secretAccessKey: token.slice(end + 1) };
}

function fromVariables(env: Environment): Credentials | null {
  const [accessKeyId, secretAccessKey, sessionToken] = [
    env.AWS_ACCESS_KEY_ID,
    env.AWS_SECRET_ACCESS_KEY,
    env.AWS_SESSION_TOKEN,
  ].map((each) => each?.trim() ?? "");
  if (!accessKeyId || !secretAccessKey) return null;
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}

/** A server's words without what was sent to it. */
export function withoutSecrets(text: string, credentials: Credentials): string {
  const secrets = [credentials.secretAccessKey, credentials.sessionToken ?? ""];
  return secrets
    .filter((each) => each !== "")
    .flatMap((each) => [each, encodeURIComponent(each)])
    .reduce((rest, secret) => rest.replaceAll(secret, "***"), text);
}
