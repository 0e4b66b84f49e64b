import { LockError } from "../../../lock/errors.ts";
import type { StoreOptions } from "../../options.ts";
import type { GitAddress } from "./address.ts";

/** Who asks, as the server is told; and what must never be shown. */
export interface Credentials {
  /** The header's value; null: nobody in particular. */
  readonly authorization: string | null;
  /** The forge made it for this job, so that it ends with the job or before. */
  readonly isJobs: boolean;
  /** Every form in which the secret could come back in a server's words. */
  readonly secrets: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The user of a bare token. GitHub wants this one, the others take any. */
const TOKEN_USER = "x-access-token";

/**
 * The password is the URL's own, else the store's token, else the forge's variables. Those are only
 * for the forge itself: a token of GitHub's must not be sent to another server.
 */
export function credentialsOf(
  { user, password, isForge }: GitAddress,
  { token, forgeToken }: Pick<StoreOptions, "token" | "forgeToken">,
  env: Environment,
): Credentials {
  const given = forgeToken?.trim() || env.GITHUB_TOKEN?.trim() || env.GH_TOKEN?.trim();
  const forge = isForge ? given : undefined;
  const secret = password ?? (token?.trim() || forge || null);
  if (secret === null) return { authorization: null, isJobs: false, secrets: [] };
  if (/[\u0000-\u001f\u007f]/.test(secret)) {
    throw new LockError(
      "BAD_OPTION",
      "The token holds control characters: give it as one line of text.",
    );
  }
  const pair = pairOf(user, secret, password !== null);
  const encoded = Buffer.from(pair).toString("base64");
  const bare = pair.slice(pair.indexOf(":") + 1);
  return {
    authorization: `Basic ${encoded}`,
    isJobs: secret === forge,
    // The longest first: a part of another must not be replaced before it.
    secrets: [...new Set([encoded, secret, encodeURIComponent(bare), bare])]
      .filter((each) => each !== "")
      .sort((one, other) => other.length - one.length),
  };
}

function pairOf(user: string | null, secret: string, isPassword: boolean): string {
  if (user !== null) return `${user}:${secret}`;
  return !isPassword && secret.includes(":") ? secret : `${TOKEN_USER}:${secret}`;
}

/** A server's words without what was sent to it. */
export function withoutSecrets(text: string, { secrets }: Credentials): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, "***"), text);
}
