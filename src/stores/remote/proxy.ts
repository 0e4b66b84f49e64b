import type { Variables } from "../variables.ts";

/** A proxy that the environment names for a server, as far as sentences need to know it. */
export interface ProxyFacts {
  /** `HTTPS_PROXY`, as the user wrote it. */
  readonly variable: string;
  /** Without its password. */
  readonly shown: string;
  /** What to add to a sentence if this Node knows nothing of proxies. */
  readonly ignored: string;
  /** Whether it was the proxy that could not be reached, and not the server. */
  failedWith(error: unknown): boolean;
}

/** The first minor version of Node 24 whose agents know proxies. */
const SINCE = [24, 5] as const;

/** The proxy for a server, to be named in sentences. Node itself uses it, and knows NO_PROXY. */
export function proxyOf(
  address: { readonly secure: boolean; readonly host: string; readonly port: number },
  env: Variables,
): ProxyFacts | null {
  const names = address.secure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy", "HTTP_PROXY"];
  const variable = names.find((name) => env[name] !== undefined && env[name] !== "");
  const text = variable === undefined ? "" : (env[variable] as string);
  if (variable === undefined || !URL.canParse(text)) return null;
  const url = new URL(text);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  return {
    variable,
    shown: url.origin === "null" ? `${url.protocol}//${url.host}` : url.origin,
    ignored: knowsProxies() ? "" : ` (${variable} needs Node ${SINCE.join(".")} or later)`,
    failedWith(error) {
      const failed = error as { hostname?: unknown; port?: unknown };
      if (failed.hostname !== undefined) return failed.hostname === host && host !== address.host;
      return failed.port === port && port !== address.port;
    },
  };
}

function knowsProxies(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major > SINCE[0] || (major === SINCE[0] && minor >= SINCE[1]);
}
