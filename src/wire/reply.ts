/**
 * One reply line. The protocol says which replies a request can get. Which words are errors differs
 * between servers and versions, so every word that begins with `error` is one.
 */
export type Reply =
  | { readonly kind: "ok" }
  /** After `l` and `w`: the lock is held. */
  | { readonly kind: "granted"; readonly token: string; readonly lease: number }
  /** After `e`: the lock was free, and is held. */
  | { readonly kind: "acquired"; readonly token: string; readonly lease: number }
  | { readonly kind: "renewed"; readonly lease: number }
  | { readonly kind: "stats"; readonly json: string }
  | { readonly kind: "queued" }
  | { readonly kind: "timeout" }
  | { readonly kind: "error"; readonly word: string }
  /** No reply of this protocol: something else listens on that port. */
  | { readonly kind: "unknown"; readonly line: string };

/** The words that our server says; the spec has no others. */
export type ErrorWord =
  | "error"
  | "error_auth"
  /** The token is the read-only one, which cannot be used here: a kind of error_auth. */
  | "error_auth_read_only"
  | "error_max_locks"
  | "error_max_waiters"
  | "error_limit_mismatch";

export const OK_LINE = "ok\n";
export const QUEUED_LINE = "queued\n";
export const TIMEOUT_LINE = "timeout\n";

export function errorLine(word: ErrorWord): string {
  return `${word}\n`;
}

/** There must be exactly these fields: a third one breaks dflockd's clients. */
export function grantedLine(token: string, leaseSeconds: number): string {
  return `ok ${token} ${leaseSeconds}\n`;
}

export function acquiredLine(token: string, leaseSeconds: number): string {
  return `acquired ${token} ${leaseSeconds}\n`;
}

/** Never 0: with 0 dflockd's clients renew ten times a second. */
export function renewedLine(leaseSeconds: number): string {
  return `ok ${Math.max(1, leaseSeconds)}\n`;
}

export function statsLine(json: string): string {
  return `ok ${json}\n`;
}

/** A line without its newline, as `LineReader` gives it. */
export function parseReply(line: string): Reply {
  if (line === "ok" || line === "queued" || line === "timeout") return { kind: line };
  if (/^error(_[a-z_]+)?$/.test(line)) return { kind: "error", word: line };
  if (line.startsWith("ok {")) return { kind: "stats", json: line.slice(3) };
  const granted = /^(ok|acquired) (\S{1,200}) (\d{1,16})$/.exec(line);
  if (granted !== null) {
    const [, word, token, lease] = granted as unknown as [string, string, string, string];
    return { kind: word === "ok" ? "granted" : "acquired", token, lease: Number(lease) };
  }
  const renewed = /^ok (\d{1,16})$/.exec(line);
  if (renewed !== null) return { kind: "renewed", lease: Number(renewed[1]) };
  return { kind: "unknown", line };
}
