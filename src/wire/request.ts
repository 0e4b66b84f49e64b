import { LockError } from "../lock/errors.ts";
import { byteLength, quote } from "../lock/text.ts";

/** How many bytes a line has at most, without its newline. */
export const LINE_LIMIT = 256;

/**
 * How a wait without limit is sent: 23 days. The real server counts seconds in 64-bit nanoseconds, and
 * takes 9,223,372,037 s for a timeout in the past.
 */
export const LONGEST_WAIT_SECONDS = 2_000_000;

/** The words of the wire. Words with an `s` in front are the same for semaphores. */
export type Command =
  | "auth"
  | "stats"
  | "l"
  | "e"
  | "w"
  | "r"
  | "n"
  | "sl"
  | "se"
  | "sw"
  | "sr"
  | "sn";

/**
 * One request. A single shape for all commands, so that the server's hot path meets one kind of
 * object; what a command does not use is empty or 0.
 */
export interface Request {
  readonly command: Command;
  /** For `stats`: the second line as it came, which carries an introduction or a question. */
  readonly key: string;
  /** For `r` and `n` the lock's token, for `auth` the secret, for `stats` the third line. */
  readonly token: string;
  /** Seconds to wait. */
  readonly timeout: number;
  /** How many may hold the key at once; 1 for locks. */
  readonly limit: number;
  /** Seconds; 0 means the server's default. */
  readonly lease: number;
}

interface Terms {
  readonly key: string;
  /** 1 makes it a lock, anything else a semaphore. */
  readonly limit?: number;
  /** Seconds; left out: the server's default. */
  readonly lease?: number;
}

export function authRequest(secret: string): Request {
  return { command: "auth", key: "_", token: secret, timeout: 0, limit: 0, lease: 0 };
}

export function statsRequest(key = "_", argument = ""): Request {
  return { command: "stats", key, token: argument, timeout: 0, limit: 0, lease: 0 };
}

export function acquireRequest(terms: Terms & { readonly timeout: number }): Request {
  const { key, timeout, limit = 1, lease = 0 } = terms;
  return { command: limit === 1 ? "l" : "sl", key, token: "", timeout, limit, lease };
}

export function enqueueRequest(terms: Terms): Request {
  const { key, limit = 1, lease = 0 } = terms;
  return { command: limit === 1 ? "e" : "se", key, token: "", timeout: 0, limit, lease };
}

export function waitRequest(terms: Omit<Terms, "lease"> & { readonly timeout: number }): Request {
  const { key, timeout, limit = 1 } = terms;
  return { command: limit === 1 ? "w" : "sw", key, token: "", timeout, limit, lease: 0 };
}

export function releaseRequest(terms: Omit<Terms, "lease"> & { readonly token: string }): Request {
  const { key, token, limit = 1 } = terms;
  return { command: limit === 1 ? "r" : "sr", key, token, timeout: 0, limit, lease: 0 };
}

export function renewRequest(terms: Terms & { readonly token: string }): Request {
  const { key, token, limit = 1, lease = 0 } = terms;
  return { command: limit === 1 ? "n" : "sn", key, token, timeout: 0, limit, lease };
}

/** The three lines of a request. Throws BAD_KEY or BAD_OPTION for what no server would accept. */
export function formatRequest(request: Request): string {
  const { command, key } = request;
  const argument = formatArgument(request);
  if (command !== "stats" && command !== "auth" && (key === "" || /[ \t\r]/.test(key))) {
    throw new LockError(
      "BAD_KEY",
      `The key ${quote(key)} cannot be sent as it is: encode it first.`,
    );
  }
  checkLine(key, "BAD_KEY", "key");
  checkLine(argument, "BAD_OPTION", command === "auth" ? "token" : "argument");
  return `${command}\n${key}\n${argument}\n`;
}

function formatArgument({ command, token, timeout, limit, lease }: Request): string {
  const leasePart = lease === 0 ? "" : ` ${lease}`;
  switch (command) {
    case "l":
      return `${timeout}${leasePart}`;
    case "sl":
      return `${timeout} ${limit}${leasePart}`;
    case "e":
      return lease === 0 ? "" : `${lease}`;
    case "se":
      return `${limit}${leasePart}`;
    case "w":
    case "sw":
      return `${timeout}`;
    case "n":
    case "sn":
      return `${token}${leasePart}`;
    default:
      return token;
  }
}

/** Checks a line. A newline in it would forge a request; the text is not shown, since it may be a secret. */
function checkLine(text: string, code: "BAD_KEY" | "BAD_OPTION", name: string): void {
  if (text.includes("\n")) {
    throw new LockError(code, `The ${name} contains a line break: it has to be one line.`);
  }
  if (byteLength(text) > LINE_LIMIT) {
    throw new LockError(
      code,
      `The ${name} has ${byteLength(text)} bytes: the protocol takes at most ${LINE_LIMIT}.`,
    );
  }
}
