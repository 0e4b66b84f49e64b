import type { IncomingMessage, ServerResponse } from "node:http";
import type { Right } from "../identity/policy.ts";

/** One request as its handler sees it, its path already checked. */
export class Exchange {
  readonly request: IncomingMessage;
  /** For the door and for waits; handlers return a reply instead of writing one. */
  readonly response: ServerResponse;
  readonly method: string;
  /** As sent, without the query. */
  readonly rawPath: string;
  /** Decoded once and without its first slash: for files and locks, the key. */
  readonly path: string;
  /** As sent, without the question mark. */
  readonly rawQuery: string;
  /** False: the secret that was shown is the one for looking alone, or none was. */
  mayChange = true;
  /** The rights of a job that was let in by its ID token; null: the server's own token was shown. */
  rights: Rights | null = null;
  #query: URLSearchParams | null = null;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    rawPath: string,
    path: string,
    rawQuery: string,
  ) {
    this.request = request;
    this.response = response;
    this.method = request.method as string;
    this.rawPath = rawPath;
    this.path = path;
    this.rawQuery = rawQuery;
  }

  /** Parsed when first asked for: most requests have none, or one of the few that are known. */
  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.rawQuery);
    return this.#query;
  }

  /** A header that was sent once; several are joined as Node joins them. */
  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }
}

/** What the policy lets a job do. Keys are as people write them. */
export interface Rights {
  /** Throws 403 where the job may not do this to the key; null: to any key. */
  demand(right: Right, key: string | null): void;
  sees(key: string): boolean;
  /** Whether the job may know who holds the key: whoever may claim it is told, too. */
  knows(key: string): boolean;
  /** Who it is, whatever it says of itself. */
  readonly owner: string;
}

export type ReplyHeaders = Readonly<Record<string, string | number | readonly string[]>>;

/** An answer in one piece. An object becomes JSON, text is UTF-8 (its type is for the handler to say). */
export interface WholeReply {
  readonly status: number;
  readonly headers?: ReplyHeaders;
  readonly body?: object | string | Uint8Array;
  /** Called instead of sending, where the client has hung up meanwhile. */
  readonly undelivered?: () => void;
  /** Called where it is sent. */
  readonly delivered?: () => void;
}

/** The handler writes the answer itself, for as long as it likes; the door only closes it in the end. */
export interface StreamReply {
  stream(response: ServerResponse): void;
}

export type Reply = WholeReply | StreamReply;

export type Handler = (exchange: Exchange) => Reply | Promise<Reply>;

/** Finds the handler of a request and asks it. Throws Problem. */
export type Dispatch = (
  request: IncomingMessage,
  response: ServerResponse,
) => Reply | Promise<Reply>;

/**
 * What the door leads to besides sessions, locks and files. Before they are called the door has
 * checked the path's encoding, the method's being a known one, the origin and, where it says so, the
 * server's token. A handler without a route answers 404.
 */
export interface Routes {
  /** Everything under `/admin/`, behind the token; `exchange.path` starts with `admin/`. */
  readonly admin?: Handler;
  /** `/metrics`, behind the token. */
  readonly metrics?: Handler;
  /** `/healthz`, open. */
  readonly health?: Handler;
  /** `/`, and its own static parts under `/admin/page/`: open. */
  readonly page?: Handler;
}

/** An error that the client is told in one sentence; a handler throws it instead of a reply. */
export class Problem extends Error {
  readonly reply: WholeReply;

  /** `title` is short and always the same for one kind of error; `message` names input and remedy. */
  constructor(status: number, title: string, message: string, headers?: ReplyHeaders) {
    super(message);
    this.name = "Problem";
    this.reply = problem(status, title, message, headers);
  }
}

export function problem(
  status: number,
  title: string,
  message: string,
  headers?: ReplyHeaders,
): WholeReply {
  const body = { error: title, message };
  return headers === undefined ? { status, body } : { status, headers, body };
}

export function badRequest(message: string): Problem {
  return new Problem(400, "Bad request", message);
}

/** `allowed` as the header wants it: "GET, HEAD". */
export function wrongMethod(exchange: Exchange, allowed: string): Problem {
  return new Problem(
    405,
    "Method not allowed",
    `The method ${exchange.method} has no meaning for ${exchange.rawPath}: use ${allowed}.`,
    { allow: allowed },
  );
}

/** Throws 405 for a method that does more than read. */
export function allowReading(exchange: Exchange): void {
  if (exchange.method !== "GET" && exchange.method !== "HEAD") {
    throw wrongMethod(exchange, "GET, HEAD");
  }
}

/** Throws 403 for a job that was let in by its ID token: what is asked for tells of every key. */
export function refuseJobs({ rights, rawPath }: Exchange): void {
  if (rights === null) return;
  throw new Problem(
    403,
    "Refused by the policy",
    `What is at ${rawPath} tells of every key: it needs the server's own token.`,
  );
}
