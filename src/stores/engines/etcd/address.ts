import { LockError } from "../../../lock/errors.ts";
import { hasControl, quote, withoutPassword } from "../../../lock/text.ts";
import type { StoreOptions } from "../../options.ts";
import { badStore } from "../../remote/errors.ts";
import type { Named } from "../../remote/trouble.ts";
import { decoded, hostOf, prefixIn } from "../address.ts";
import { type Credentials, checkSecret, credentialsOf } from "../credentials.ts";

/** One member of an etcd cluster, or what stands before it. */
export interface Endpoint extends Named {
  readonly port: number;
  readonly secure: boolean;
}

/** An etcd and a place in it: `etcd://user@a:2379,b:2379/prefix`. */
export interface EtcdAddress {
  /** As the user would write it, without a password: shown, saved and exported. */
  readonly shown: string;
  /** In sentences. */
  readonly called: string;
  readonly endpoints: readonly Endpoint[];
  /** What the names of all its keys in etcd begin with, and `/` after it. */
  readonly prefix: string;
  /** Where the URL names them, decoded. */
  readonly user: string | null;
  readonly password: string | null;
}

const DEFAULT_PORT = 2379;
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
  const servers = authority
    .slice(at + 1)
    .split(",")
    .map((each) => serverOf(each.trim(), shown));
  const prefix = prefixIn(path, "._~-", (problem, advice) => badStore(shown, problem, advice));
  const named = user === null ? "" : `${encodeURIComponent(user)}@`;
  const hosts = servers.map(({ place }) => place).join(",");
  const url = `${scheme.toLowerCase()}://${named}${hosts}/${prefix}`;
  const called = `The etcd of ${url}`;
  const endpoints = servers.map(({ host, port, place }) => ({
    called,
    on: ` on ${place}`,
    check: "host and port, and that most of its members run",
    withoutTls: `etcd://${place}`,
    ifCut: secure ? "; if it has no TLS, use etcd://" : "; if it speaks TLS, use etcds://",
    host,
    port,
    secure,
  }));
  return { shown: url, called, endpoints, prefix, user, password };
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

function serverOf(text: string, shown: string) {
  // `http:` knows brackets, names and numbers, and refuses what is no host.
  const url = URL.canParse(`http://${text}`) ? new URL(`http://${text}`) : null;
  const isPlain = url !== null && url.pathname === "/" && url.username === "";
  const given = /:(\d+)$/.exec(text)?.[1];
  if (url === null || !isPlain || text === "" || given === "0") {
    throw badStore(shown, `has no good host in ${quote(text)}`, `write it as ${EXAMPLE}`);
  }
  const port = Number(given ?? DEFAULT_PORT);
  return { host: hostOf(url), port, place: `${url.hostname}:${port}` };
}

/**
 * The user is the URL's, and the password the URL's own, else the store's token. Where the URL names
 * no user, the token is `user:password`. Null: etcd is asked without any.
 */
export function loginOf(
  address: EtcdAddress,
  options: Pick<StoreOptions, "token">,
): Credentials | null {
  const found = credentialsOf(address, options);
  if (found.password === null) return null;
  checkSecret(`${found.user ?? ""}${found.password}`);
  if (found.user !== null) return found;
  throw new LockError(
    "BAD_OPTION",
    `The token for ${address.shown} is a password without a user: give it as user:password, or name the user in the URL (etcd://user@host).`,
  );
}
