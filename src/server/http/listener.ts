import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Socket } from "node:net";
import type { Admission } from "../admission.ts";
import { tlsOptions, withTls } from "../listening.ts";
import type { Logger } from "../log.ts";
import { problem } from "./exchange.ts";
import { refuse } from "./send.ts";

/** How long the head of a request may be: a path of the longest kind, percent-encoded, and the rest. */
const HEADERS_LIMIT = 16_384;
/** How often Node looks for requests that are late; a timeout is late by at most this. */
const CHECK_MS = 1_000;
/** How long a connection is silent before TCP probes it, to find a peer that vanished while it waits. */
const KEEP_ALIVE_MS = 10_000;

/** Times are in milliseconds. */
export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | null;
  readonly maxConnections: number;
  readonly readTimeout: number;
}

/** Node's own server with the bounds of this one. It does not listen yet. */
export function createListener(
  options: ListenerOptions,
  log: Logger,
  admission: Admission,
): Server {
  const { readTimeout } = options;
  const common = {
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
    maxHeaderSize: HEADERS_LIMIT,
    headersTimeout: readTimeout,
    requestTimeout: readTimeout,
    keepAliveTimeout: readTimeout,
    connectionsCheckingInterval: Math.min(CHECK_MS, Math.ceil(readTimeout / 4)),
    // The door answers for itself, with a sentence.
    requireHostHeader: false,
  };
  const server =
    options.tls === null
      ? createServer(common)
      : withTls(() => createTlsServer({ ...common, ...tlsOptions(options) }), log, {
          door: "http",
        });
  if (options.maxConnections > 0) server.maxConnections = options.maxConnections;
  server.on("drop", () => {
    admission.refuse("max-connections", { door: "http", limit: options.maxConnections });
  });
  server.on("clientError", answerBroken);
  return server;
}

const BROKEN: Record<string, readonly [number, string, string]> = {
  HPE_HEADER_OVERFLOW: [
    431,
    "Request header fields too large",
    `The head of the request is larger than ${HEADERS_LIMIT} bytes.`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    408,
    "Request timeout",
    "The request did not arrive in time: send it in one go.",
  ],
};

/** Answers what Node cannot read as HTTP. */
function answerBroken(error: NodeJS.ErrnoException, socket: Socket & SocketInside): void {
  if (socket.refused === true) return;
  // Half an answer is out already, or the client is gone.
  if (
    !socket.writable ||
    error.code === "ECONNRESET" ||
    socket._httpMessage?.headersSent === true
  ) {
    socket.destroy();
    return;
  }
  socket.refused = true;
  const [status, title, message] = BROKEN[error.code ?? ""] ?? [
    400,
    "Bad request",
    "That is not HTTP as this server reads it.",
  ];
  const content = JSON.stringify(problem(status, title, message).body);
  refuse(
    socket,
    status,
    {
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(content),
      "cache-control": "no-store",
      connection: "close",
    },
    content,
  );
}

interface SocketInside {
  /** Node's response to the request that is being read, where there is one. */
  _httpMessage?: { readonly headersSent: boolean } | null;
  refused?: boolean;
}
