import { isIPv6 } from "node:net";
import { domainToASCII } from "node:url";
import { crc32 } from "node:zlib";
import { quote } from "../../lock/text.ts";
import { badStore, holdsCredentials } from "../remote/errors.ts";
import type { Named } from "../remote/trouble.ts";

const DEFAULT_PORT = 6388;

export interface Address extends Named {
  readonly port: number;
  readonly secure: boolean;
  /** `tcp://127.0.0.1:6388`. */
  readonly shown: string;
}

/** `tcp://host:port`, `tls://host:port`, or several servers with commas between them. */
export interface Addresses {
  readonly url: string;
  readonly servers: readonly [Address, ...Address[]];
}

export function parseAddresses(store: string): Addresses {
  const [, scheme = "", rest = ""] = /^(tcp|tls):\/\/(.*)$/is.exec(store.trim()) ?? [];
  if (scheme === "") {
    throw badStore(quote(store, 120), "is not complete", "write it as tcp://host:6388");
  }
  const start = `${scheme.toLowerCase()}://`;
  // Not shown: what stands before the @ is a secret, and what stands after a ? may be one.
  if (rest.includes("@")) throw holdsCredentials(start);
  const [hosts = "", further = ""] = splitAt(rest.replace(/\/$/, ""), /[/?#]/);
  if (further !== "") {
    throw badStore(
      quote(`${start}${hosts}${further}…`),
      "goes on after the host",
      `a lock server has no paths and no options there: write ${start}host:${DEFAULT_PORT}`,
    );
  }
  const secure = start === "tls://";
  const servers = hosts.split(",").map((text) => parseHost(text.trim(), start, secure, store));
  const url = start + servers.map(({ shown }) => shown.slice(start.length)).join(",");
  return { url, servers: servers as unknown as Addresses["servers"] };
}

/** The text before the first such character, and that character. */
function splitAt(text: string, mark: RegExp): [string, string] {
  const index = text.search(mark);
  return index === -1 ? [text, ""] : [text.slice(0, index), text.charAt(index)];
}

function parseHost(text: string, start: string, secure: boolean, store: string): Address {
  const match = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(text);
  const [, six, name, digits] = match ?? [];
  const host = six === undefined ? asciiName(name ?? "") : isIPv6(six) ? six.toLowerCase() : "";
  const port = digits === undefined ? DEFAULT_PORT : Number(digits);
  if (host === "") {
    const advice = isIPv6(text)
      ? `write an IPv6 address in brackets, as in ${start}[${text}]:${DEFAULT_PORT}`
      : `write it as ${start}host:${DEFAULT_PORT}`;
    throw badStore(quote(store, 120), `has no good host in ${quote(text)}`, advice);
  }
  if (port < 1 || port > 65_535) {
    throw badStore(quote(store, 120), `has the port ${port}`, "use one from 1 to 65535");
  }
  const shown = `${start}${six === undefined ? host : `[${host}]`}:${port}`;
  const withoutTls = shown.replace("tls:", "tcp:");
  return { called: `The lock server ${shown}`, host, port, secure, shown, withoutTls };
}

function asciiName(name: string): string {
  return /[\s%\\]/.test(name) ? "" : domainToASCII(name);
}

/** Which server has a key: the rule of dflockd's own clients, so that theirs and ours meet. */
export function serverOf<T>(servers: readonly [T, ...T[]], wireKey: string): T {
  return servers[crc32(wireKey) % servers.length] ?? servers[0];
}
