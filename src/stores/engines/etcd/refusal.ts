import { STATUS_CODES } from "node:http";
import { LockError } from "../../../lock/errors.ts";
import { cleanText, cutToBytes, jsonObject, quote } from "../../../lock/text.ts";
import { refused, unreachable } from "../../remote/trouble.ts";
import type { EtcdAddress } from "./address.ts";

/** The codes of gRPC that etcd's gateway puts into its errors. */
export const NOT_FOUND = 5;
const PERMISSION_DENIED = 7;
const RESOURCE_EXHAUSTED = 8;
const UNAUTHENTICATED = 16;
/** Cancelled, unknown, deadline exceeded, aborted, internal, unavailable: another try may help. */
const PASSING = [1, 2, 4, 10, 13, 14];

const SHOWN_BYTES = 200;

/** What etcd says in place of an answer. */
export interface Refusal {
  readonly status: number;
  readonly code: number;
  readonly words: string;
}

/** Reads a refusal; null if these are not etcd's words. */
export function readRefusal(status: number, text: string): Refusal | null {
  const { code, message, error } = jsonObject(text) ?? {};
  const words = typeof message === "string" ? message : error;
  return typeof code === "number" && typeof words === "string" ? { status, code, words } : null;
}

/** The token has expired, or users have changed since it was given: a new one helps. */
export function isTokenOld({ code, words }: Refusal): boolean {
  return code === UNAUTHENTICATED || /invalid auth token|auth store is old/.test(words);
}

export function isWithoutAuth({ words }: Refusal): boolean {
  return /authentication is not enabled/.test(words);
}

/** Nobody knows what became of the request, or another member may answer it. */
export function isPassing({ status, code, words }: Refusal): boolean {
  return status >= 500 || PASSING.includes(code) || /too many requests/.test(words);
}

/** None of several endpoints answers: names each with its reason. */
export function allSilent(address: EtcdAddress, failures: readonly LockError[]): LockError {
  const [first] = failures;
  if (first === undefined) return unreachable(address, "has no endpoint");
  const others = failures.length - 1;
  if (others === 0) return first;
  const message = `${first.message.replace(/\.$/, "")} (and ${others} more of its endpoints did not help).`;
  return new LockError(first.code, message, { cause: first });
}

/** It answers, but not as etcd does. */
export function notEtcd(address: EtcdAddress, status: number, text: string): LockError {
  const words = cutToBytes(cleanText(text).replace(/\s+/g, " ").trim(), SHOWN_BYTES);
  const what = words || (STATUS_CODES[status] ?? "");
  if (/HTTP request to an HTTPS server/i.test(words)) {
    return refused(address, "speaks TLS: write etcds:// and not etcd://");
  }
  return refused(
    address,
    `does not answer as etcd does (${status}, ${quote(what, SHOWN_BYTES)}): check host and port; it must be etcd 3.4 or later with its JSON gateway`,
  );
}

/** Each refusal of etcd's in one sentence that says what to do. `user`: null, asked without any. */
export function explainRefusal(
  { status, code, words }: Refusal,
  address: EtcdAddress,
  user: string | null,
): LockError {
  const said = quote(cleanText(words), SHOWN_BYTES);
  const { prefix } = address;
  if (/user name is empty/.test(words)) {
    return refused(
      address,
      "asks for a user and a password: give them in HOLDFAST_TOKEN or the token input as user:password, or percent-encoded in the URL",
    );
  }
  if (/authentication failed/.test(words)) {
    return refused(address, `does not accept the password of ${quote(user ?? "")}: check both`);
  }
  if (code === PERMISSION_DENIED || /permission denied/.test(words)) {
    return refused(
      address,
      `gives ${quote(user ?? "")} no right to ${prefix}/: let one of its roles read and write there (etcdctl role grant-permission ROLE readwrite --prefix=true ${prefix}/)`,
    );
  }
  if (/space exceeded|too large/.test(words)) {
    const advice = "make room there (etcdctl compact, etcdctl defrag, etcdctl alarm disarm)";
    const sentence = `${address.called} takes no more data (${said}): ${advice}.`;
    return new LockError("STORE_FULL", sentence);
  }
  if (code === RESOURCE_EXHAUSTED) return unreachable(address, `is too busy (${said})`);
  if (isPassing({ status, code, words })) {
    const why = /no leader|timed out|leader changed/.test(words)
      ? "most of its members do not answer, or they choose a new leader; start them again if that lasts"
      : "try again later";
    return unreachable(address, `cannot answer just now (${said}): ${why}`);
  }
  return refused(address, `refuses (${status}, ${said}): check what it allows`);
}
