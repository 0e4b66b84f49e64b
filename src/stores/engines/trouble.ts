import { formatDuration } from "../../lock/duration.ts";
import { LockError, systemCode } from "../../lock/errors.ts";
import { cleanText, quote } from "../../lock/text.ts";
import { socketTrouble } from "../remote/errors.ts";
import { NoAnswer } from "../remote/exchange.ts";
import type { ProxyFacts } from "../remote/proxy.ts";

/** A server in the sentences about it. */
export interface Named {
  /** Such as `The Redis server redis://host:6379`. */
  readonly called: string;
  readonly host: string;
  /** What to write in place of the scheme, or to add to the URL, where the server has no TLS. */
  readonly withoutTls: string;
  /** Which of several endpoints: ` on a:2379`. */
  readonly on?: string;
  /** What to try where the connection is cut: `; if it speaks TLS, use etcds://`. */
  readonly ifCut?: string;
}

/** One that is spoken to over HTTP. */
export interface HttpNamed extends Named {
  /** What may be wrong in its URL: `the endpoint`, `host and path`. */
  readonly check: string;
}

export function unreachable({ called }: Pick<Named, "called">, why: string, cause?: unknown) {
  return new LockError(
    "STORE_UNREACHABLE",
    `${called} ${why}.`,
    cause === undefined ? {} : { cause },
  );
}

export function refused({ called }: Pick<Named, "called">, why: string): LockError {
  return new LockError("STORE_REFUSED", `${called} ${why}.`);
}

/** What a failed socket means. */
export function explainSocket(server: Named, error: unknown): LockError {
  const trouble = socketTrouble(error, server.host);
  const { called, on = "", withoutTls } = server;
  switch (trouble.kind) {
    case "unsafe":
      return new LockError("STORE_UNSAFE", `${called} ${trouble.why}.`, { cause: error });
    case "not-tls": {
      const why = `cannot be spoken to with TLS${on} (${trouble.code}): if it has none, use ${withoutTls}`;
      return unreachable(server, why, error);
    }
    case "cut":
      return closed(server, error);
    default:
      return unreachable(server, trouble.why.replace(/(?=: )/, on), error);
  }
}

export function closed(server: Named, cause?: unknown): LockError {
  const { on = "", ifCut = "" } = server;
  const why = `closed the connection${on}: it was stopped, or the network failed${ifCut}`;
  return unreachable(server, why, cause);
}

/** What it means that a request over HTTP has no whole answer, after `patience` milliseconds at most. */
export function explainNoAnswer(
  server: HttpNamed,
  proxy: ProxyFacts | null,
  error: NoAnswer,
  patience: number,
): LockError {
  const { check, on = "" } = server;
  switch (error.how) {
    case "silent": {
      const what = error.sent ? "did not answer" : "could not be connected to";
      const between =
        proxy === null ? "the firewall in between" : `${proxy.variable} (${proxy.shown})`;
      const why = `${what}${on} within ${formatDuration(patience)}: check ${check}, and ${between}`;
      return unreachable(server, why);
    }
    case "endless":
      return unreachable(
        server,
        `answers${on} with more than was asked for: check ${check}`,
        error,
      );
    case "cut":
      return unreachable(
        server,
        `closed the connection${on} in the middle of its answer: it was stopped, or the network failed`,
      );
    default:
      return explainRequest(server, proxy, error.cause);
  }
}

function explainRequest(server: HttpNamed, proxy: ProxyFacts | null, error: unknown): LockError {
  const code = systemCode(error) ?? "";
  if (proxy !== null && code === "ERR_PROXY_TUNNEL") {
    const { statusCode = "no answer" } = error as { statusCode?: number };
    const why = `is asked through the proxy ${proxy.shown} (${proxy.variable}), which opens no way there (${statusCode}): allow it there, write user and password into the proxy's URL, or name the server in NO_PROXY`;
    return unreachable(server, why, error);
  }
  const trouble = socketTrouble(error, server.host);
  if (proxy?.failedWith(error) && trouble.kind === "unreachable") {
    const failed = trouble.why.replace(/; start it, or check host and port$/, "");
    const why = `is asked through the proxy ${proxy.shown}, which ${failed}; check ${proxy.variable}, or name the server in NO_PROXY`;
    return unreachable(server, why, error);
  }
  if (/^HPE_/.test(code)) {
    const why = `does not speak HTTP${server.on ?? ""} (${code}): check ${server.check}`;
    return unreachable(server, why, error);
  }
  if (trouble.kind === "unreachable" && proxy !== null)
    return unreachable(server, trouble.why + proxy.ignored, error);
  return explainSocket(server, error);
}

/** The request was sent, and no whole answer came back: nobody knows whether it was carried out. */
export class AnswerLost extends Error {
  /** The sentence for the case that it does not matter. */
  readonly why: LockError;

  constructor(why: LockError) {
    super(why.message, { cause: why });
    this.why = why;
  }
}

/** What a request over HTTP ended with: AnswerLost where it may have been carried out. */
export function unanswered(error: unknown, explain: (error: NoAnswer) => LockError): unknown {
  if (!(error instanceof NoAnswer)) return error;
  return error.sent ? new AnswerLost(explain(error)) : explain(error);
}

const WORDS_BYTES = 200;

/** A server's own words, in quotes. */
export function saidBy(words: string): string {
  return quote(cleanText(words).replace(/\s+/g, " ").trim(), WORDS_BYTES);
}
