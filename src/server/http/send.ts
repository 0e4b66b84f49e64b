import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { WholeReply } from "./exchange.ts";

/**
 * How long and how much the server still reads after a refusal. Closing at once would answer what the
 * client is sending with a reset, and a reset can destroy the reply on its way.
 */
const LINGER_MS = 1_000;
const LINGER_BYTES = 4 * 2 ** 20;
/** How long an unwanted body may be to be read all the same, so that the connection can go on. */
const DRAIN_BYTES = 65_536;

const JSON_TYPE = "application/json; charset=utf-8";
const TEXT_TYPE = "text/plain; charset=utf-8";

export type Headers = Record<string, string | number | readonly string[]>;

/** Writes the reply, in one piece. `last`: and closes the connection. */
export function send(
  request: IncomingMessage,
  response: ServerResponse,
  reply: WholeReply,
  last: boolean,
): void {
  if (response.destroyed || response.headersSent) {
    reply.undelivered?.();
    return;
  }
  reply.delivered?.();
  const { status, body } = reply;
  const headers: Headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" };
  const content = contentOf(body);
  if (content === null) {
    // Of a HEAD the handler says how long the file is.
    if (status >= 200 && status !== 204 && status !== 304) headers["content-length"] = 0;
  } else {
    headers["content-type"] = typeof body === "string" ? TEXT_TYPE : JSON_TYPE;
    headers["content-length"] =
      typeof content === "string" ? Buffer.byteLength(content) : content.length;
  }
  if (reply.headers !== undefined) Object.assign(headers, reply.headers);
  if (last) headers.connection = "close";
  if (!hasUnread(request)) {
    write(request, response, status, headers, content);
  } else if (isWorthDraining(request, status)) {
    // Answered when it is through: an answer in the middle of a request would be taken for another's.
    request.once("end", () => write(request, response, status, headers, content));
    request.resume();
  } else {
    refuse(request.socket, status, { ...headers, connection: "close" }, content, request);
  }
}

function write(
  { method }: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: Headers,
  content: string | Uint8Array | null,
): void {
  response.writeHead(status, headers as Record<string, string>);
  if (content === null || method === "HEAD") response.end();
  else response.end(content);
}

function contentOf(body: WholeReply["body"]): string | Uint8Array | null {
  if (body === undefined) return null;
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  return JSON.stringify(body);
}

/** Whether a body is still on its way. */
function hasUnread({ headers, complete }: IncomingMessage): boolean {
  const { "content-length": length, "transfer-encoding": encoding } = headers;
  if (length === undefined && encoding === undefined) return false;
  return !complete && length !== "0";
}

/** Whether to read the body: not a long one, nor one that the client holds back until it is asked for. */
function isWorthDraining({ headers }: IncomingMessage, status: number): boolean {
  const { "content-length": length, expect } = headers;
  return status !== 413 && expect === undefined && Number(length ?? Infinity) <= DRAIN_BYTES;
}

/**
 * Answers past Node's own response, which would close at once, and throws away what still comes: for
 * requests that will not be read to their end, or cannot.
 */
export function refuse(
  socket: Socket,
  status: number,
  headers: Headers,
  content: string | Uint8Array | null,
  request?: IncomingMessage,
): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n`;
  for (const [name, value] of Object.entries(headers)) {
    for (const one of Array.isArray(value) ? value : [value]) head += `${name}: ${one}\r\n`;
  }
  socket.write(`${head}date: ${new Date().toUTCString()}\r\n\r\n`, "latin1");
  if (content !== null) socket.write(content);
  socket.end();
  linger(socket, request);
}

function linger(socket: Socket, request: IncomingMessage | undefined): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  let bytes = 0;
  const source = request ?? socket;
  source.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > LINGER_BYTES) socket.destroy();
  });
  source.on("end", () => socket.destroySoon());
  source.on("error", () => socket.destroy());
  socket.on("close", () => clearTimeout(timer));
  source.resume();
}
