import { quote, withoutPassword } from "../../lock/text.ts";
import { badStore } from "../remote/errors.ts";

const DEFAULT_PREFIX = "holdfast";
const PREFIX_BYTES_LIMIT = 200;

/** One server of an engine, as a URL names it: `scheme://user:password@host:port/path?name=value`. */
export interface EngineUrl {
  /** In small letters. */
  readonly scheme: string;
  /** Without the brackets of IPv6. */
  readonly host: string;
  readonly port: number;
  /** `host:port`, as it is written in a URL. */
  readonly authority: string;
  /** User and password, decoded, if the URL names them. */
  readonly user: string | null;
  readonly password: string | null;
  /** Decoded, without the slash before it. */
  readonly path: string;
  /** The options after the question mark: each is one that the engine knows. */
  readonly query: ReadonlyMap<string, string>;
}

export interface UrlRules {
  /** How such a URL is written right, for sentences. */
  readonly example: string;
  readonly defaultPort: number;
  /** The options that the engine knows. */
  readonly options: readonly string[];
  /** What to do instead, for a URL that names several servers. */
  readonly oneServer: string;
}

/** Makes the error about a URL: what is wrong with it, and how it is written right. */
export type Bad = (problem: string, advice: string) => Error;

/** Without the brackets of IPv6. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

/** A URL's port, or the usual one of its scheme. */
export function portOf(url: URL): number {
  return Number(url.port) || (url.protocol === "https:" ? 443 : 80);
}

/**
 * A prefix of the names in an engine: plain names between slashes. It stands there as it is written. `marks`:
 * characters that it may have besides letters and digits.
 */
export function prefixIn(path: string, marks: string, bad: Bad): string {
  const text = path.replace(/^\/+|\/+$/g, "");
  if (text === "") return DEFAULT_PREFIX;
  const name = `[a-zA-Z0-9${marks.replace(/[-.~_]/g, "\\$&")}]+`;
  const isGood =
    new RegExp(`^${name}(/${name})*$`).test(text) &&
    text.length <= PREFIX_BYTES_LIMIT &&
    !/(^|\/)\.\.?(\/|$)/.test(text);
  if (isGood) return text;
  const shown = [...marks].join(" ").replace(/ (?=.$)/, " and ");
  const advice = `use letters, digits, ${shown}, with single slashes between names`;
  throw bad(`has the prefix ${quote(text)}`, advice);
}

/** Reads an engine's URL. Parts that only one engine has, such as a database, are read by that engine. */
export function parseEngineUrl(store: string, rules: UrlRules): EngineUrl {
  const text = store.trim();
  const bad = (problem: string, advice = `write it as ${rules.example}`) =>
    badStore(withoutUserinfo(text), problem, advice);
  const [, scheme = "", authority = "", path = "", query = "", rest = ""] =
    /^([a-z]+):\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?(.*)$/is.exec(text) ?? [];
  if (scheme === "") throw bad("is not complete");
  if (rest !== "")
    throw bad("has a fragment", "leave out the # and what follows it, or write # as %23");
  // A password with a slash in it ends what looks like the host.
  if (path.includes("@") || query.includes("@")) throw notEncoded(text);
  const at = authority.lastIndexOf("@");
  const server = authority.slice(at + 1);
  const userinfo = at === -1 ? "" : authority.slice(0, at);
  const colon = userinfo.indexOf(":");
  const user = decoded(colon === -1 ? userinfo : userinfo.slice(0, colon));
  const password = decoded(colon === -1 ? "" : userinfo.slice(colon + 1));
  if (user === null || password === null || userinfo.includes("@")) throw notEncoded(text);
  if (server.includes(",")) throw bad("names several servers", rules.oneServer);
  const [, name = "", digits] = /^(.*?)(?::(\d*))?$/.exec(server) ?? [];
  const port = digits === undefined || digits === "" ? rules.defaultPort : Number(digits);
  const url = URL.canParse(`http://${name}`) ? new URL(`http://${name}`) : null;
  const isHost = name !== "" && url?.port === "" && url.pathname === "/";
  if (url === null || !isHost || port < 1 || port > 65_535) throw bad("has no good host and port");
  const plain = decoded(path);
  if (plain === null) throw bad("has a path that is not percent-encoded", "write % as %25");
  return {
    scheme: scheme.toLowerCase(),
    host: hostOf(url),
    port,
    authority: `${url.hostname}:${port}`,
    user: user || null,
    password: password || null,
    path: plain.replace(/\/$/, ""),
    query: optionsOf(query, rules.options, bad),
  };
}

/** Reads the options after a question mark. Each has to be known, and comes once. */
export function optionsOf(
  query: string,
  options: readonly string[],
  bad: Bad,
): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    const known = `the known ones are ${options.map((each) => `?${each}=`).join(", ")}`;
    if (!options.includes(name))
      throw bad(`has the unknown option ${quote(name)} after the ?`, known);
    if (found.has(name)) throw bad(`has the option ${quote(name)} twice`, "leave one of them out");
    found.set(name, value);
  }
  return found;
}

function notEncoded(text: string): Error {
  return badStore(
    withoutUserinfo(text),
    "has a user or a password that is not percent-encoded",
    "write % as %25, @ as %40, : as %3A, / as %2F, ? as %3F and # as %23",
  );
}

/** A percent-decoded text; null if it is not well encoded. */
export function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/**
 * The store in a sentence about it, without its password. A user alone may be a token, and an @ in a path
 * the end of a password: whatever stands before it is left out.
 */
export function withoutUserinfo(text: string): string {
  const shown = withoutPassword(text);
  const [, start = "", rest = shown] = /^([a-z][a-z0-9+]*:(?:\/\/)?)(.*)$/is.exec(shown) ?? [];
  const isUserKnown = text.split("?", 1)[0] !== shown.split("?", 1)[0];
  const at = isUserKnown ? -1 : rest.lastIndexOf("@");
  return quote(at === -1 ? shown : `${start}…${rest.slice(at)}`, 120);
}
