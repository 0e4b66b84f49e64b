import type { StoreOptions } from "../options.ts";

/** Who asks an engine, and what must never be shown. */
export interface Credentials {
  readonly user: string | null;
  readonly password: string | null;
  /** Every form in which the password could come back in a server's words. */
  readonly secrets: readonly string[];
}

/**
 * The password is the URL's own, else the store's token, else the engine's own variable. The token is
 * `user:password` or the password alone; where the URL names a user, all of it is that user's password.
 */
export function credentialsOf(
  url: { readonly user: string | null; readonly password: string | null },
  { token }: Pick<StoreOptions, "token">,
  variable: string | undefined,
): Credentials {
  const given = token?.trim() || null;
  if (url.password !== null || given === null) {
    return withSecrets(url.user, url.password ?? (variable || null));
  }
  const colon = given.indexOf(":");
  if (url.user !== null || colon === -1) return withSecrets(url.user, given);
  return withSecrets(given.slice(0, colon) || null, given.slice(colon + 1));
}

function withSecrets(user: string | null, password: string | null): Credentials {
  const forms = password === null ? [] : [password, encodeURIComponent(password)];
  return { user, password, secrets: [...new Set(forms)].filter((each) => each !== "") };
}

/** A server's words without what was sent to it. */
export function withoutSecrets(text: string, { secrets }: Credentials): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, "***"), text);
}
