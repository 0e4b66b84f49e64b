import { byteLength, cleanText, cutToBytes, sha256 } from "../lock/text.ts";

/** Names, branches and users: what people write on one line. */
export const TEXT_BYTES_LIMIT = 256;
/** The longest address that the metadata accepts. */
const URL_BYTES_LIMIT = 1_000;
const DIGEST_DIGITS = 12;

/**
 * One line of well-formed text, or undefined where nothing is left. A branch or job name comes from
 * strangers: it must not be able to forge a line of a lock file or of a log.
 */
export function clean(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const line = cleanText(text.toWellFormed()).replace(/\s+/g, " ").trim();
  return line === "" ? undefined : line;
}

/** Cuts long text, with a digest of the whole in place of the rest: two that differ stay different. */
export function shorten(text: string, bytes: number): string {
  if (byteLength(text) <= bytes) return text;
  const digest = sha256(text).slice(0, DIGEST_DIGITS);
  return `${cutToBytes(text, bytes - DIGEST_DIGITS - 1)}~${digest}`;
}

/** An address that may be shown: http or https, without credentials. Not cut, since then it would be wrong. */
export function webUrl(text: string | undefined): string | undefined {
  const url = text === undefined ? null : URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined;
  url.username = "";
  url.password = "";
  return byteLength(url.href) <= URL_BYTES_LIMIT ? url.href : undefined;
}

/** `owner/name` of a clone URL. The rest may hold a token and is left out. */
export function repositoryOf(cloneUrl: string | undefined): string | undefined {
  const address = cloneUrl?.split(/[?#]/, 1)[0] ?? "";
  const path = address.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*\/|^[^/:]+:/i, "");
  return path === address ? undefined : clean(path.replace(/\.git\/?$/, ""));
}
