import { LockError } from "../../lock/errors.ts";
import { jsonObject, quote } from "../../lock/text.ts";
import type { StoreOptions } from "../options.ts";
import { Exchange } from "../remote/exchange.ts";
import { NoAnswer } from "../remote/trouble.ts";
import type { Variables } from "../variables.ts";
import type { Address } from "./address.ts";

/** Gives an ID token of this job, made out to a lock server. */
export type AskIdToken = (signal?: AbortSignal) => Promise<string>;

const ANSWER_MS = 10_000;
const ANSWER_BYTES_LIMIT = 65_536;

/** What a job of GitHub's needs if its runner offers no ID tokens. */
export const ID_TOKEN_YAML = "permissions:\n  id-token: write";

const NO_TOKEN =
  "HOLDFAST_ID_TOKEN holds no ID token: put the one that the CI has made into it, as it is, or leave it empty.";

/**
 * How this job proves who it is to a lock server; null if its CI offers nothing, or the token would travel in
 * the open. A token that is given is used as it is: its CI made it for one server.
 */
export function idTokensFor(
  address: Address,
  options: StoreOptions,
  env: Variables,
): AskIdToken | null {
  if (!address.secure && !isLoopback(address.host)) return null;
  const given = env.HOLDFAST_ID_TOKEN?.trim();
  if (given) {
    // What is in it is not shown: it may be the secret of something else.
    if (!isToken(given)) throw new LockError("BAD_OPTION", NO_TOKEN);
    return async () => given;
  }
  const url = env.ACTIONS_ID_TOKEN_REQUEST_URL?.trim();
  const bearer = env.ACTIONS_ID_TOKEN_REQUEST_TOKEN?.trim();
  if (!url || !bearer || !URL.canParse(url)) return null;
  const audience = options.audience || address.origin;
  return (signal) => askRunner(new URL(url), bearer, audience, options, signal);
}

async function askRunner(
  url: URL,
  bearer: string,
  audience: string,
  options: StoreOptions,
  signal: AbortSignal | undefined,
): Promise<string> {
  const secure = url.protocol === "https:";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  // The runner's own token opens more than locks.
  if (!secure && !isLoopback(host)) throw failed(`its address ${quote(url.origin)} is not https`);
  url.searchParams.set("audience", audience);
  const exchange = new Exchange({ secure }, secure ? options : withoutProxy(options), {});
  try {
    const { status, bytes } = await exchange.ask(
      {
        host,
        port: Number(url.port) || (secure ? 443 : 80),
        path: url.pathname + url.search,
        method: "GET",
        headers: { authorization: `Bearer ${bearer}`, accept: "application/json" },
        body: Buffer.alloc(0),
        patience: ANSWER_MS,
        signal,
      },
      ANSWER_BYTES_LIMIT,
    );
    if (status !== 200) throw failed(`it answered ${status}`);
    return tokenIn(bytes.toString("utf8"));
  } catch (error) {
    if (error instanceof NoAnswer) throw failed("it did not answer", error);
    throw error;
  } finally {
    await exchange.close();
  }
}

function tokenIn(text: string): string {
  const value = jsonObject(text)?.value;
  if (typeof value === "string" && isToken(value)) return value;
  // The answer may hold a part of a token: it is not shown.
  throw failed("its answer holds none");
}

/** As it is signed: nothing else may be sent as one. */
function isToken(text: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text);
}

/** Passing: a claim that waits tries again. */
function failed(why: string, cause?: unknown): LockError {
  const sentence = `The runner gave this job no ID token for the lock server: ${why}.`;
  return new LockError("STORE_UNREACHABLE", sentence, cause === undefined ? {} : { cause });
}

/** The same for an address that is sent in the open to this machine alone. */
export function withoutProxy(options: StoreOptions): StoreOptions {
  return { ...options, variables: {} };
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
