import type { Server } from "node:net";
import { LockError, messageOf, systemCode } from "../lock/errors.ts";
import type { Logger } from "./log.ts";

const BACKLOG = 1_024;

/** Certificate and key as TLS servers want them, and the oldest version that is spoken. */
export function tlsOptions(options: {
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | null;
  readonly readTimeout: number;
}) {
  const { tls, readTimeout: handshakeTimeout } = options;
  return { ...tls, minVersion: "TLSv1.2", handshakeTimeout } as const;
}

/** A TLS server whose failed handshakes are logged. Throws BAD_OPTION where the certificate is no good. */
export function withTls<S extends Server>(
  create: () => S,
  log: Logger,
  fields: { readonly door?: string } = {},
): S {
  try {
    const server = create();
    server.on(
      "tlsClientError",
      (error: Error, socket: { remoteAddress?: string; destroy(): void }) => {
        const peer = socket.remoteAddress;
        log.limited("info", "TLS handshake failed", { ...fields, peer, reason: error.message });
        socket.destroy();
      },
    );
    return server;
  } catch (error) {
    throw new LockError(
      "BAD_OPTION",
      `The TLS certificate or key cannot be used (${messageOf(error)}): give the PEM files of a matching pair.`,
      { cause: error },
    );
  }
}

/** `what`: ends with a space where there is something to say; `option` names the port. Throws BAD_OPTION. */
export function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  { what, option }: { readonly what: string; readonly option: string },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const refused = (error: Error): void => {
      const why = explanations(option)[systemCode(error) ?? ""] ?? messageOf(error);
      const message = `The server cannot listen ${what}on ${host}:${port}: ${why}.`;
      reject(new LockError("BAD_OPTION", message, { cause: error }));
    };
    server.once("error", refused);
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off("error", refused);
      resolve();
    });
  });
}

function explanations(option: string): Record<string, string> {
  const article = option === "--http-port" ? "an" : "a";
  return {
    EADDRINUSE: `something else listens there already; choose another ${option}, or 0 for a free one`,
    EADDRNOTAVAIL: "this machine has no such address; choose another --host",
    EACCES: `this user may not; choose ${article} ${option} above 1023`,
    ENOTFOUND: "that host name is not known; choose another --host",
  };
}
