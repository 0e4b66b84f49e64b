import { LockError } from "../../lock/errors.ts";
import { hasControl } from "../../lock/text.ts";
import type { StoreOptions } from "../options.ts";

/** Who asks an engine, and the secrets that must never be shown. */
export interface Credentials {
  readonly user: string | null;
  readonly password: string | null;
  /** Every form in which the password could appear in a server's words. */
  readonly secrets: readonly string[];
}

/**
 * The password is the URL's own, else the store's token, else the engine's own variable. The token is
 * `user:password` or the password alone. If the URL names a user, the whole token is that user's password.
 */
export function credentialsOf(
  url: { readonly user: string | null; readonly password: string | null },
  { token }: Pick<StoreOptions, "token">,
  variable?: string,
): Credentials {
  const given = token?.trim() || null;
  if (url.password !== null || given === null) {
    const password = url.password ?? (variable || null);
    return { user: url.user, password, secrets: formsOf([password]) };
  }
  const colon = given.indexOf(":");
  if (url.user !== null || colon === -1)
    return { user: url.user, password: given, secrets: formsOf([given]) };
  const password = given.slice(colon + 1);
  return { user: given.slice(0, colon) || null, password, secrets: formsOf([password]) };
}

/** Refuses a credential that would be more than one line of a header. */
export function checkSecret(secret: string): void {
  if (!hasControl(secret)) return;
  const sentence = "The token holds control characters: give it as one line of text.";
  throw new LockError("BAD_OPTION", sentence);
}

/** Forms in which a secret may appear in a server's words: as it is, percent-encoded, or in JSON. */
export function formsOf(secrets: readonly (string | null | undefined)[]): string[] {
  const forms = secrets.flatMap((each) =>
    each ? [each, encodeURIComponent(each), JSON.stringify(each).slice(1, -1)] : [],
  );
  // The longest form first: a part of it must not be replaced before the whole.
  return [...new Set(forms)].sort((one, other) => other.length - one.length);
}

/** A server's words without the secrets that were sent to it. */
export function withoutSecrets(text: string, { secrets }: Pick<Credentials, "secrets">): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, "***"), text);
}
