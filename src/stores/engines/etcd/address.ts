import { hasControl, quote, withoutPassword } from "../../../lock/text.ts";
import { badStore } from "../../remote/errors.ts";

/** One member of an etcd cluster, or what stands before it. */
export interface Endpoint {
  /** Without the brackets of IPv6. */
  readonly host: string;
  readonly port: number;
  /** `host:port`, as it is shown. */
  readonly shown: string;
}

/** An etcd and a place in it: `etcd://user@a:2379,b:2379/prefix`. */
export interface EtcdAddress {
  /** As the user would write it, without a password: shown, saved and exported. */
  readonly shown: string;
  readonly secure: boolean;
  readonly endpoints: readonly Endpoint[];
  /** What the names of all its keys in etcd begin with, and `/` after it. */
  readonly prefix: string;
  /** Where the URL names them, decoded. */
  readonly user: string | null;
  readonly password: string | null;
}

const DEFAULT_PREFIX = "holdfast";
const DEFAULT_PORT = 2379;
const PREFIX_BYTES_LIMIT = 200;
const EXAMPLE = "etcd://host:2379/prefix";

export function parseEtcdAddress(store: string): EtcdAddress {
  const text = store.trim();
  const shown = quote(withoutPassword(text), 120);
  const [, scheme = "", rest = ""] = /^(etcds?):\/\/(.*)$/is.exec(text) ?? [];
  if (scheme === "") throw badStore(shown, "is not complete", `write it as ${EXAMPLE}`);
  if (/[?#]/.test(rest)) {
    const advice = "leave out the ? or # and what follows it; in a password write %3F and %23";
    throw badStore(shown, "has options or a fragment", advice);
  }
  const [authority = ""] = /^[^/]*/.exec(rest) ?? [];
  const path = rest.slice(authority.length);
  const at = authority.lastIndexOf("@");
  if (at === -1 && path.includes("@")) {
    const advice = "percent-encode it: / is %2F, @ is %40, : is %3A and % is %25";
    throw badStore(shown, "has a / before its @, perhaps in a password", advice);
  }
  const secure = scheme.toLowerCase() === "etcds";
  const { user, password } = credentialsIn(authority.slice(0, Math.max(at, 0)), shown);
  const endpoints = authority
    .slice(at + 1)
    .split(",")
    .map((each) => endpointOf(each.trim(), shown));
  const prefix = prefixOf(path, shown);
  const named = user === null ? "" : `${encodeURIComponent(user)}@`;
  const hosts = endpoints.map((each) => each.shown).join(",");
  return {
    shown: `${scheme.toLowerCase()}://${named}${hosts}/${prefix}`,
    secure,
    endpoints,
    prefix,
    user,
    password,
  };
}

function credentialsIn(text: string, shown: string): Pick<EtcdAddress, "user" | "password"> {
  const [name = "", ...others] = text.split(":");
  const user = decoded(name);
  const password = decoded(others.join(":"));
  if (user === null || password === null) {
    const advice = "write % as %25, @ as %40, : as %3A and / as %2F";
    throw badStore(shown, "has a user or a password that is not percent-encoded", advice);
  }
  if (hasControl(user + password)) {
    throw badStore(shown, "has control characters in its user or password", "leave them out");
  }
  if (user === "" && password !== "") {
    throw badStore(shown, "has a password and no user", "write it as etcd://user:password@host");
  }
  return { user: user || null, password: password || null };
}

function endpointOf(text: string, shown: string): Endpoint {
  // `http:` knows brackets, names and numbers, and refuses what is no host.
  const url = URL.canParse(`http://${text}`) ? new URL(`http://${text}`) : null;
  const isPlain = url !== null && url.pathname === "/" && url.username === "";
  const port = /:(\d+)$/.exec(text)?.[1];
  if (url === null || !isPlain || text === "" || port === "0") {
    throw badStore(shown, `has no good host in ${quote(text)}`, `write it as ${EXAMPLE}`);
  }
  const number = Number(port ?? DEFAULT_PORT);
  const host = url.hostname;
  return { host: host.replace(/^\[|\]$/g, ""), port: number, shown: `${host}:${number}` };
}

/** A prefix is plain names between slashes: as it is written, so it stands in etcd. */
function prefixOf(path: string, shown: string): string {
  const text = path.replace(/^\/+|\/+$/g, "");
  if (text === "") return DEFAULT_PREFIX;
  const isGood =
    /^[\w.~-]+(\/[\w.~-]+)*$/.test(text) &&
    text.length <= PREFIX_BYTES_LIMIT &&
    !/(^|\/)\.\.?(\/|$)/.test(text);
  if (isGood) return text;
  const advice = "use letters, digits, . _ ~ and -, with single slashes between names";
  throw badStore(shown, `has the prefix ${quote(text)}`, advice);
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
