import { STATUS_CODES } from "node:http";
import { formatDuration } from "../../../lock/duration.ts";
import { LockError, systemCode } from "../../../lock/errors.ts";
import { cleanText, quote, shellWord } from "../../../lock/text.ts";
import { socketTrouble } from "../../remote/errors.ts";
import type { ProxyFacts } from "../../remote/proxy.ts";
import type { GitAddress } from "./address.ts";

/** Every way in which a git server can be out of reach or be another kind of server, in one sentence each. */
export function unreachable({ shown }: GitAddress, why: string, cause?: unknown): LockError {
  return new LockError(
    "STORE_UNREACHABLE",
    `The git server of ${shown} ${why}.`,
    cause === undefined ? {} : { cause },
  );
}

export function silent(
  address: GitAddress,
  patience: number,
  proxy: ProxyFacts | null,
  sent: boolean,
): LockError {
  const what = sent ? "did not answer" : "could not be connected to";
  const checks = proxy === null ? "the firewall in between" : `${proxy.variable} (${proxy.shown})`;
  return unreachable(
    address,
    `${what} within ${formatDuration(patience)}: check host, port and ${checks}`,
  );
}

export function endless(address: GitAddress, cause: unknown): LockError {
  return unreachable(address, "answers with more than was asked for: check host and path", cause);
}

export function cutShort(address: GitAddress): LockError {
  return unreachable(
    address,
    "closed the connection in the middle of its answer: it was stopped, or the network failed",
  );
}

export function explainRequest(
  error: unknown,
  address: GitAddress,
  proxy: ProxyFacts | null,
): LockError {
  const code = systemCode(error) ?? "";
  if (proxy !== null && code === "ERR_PROXY_TUNNEL") {
    const { statusCode } = error as { statusCode?: number };
    return unreachable(
      address,
      `is asked through the proxy ${proxy.shown} (${proxy.variable}), which opens no way there (${statusCode ?? "no answer"}): allow it there, write user and password into the proxy's URL, or name the server in NO_PROXY`,
      error,
    );
  }
  const trouble = socketTrouble(error, address.host);
  if (proxy?.failedWith(error) && trouble.kind === "unreachable") {
    return unreachable(
      address,
      `is asked through the proxy ${proxy.shown}, which ${trouble.why.replace(/; start it, or check host and port$/, "")}; check ${proxy.variable}, or name the server in NO_PROXY`,
      error,
    );
  }
  if (/^HPE_/.test(code)) {
    return unreachable(address, `does not speak HTTP (${code}): check host and port`, error);
  }
  switch (trouble.kind) {
    case "unsafe":
      return new LockError("STORE_UNSAFE", `The git server of ${address.shown} ${trouble.why}.`, {
        cause: error,
      });
    case "not-tls":
      return unreachable(
        address,
        `cannot be spoken to with TLS (${trouble.code}): if it has none, use git+http://`,
        error,
      );
    case "cut":
      return unreachable(
        address,
        "closed the connection without an answer: it was stopped, or the network failed",
      );
    default:
      return unreachable(address, trouble.why + (proxy?.ignored ?? ""), error);
  }
}

/** A passing trouble of the server's own. */
export function troubled(address: GitAddress, status: number, words: string): LockError {
  return unreachable(
    address,
    `cannot answer just now (${said(status, words)}): it, or the proxy before it, has a problem; try again later`,
  );
}

export function askedTooOften(address: GitAddress, waited: number): LockError {
  return unreachable(
    address,
    `asks for patience again and again, for ${formatDuration(waited)} by now: try again later, and poll less often`,
  );
}

/** git's program there was stopped in the middle; one before version 2 of the protocol ends so too. */
export function halfAnswered(address: GitAddress, what: string): LockError {
  return unreachable(
    address,
    `did not answer to the end (${what}): try again later; it must know git's protocol version 2, as git does since 2.18`,
  );
}

/** It answers, but not as git does. */
export function notGit(address: GitAddress, what: string): LockError {
  return new LockError(
    "STORE_REFUSED",
    `The server of ${address.shown} does not answer as a git server does (${what}): check host and path; it must know git's protocol version 2, as git does since 2.18.`,
  );
}

export function otherIds(address: GitAddress): LockError {
  return new LockError(
    "STORE_REFUSED",
    `The repository of ${address.shown} names its objects by SHA-256, and the locks need one with SHA-1: use another repository, made with git init --object-format=sha1.`,
  );
}

/** The ref of a key cannot be made beside another one, which is not Holdfast's. */
export function inTheWay(
  { shown, origin, path }: GitAddress,
  ref: string,
  other: string,
): LockError {
  return new LockError(
    "STORE_REFUSED",
    `The ref ${ref} of the key cannot be made in ${shown}, since ${quote(other, 200)} is there, and git has no ref below another: if nobody needs that one, delete it with git push ${shellWord(`${origin}${path}`)} --delete ${shellWord(other)}.`,
  );
}

/** `403, "the server's own words"`. */
export function said(status: number, words: string): string {
  const shown = cleanText(words).replace(/\s+/g, " ").trim() || (STATUS_CODES[status] ?? "");
  return shown === "" ? String(status) : `${status}, ${quote(shown, 200)}`;
}
