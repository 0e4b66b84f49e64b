import { STATUS_CODES } from "node:http";
import { LockError } from "../../lock/errors.ts";
import { cleanText, quote } from "../../lock/text.ts";
import { denied } from "../remote/errors.ts";
import { textIn } from "../remote/fields.ts";
import { unreachable } from "../remote/trouble.ts";
import type { Variables } from "../variables.ts";
import type { Address } from "./address.ts";
import type { Answer } from "./answer.ts";
import { ID_TOKEN_YAML, isLoopback } from "./id-token.ts";

/** A redirect that is not followed: the token is for the server that the user named alone. */
export function redirected(address: Address, { status, location }: Answer): LockError {
  if (location === null || !URL.canParse(location, address.origin)) {
    return unreachable(address, `redirects (${status}) without saying where: check host and port`);
  }
  const target = new URL(location, address.origin);
  // A query may carry a secret of the redirecting side.
  const where = `${target.origin}${target.pathname}`;
  const advice =
    target.origin === address.origin ? "check the path" : `if that is right, use ${target.origin}`;
  return unreachable(address, `redirects (${status}) to ${quote(where, 200)}: ${advice}`);
}

/** Our server's words for being at one of its limits. */
const FULL: readonly unknown[] = ["Server full", "Too many sessions"];

/** What an answer means that has no meaning of its own for the question. */
export function refusal(
  address: Address,
  answer: Answer,
  secret: string | null,
  env: Variables,
): LockError {
  const { status, body } = answer;
  const words = bodyWords(answer, secret);
  if (status === 401) {
    return secret === null ? withoutSecret(address, words, env) : denied(address, secret);
  }
  if (status === 403) {
    return new LockError(
      "STORE_DENIED",
      `The lock server ${address.shown} forbids it (403${words}): ask for the rights, or check the token.`,
    );
  }
  if (status === 407) {
    return unreachable(
      address,
      "is asked through a proxy that wants a user and a password (407): write them into the proxy's URL",
    );
  }
  if (status === 413 || status === 414 || status === 431) {
    return unreachable(
      address,
      `refuses the request as too large (${status}${words}): use a shorter key, note or owner`,
    );
  }
  if (FULL.includes(body?.error)) {
    return new LockError(
      "STORE_FULL",
      `The lock server ${address.shown} has no room (${status}${words}): try again later, or raise its --max-locks, --max-waiters or --max-sessions.`,
    );
  }
  if (status < 500 && status !== 429 && textIn(body, "error") !== null) {
    return unreachable(address, `refused the request (${status}${words}): check the store's URL`);
  }
  if (status === 429) {
    return unreachable(address, `is asked too often (429${words}): try again later`);
  }
  if (status >= 500) {
    return unreachable(
      address,
      `cannot answer just now (${status}${words}): it, or the proxy before it, has a problem; try again later`,
    );
  }
  return speaksOtherwise(address, answer, secret);
}

/** A job that has no secret for the server may have, or lack, an ID token in its place. */
function withoutSecret(address: Address, words: string, env: Variables): LockError {
  const isOffered = env.HOLDFAST_ID_TOKEN || env.ACTIONS_ID_TOKEN_REQUEST_URL;
  if (!isOffered && env.GITHUB_ACTIONS !== "true") return denied(address, null);
  const isSent = isOffered && (address.secure || isLoopback(address.host));
  const advice = isSent
    ? `it does not accept this job's ID token (401${words})`
    : isOffered
      ? "use its https:// address, since an ID token is not sent in the open, or give its token in HOLDFAST_TOKEN or the token input"
      : `give it in HOLDFAST_TOKEN or the token input, or, if the server knows jobs by their ID tokens, give the job these lines:\n${ID_TOKEN_YAML}`;
  return new LockError(
    "STORE_DENIED",
    isSent
      ? `The lock server ${address.shown} did not let this job in: ${advice}.`
      : `The lock server ${address.shown} asks for a token: ${advice}`,
  );
}

/** What the server says is shown, since it mostly tells what listens there; the secret that we sent never is. */
export function speaksOtherwise(
  address: Address,
  answer: Answer,
  secret: string | null,
): LockError {
  const what = answer.body === null ? `${answer.type}${bodyWords(answer, secret)}` : "other fields";
  return unreachable(
    address,
    `does not speak the file-locking API, it answers ${answer.status} with ${what}: check host, port and path`,
  );
}

function bodyWords({ status, body, text }: Answer, secret: string | null): string {
  const said =
    textIn(body, "message") ?? textIn(body, "error") ?? (body === null ? text : "") ?? "";
  const shown = said === "" ? (STATUS_CODES[status] ?? "") : said;
  const safe = secret === null ? shown : shown.replaceAll(secret, "***");
  return safe === "" ? "" : `, ${quote(cleanText(safe), 160)}`;
}
