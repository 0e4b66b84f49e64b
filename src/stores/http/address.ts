import { hasControl, quote } from "../../lock/text.ts";
import { badStore, holdsCredentials } from "../remote/errors.ts";
import type { Named } from "../remote/trouble.ts";

/** `http://host:8080/deploys`: a server, and what its keys begin with. */
export interface Address extends Named {
  /** As the user would write it: shown in sentences and given to later steps. */
  readonly shown: string;
  /** `http://host:8080`. */
  readonly origin: string;
  readonly port: number;
  readonly secure: boolean;
  /** What stands before each key at the server, decoded: `deploys/`, or nothing. */
  readonly base: string;
}

/** Paths with meanings of their own at the server, and names that are such paths alone. */
const RESERVED = ["auth", "admin"];
const RESERVED_ALONE = ["healthz", "metrics"];

export function parseAddress(store: string): Address {
  const text = store.trim();
  const [, scheme = "", rest = ""] = /^(https?):\/\/(.*)$/is.exec(text) ?? [];
  if (scheme === "") {
    throw badStore(quote(text, 120), "is not complete", "write it as http://host:8080");
  }
  const start = `${scheme.toLowerCase()}://`;
  const [authority = ""] = /^[^/?#\\]*/.exec(rest) ?? [];
  // Not shown: what stands before the @ is a secret, and what stands after a ? may be one.
  if (authority.includes("@")) throw holdsCredentials(start);
  const [path = ""] = /^[^?#]*/.exec(rest.slice(authority.length)) ?? [];
  if (authority.length + path.length < rest.length) {
    throw badStore(
      quote(`${start}${authority}${path}…`, 120),
      "goes on after its path",
      "leave out the query and the fragment",
    );
  }
  const url = URL.canParse(start + authority) ? new URL(start + authority) : null;
  if (url === null || url.port === "0") {
    throw badStore(
      quote(text, 120),
      `has no good host in ${quote(authority)}`,
      `write it as ${start}host:8080`,
    );
  }
  const secure = url.protocol === "https:";
  const base = baseOf(path, text);
  const shownPath = base.split("/").slice(0, -1).map(encodeURIComponent).join("/");
  const shown = shownPath === "" ? url.origin : `${url.origin}/${shownPath}`;
  return {
    called: `The lock server ${shown}`,
    withoutTls: shown.replace("https:", "http:"),
    ifCut: secure ? "" : "; if it wants TLS, use https://",
    shown,
    origin: url.origin,
    // Without the brackets of IPv6.
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port) || (secure ? 443 : 80),
    secure,
    base,
  };
}

/** Refuses parts that a parser of URLs would collapse: two stores would become one. */
function baseOf(path: string, store: string): string {
  const trimmed = path.replace(/^\/|\/$/g, "");
  if (trimmed === "") return "";
  const segments = trimmed.split("/").map(decoded);
  const isPlain = segments.every(
    (segment) =>
      segment !== null &&
      segment !== "" &&
      segment !== "." &&
      !/[%/\\]|\.\./.test(segment) &&
      !hasControl(segment),
  );
  if (!isPlain) {
    throw badStore(
      quote(store, 120),
      "has a path that servers read in several ways",
      "use plain names with single slashes between them",
    );
  }
  if (RESERVED.includes(segments[0] as string)) {
    throw badStore(
      quote(store, 120),
      `has a path that begins with /${segments[0]}, which the server keeps for itself`,
      "use another name",
    );
  }
  return `${segments.join("/")}/`;
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

/**
 * A key at the server: its text behind the store's base. If it could be read in several ways on its way there
 * (parsers of URLs collapse dots and slashes, some decode twice), or means something else to the server, it is
 * encoded once more. Then it arrives plain, and its `%` tells it from every other key.
 */
export function serverKeyOf(base: string, key: string): string {
  return base + (isPlain(key) && !(base === "" && isReserved(key)) ? key : encodeAll(key));
}

/** The user's key of one that the server lists; null if it is not of this store. */
export function keyOf(base: string, serverKey: string): string | null {
  if (!serverKey.startsWith(base) || serverKey === base) return null;
  const text = serverKey.slice(base.length);
  const key = decoded(text);
  // Others may lock keys that only look like ours: they are shown as they are.
  return key !== null && serverKeyOf(base, key) === serverKey ? key : text;
}

/** The path of a server's key. */
export function pathOf(serverKey: string): string {
  return `/${serverKey.split("/").map(encodeURIComponent).join("/")}`;
}

function isPlain(key: string): boolean {
  if (/%|\.\./.test(key)) return false;
  return key.split("/").every((segment) => segment !== "" && segment !== ".");
}

function isReserved(key: string): boolean {
  return RESERVED.includes(key.split("/")[0] as string) || RESERVED_ALONE.includes(key);
}

function encodeAll(key: string): string {
  const encoded = encodeURIComponent(key).replaceAll(".", "%2E");
  if (encoded.includes("%")) return encoded;
  return `%${encoded.charCodeAt(0).toString(16).toUpperCase()}${encoded.slice(1)}`;
}
