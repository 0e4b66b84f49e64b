import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { quote } from "../../lock/text.ts";
import { badRequest, Problem } from "./exchange.ts";

/**
 * Refuses a request that a page of another site caused. Locking goes by GET, as the spec has it, and
 * an image on a foreign page must not claim a lock with the cookie of its reader. The cookie is
 * SameSite=Strict; this is the second check, for browsers that say where a request comes from.
 */
export function refuseForeign(request: IncomingMessage): void {
  const { headers } = request;
  const site = headers["sec-fetch-site"];
  const { origin } = headers;
  const foreignSite = site !== undefined && site !== "same-origin" && site !== "none";
  if (!foreignSite && (origin === undefined || hostOf(origin) === headers.host)) return;
  throw new Problem(
    403,
    "Forbidden",
    "A page of another site asked for this: open the server's own page, or send the session as a Bearer token.",
  );
}

/** Compared by host alone: behind a proxy that ends TLS this server does not know its own scheme. */
function hostOf(origin: string): string | null {
  const match = /^https?:\/\/([^/]+)$/.exec(origin);
  return match === null ? null : (match[1] as string);
}

/**
 * Refuses a request for a host name that may not be this server's. A server without a secret trusts
 * every client that reaches it, and a foreign page can reach it through its reader's browser, when the
 * page's name is made to lead to this machine; but the browser then sends that name here. Addresses,
 * localhost and names without a dot cannot be taken over like that.
 */
export function refuseRebinding(host: string, configured: string): void {
  if (isOwnName(host, configured)) return;
  throw new Problem(
    403,
    "Forbidden",
    `The host name ${quote(host)} is not this server's: use its address, name it with --host, or give the server a token.`,
  );
}

function isOwnName(host: string, configured: string): boolean {
  if (host.startsWith("[")) return isIP(host.slice(1, host.indexOf("]"))) === 6;
  const colon = host.indexOf(":");
  const name = (colon === -1 ? host : host.slice(0, colon)).toLowerCase();
  return !name.includes(".") || isIP(name) === 4 || name === configured.toLowerCase();
}

/** Reads the Host header, of which HTTP/1.1 wants exactly one. */
export function requireHost(request: IncomingMessage): string {
  const { host } = request.headers;
  if (host === undefined || host === "") {
    if (request.httpVersion === "1.0") return "localhost";
    throw badRequest("The request has no Host header.");
  }
  return host;
}
