import { formatDuration } from "../../lock/duration.ts";
import { LockError, messageOf, systemCode } from "../../lock/errors.ts";
import { cleanText, quote } from "../../lock/text.ts";
import type { ProxyFacts } from "./proxy.ts";

/** A server, for sentences about it. */
export interface Named {
  /** Such as `The Redis server redis://host:6379`. */
  readonly called: string;
  readonly host: string;
  /** What to write in place of the scheme, or to add to the URL, if the server has no TLS. */
  readonly withoutTls: string;
  /** The part of its URL that may be wrong: `the endpoint`, `host and path`. Default: `host and port`. */
  readonly check?: string;
  /** Which of several endpoints: ` on a:2379`. */
  readonly on?: string;
  /** What to try if it hangs up, or speaks something else: `; if it speaks TLS, use etcds://`. */
  readonly ifCut?: string;
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

const SOCKET_ERRORS: Record<string, string> = {
  ECONNREFUSED: "cannot be reached: nothing listens on that port; start it, or check host and port",
  ENOTFOUND: "cannot be reached: the host name is not known; check its spelling",
  EAI_AGAIN: "cannot be reached: the host name could not be looked up just now",
  EHOSTUNREACH: "cannot be reached: there is no way to that host",
  ENETUNREACH: "cannot be reached: there is no way to that network",
  ETIMEDOUT: "cannot be reached: it does not answer; check host, port and the firewall in between",
};

/** The server is not there, or does not speak HTTP: another try soon would end in the same way. */
const NOBODY = /^(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|HPE_.*)$/;

/** Whether an error was caused by a server that is not there. */
export function isNobodyThere(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return NOBODY.test(systemCode(error) ?? "") || isNobodyThere(error.cause);
}

const UNTRUSTED =
  "shows a certificate that is not trusted here: name the file of its authority in HOLDFAST_CA_FILE";

const CERTIFICATE_ERRORS: Record<string, string> = {
  CERT_HAS_EXPIRED: "shows a certificate that has expired: renew it",
  CERT_NOT_YET_VALID: "shows a certificate that is not valid yet: check the clocks",
  CERT_REVOKED: "shows a certificate that was revoked: renew it",
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  CERT_UNTRUSTED: UNTRUSTED,
  CERT_SIGNATURE_FAILURE: UNTRUSTED,
};

/**
 * What a failed socket means. `cut`: the other side closed it; `not-tls`: the other side does not speak TLS;
 * `why` goes on after the server's name.
 */
export type SocketTrouble =
  | { readonly kind: "unsafe" | "unreachable"; readonly why: string }
  | { readonly kind: "not-tls"; readonly code: string }
  | { readonly kind: "cut" };

export function socketTrouble(error: unknown, host: string): SocketTrouble {
  const code = systemCode(error) ?? "";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    const why = `shows a certificate that is not for ${host}: use the name that it was made for`;
    return { kind: "unsafe", why };
  }
  const certificate = CERTIFICATE_ERRORS[code];
  if (certificate !== undefined) return { kind: "unsafe", why: certificate };
  if (/^ERR_SSL_|^EPROTO$/.test(code)) return { kind: "not-tls", code };
  if (code === "ECONNRESET" || code === "EPIPE") return { kind: "cut" };
  const why = SOCKET_ERRORS[code] ?? `cannot be reached: ${messageOf(error)}`;
  return { kind: "unreachable", why };
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

/** A server that has said nothing for `patience` milliseconds. `sent`: something was asked of it. */
export function silent(
  { called, on = "", check = "host and port" }: Pick<Named, "called" | "on" | "check">,
  patience: number,
  proxy: ProxyFacts | null = null,
  sent = true,
): LockError {
  const what = sent ? "did not answer" : "could not be connected to";
  const between = proxy === null ? "the firewall in between" : `${proxy.variable} (${proxy.shown})`;
  const why = `${what}${on} within ${formatDuration(patience)}: check ${check}, and ${between}`;
  return unreachable({ called }, why);
}

/** What it means if a request over HTTP has no whole answer, after `patience` milliseconds at most. */
export function explainNoAnswer(
  server: Named,
  proxy: ProxyFacts | null,
  error: NoAnswer,
  patience: number,
): LockError {
  const { check = "host and port", on = "" } = server;
  switch (error.how) {
    case "silent":
      return silent(server, patience, proxy, error.sent);
    case "endless":
      return unreachable(
        server,
        `answers${on} without end, or with more than was asked for: check ${check}`,
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

function explainRequest(server: Named, proxy: ProxyFacts | null, error: unknown): LockError {
  const { on = "", check = "host and port", ifCut = "" } = server;
  const code = systemCode(error) ?? "";
  if (proxy !== null && code === "ERR_PROXY_TUNNEL") {
    const { statusCode } = error as { statusCode?: number };
    const what =
      statusCode === 407
        ? "which wants a user and a password: write them into its URL"
        : `which refused to open a way there (${statusCode ?? "no answer"}): allow it there, or name the server in NO_PROXY`;
    const why = `is asked through the proxy ${proxy.shown} (${proxy.variable}), ${what}`;
    return unreachable(server, why, error);
  }
  const trouble = socketTrouble(error, server.host);
  if (proxy?.failedWith(error) && trouble.kind === "unreachable") {
    const failed = trouble.why.replace(/; start it, or check host and port$/, "");
    const why = `is asked through the proxy ${proxy.shown}, which ${failed}; check ${proxy.variable}, or name the server in NO_PROXY`;
    return unreachable(server, why, error);
  }
  if (/^HPE_/.test(code))
    return unreachable(server, `does not speak HTTP${on} (${code}): check ${check}${ifCut}`, error);
  if (trouble.kind === "unreachable" && proxy !== null)
    return unreachable(server, trouble.why + proxy.ignored, error);
  if (trouble.kind !== "cut") return explainSocket(server, error);
  const why = `closed the connection${on} without an answer: it was stopped, or the network failed${ifCut}`;
  return unreachable(server, why, error);
}

/**
 * A request that has no whole answer. A lock has to know whether the request was sent at all: only a request
 * that cannot have arrived counts as not done.
 */
export class NoAnswer extends Error {
  /** `silent`: not in time. `endless`, `cut`: its end is missing. `failed`: `cause` says why. */
  readonly how: "silent" | "failed" | "endless" | "cut";
  readonly sent: boolean;
  /** It was sent on a kept connection that turned out to be dead: a read is simply sent again. */
  readonly isStale: boolean;

  constructor(how: NoAnswer["how"], sent: boolean, isStale: boolean, cause?: unknown) {
    super(`no answer: ${how}`, { cause });
    this.how = how;
    this.sent = sent;
    this.isStale = isStale;
  }
}

/** The request was sent, and no whole answer came back: nobody knows whether it was carried out. */
export class AnswerLost extends Error {
  /** The sentence for a case in which that does not matter. */
  readonly why: LockError;

  constructor(why: LockError) {
    super(why.message, { cause: why });
    this.why = why;
  }
}

/** What a request over HTTP ended with: AnswerLost if it may have been carried out. */
export function unanswered(error: unknown, explain: (error: NoAnswer) => LockError): unknown {
  if (!(error instanceof NoAnswer)) return error;
  return error.sent ? new AnswerLost(explain(error)) : explain(error);
}

const WORDS_BYTES = 200;

/** A server's own words, in quotes. */
export function saidBy(words: string): string {
  return quote(cleanText(words).replace(/\s+/g, " ").trim(), WORDS_BYTES);
}
