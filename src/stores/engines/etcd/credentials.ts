import { LockError } from "../../../lock/errors.ts";
import { hasControl } from "../../../lock/text.ts";
import type { StoreOptions } from "../../options.ts";
import type { EtcdAddress } from "./address.ts";

/** Who asks, as etcd is told. */
export interface Credentials {
  readonly name: string;
  readonly password: string;
}

/**
 * The user is the URL's, and the password the URL's own, else the store's token. Where the URL names
 * no user, the token is `user:password`. Null: etcd is asked without any.
 */
export function credentialsOf(
  { user, password, shown }: EtcdAddress,
  { token }: Pick<StoreOptions, "token">,
): Credentials | null {
  const secret = password ?? (token?.trim() || null);
  if (secret === null) return null;
  if (hasControl(secret)) {
    const sentence = "The token holds control characters: give it as one line of text.";
    throw new LockError("BAD_OPTION", sentence);
  }
  if (user !== null) return { name: user, password: secret };
  const end = secret.indexOf(":");
  if (end > 0) return { name: secret.slice(0, end), password: secret.slice(end + 1) };
  throw new LockError(
    "BAD_OPTION",
    `The token for ${shown} is a password without a user: give it as user:password, or name the user in the URL (etcd://user@host).`,
  );
}

/** etcd's words without what was sent to it. */
export function withoutSecrets(text: string, credentials: Credentials | null): string {
  const password = credentials?.password ?? "";
  if (password === "") return text;
  return text
    .replaceAll(password, "***")
    .replaceAll(encodeURIComponent(password), "***")
    .replaceAll(JSON.stringify(password).slice(1, -1), "***");
}
