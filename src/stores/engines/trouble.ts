import { LockError } from "../../lock/errors.ts";
import { cleanText, quote } from "../../lock/text.ts";
import { socketTrouble } from "../remote/errors.ts";
import { NoAnswer } from "../remote/exchange.ts";

/** A server in the sentences about it. */
export interface Named {
  /** Such as `The Redis server redis://host:6379`. */
  readonly called: string;
  readonly host: string;
  /** What to write in place of the scheme, or to add to the URL, where the server has no TLS. */
  readonly withoutTls: string;
}

export function unreachable({ called }: Named, why: string, cause?: unknown): LockError {
  return new LockError(
    "STORE_UNREACHABLE",
    `${called} ${why}.`,
    cause === undefined ? {} : { cause },
  );
}

export function refused({ called }: Named, why: string): LockError {
  return new LockError("STORE_REFUSED", `${called} ${why}.`);
}

/** What a failed socket means. */
export function explainSocket(server: Named, error: unknown): LockError {
  const trouble = socketTrouble(error, server.host);
  switch (trouble.kind) {
    case "unsafe":
      return new LockError("STORE_UNSAFE", `${server.called} ${trouble.why}.`, { cause: error });
    case "not-tls":
      return unreachable(
        server,
        `cannot be spoken to with TLS (${trouble.code}): if it has none, use ${server.withoutTls}`,
        error,
      );
    case "cut":
      return closed(server, error);
    default:
      return unreachable(server, trouble.why, error);
  }
}

export function closed(server: Named, cause?: unknown): LockError {
  return unreachable(server, "closed the connection: it was stopped, or the network failed", cause);
}

/** The request was sent, and no whole answer came back: nobody knows whether it was carried out. */
export class AnswerLost extends Error {
  /** The sentence for the case that it does not matter. */
  readonly why: LockError;
  /** It was sent on a kept connection that gave no sign any more: a read is simply sent again. */
  readonly isStale: boolean;

  constructor(why: LockError, isStale = false) {
    super(why.message, { cause: why });
    this.why = why;
    this.isStale = isStale;
  }
}

/** What a request over HTTP ended with: AnswerLost where it may have been carried out. */
export function unanswered(error: unknown, explain: (error: NoAnswer) => LockError): unknown {
  if (!(error instanceof NoAnswer)) return error;
  return error.sent ? new AnswerLost(explain(error), error.isStale) : explain(error);
}

const WORDS_BYTES = 200;

/** A server's own words, in quotes. */
export function saidBy(words: string): string {
  return quote(cleanText(words).replace(/\s+/g, " ").trim(), WORDS_BYTES);
}
