import { readFile } from "node:fs/promises";
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { LockError, messageOf } from "../../lock/errors.ts";
import { quote } from "../../lock/text.ts";
import type { Issuer } from "./policy.ts";

/** An issuer answers within a second; a job waits behind the question. */
const ANSWER_MS = 5_000;
/** Issuers publish a few keys, of about a kilobyte each. */
const ANSWER_BYTES_LIMIT = 256 * 1024;
/** Keys of this age are read anew before they are used, so that one that was withdrawn ends. */
const FRESH_MS = 10 * 60_000;
/** Keys of this age are still used where the issuer cannot be asked: its outage must not be ours at once. */
const STALE_MS = 60 * 60_000;
/** The issuer is asked at most this often, whatever tokens strangers send and whatever it answers. */
const PAUSE_MS = 15_000;

/** Gives the keys of one issuer, for `jwtVerify`. */
export type KeySource = () => Promise<JWTVerifyGetKey>;

/** The keys could not be had: nothing is known about the token. */
export class NoKeys extends Error {}

/** The keys in the issuer's file where the policy names one, else those that the issuer publishes. */
export async function keysOf(issuer: Issuer, monotonic: () => number): Promise<PublishedKeys> {
  const pinned = issuer.jwks === null ? null : await readKeyFile(issuer.jwks);
  return new PublishedKeys(issuer, monotonic, pinned);
}

async function readKeyFile(file: string): Promise<JWTVerifyGetKey> {
  try {
    return createLocalJWKSet(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    throw new LockError(
      "BAD_OPTION",
      `The file of keys ${quote(file, 200)} cannot be used: ${messageOf(error)}. Save what the issuer publishes as its JWKS there.`,
      { cause: error },
    );
  }
}

/**
 * The keys that an issuer publishes: found by its discovery document, kept, and read anew when they
 * are old or when a token names a key that is not among them. All that it asks for is bounded in
 * time, size and number, since a stranger's token is enough to make it ask.
 */
export class PublishedKeys {
  readonly #issuer: Issuer;
  readonly #monotonic: () => number;
  #keys: JWTVerifyGetKey | null;
  readonly #isPinned: boolean;
  #readAt = Number.NEGATIVE_INFINITY;
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | null = null;
  #trouble = "";

  constructor(issuer: Issuer, monotonic: () => number, pinned: JWTVerifyGetKey | null = null) {
    this.#issuer = issuer;
    this.#monotonic = monotonic;
    this.#keys = pinned;
    this.#isPinned = pinned !== null;
  }

  /** The keys as they are known; throws NoKeys. `renew`: a token names a key that is not among them. */
  async get(renew = false): Promise<JWTVerifyGetKey> {
    const age = () => this.#monotonic() - this.#readAt;
    if (!this.#isPinned && (renew || age() > FRESH_MS)) await this.#ask();
    // Whether an issuer that cannot be asked has a new key, nobody knows.
    const isUnknown = renew && this.#trouble !== "";
    const isUsable = this.#isPinned || age() <= STALE_MS;
    if (this.#keys !== null && isUsable && !isUnknown) return this.#keys;
    throw new NoKeys(
      `The keys of the issuer ${this.#issuer.url} could not be read: ${this.#trouble}`,
    );
  }

  /** Reads the keys, once for all who ask meanwhile, and not again before a pause is over. */
  async #ask(): Promise<void> {
    if (this.#asking === null) {
      if (this.#monotonic() - this.#askedAt < PAUSE_MS) return;
      this.#askedAt = this.#monotonic();
      this.#asking = this.#read().finally(() => {
        this.#asking = null;
      });
    }
    await this.#asking;
  }

  async #read(): Promise<void> {
    const signal = AbortSignal.timeout(ANSWER_MS);
    try {
      const base = this.#issuer.url.replace(/\/$/, "");
      const found = await readJson(`${base}/.well-known/openid-configuration`, signal);
      const { issuer, jwks_uri: address } = found as Record<string, unknown>;
      if (issuer !== this.#issuer.url) {
        throw new Error(`its discovery document is that of ${quote(String(issuer))}`);
      }
      if (typeof address !== "string" || !isSafe(address, this.#issuer.url)) {
        throw new Error(`its keys are at ${quote(String(address))}, which is no https:// address`);
      }
      this.#keys = createLocalJWKSet((await readJson(address, signal)) as JSONWebKeySet);
      this.#readAt = this.#monotonic();
      this.#trouble = "";
    } catch (error) {
      this.#trouble = messageOf(error);
    }
  }
}

/** Keys travel over TLS. Only those of an issuer that is on loopback, and plain itself, may come from there. */
function isSafe(address: string, issuer: string): boolean {
  if (!URL.canParse(address)) return false;
  const [keys, own] = [new URL(address), new URL(issuer)];
  if (keys.protocol === "https:") return true;
  return own.protocol === "http:" && keys.protocol === "http:" && keys.hostname === own.hostname;
}

async function readJson(address: string, signal: AbortSignal): Promise<unknown> {
  const accept = "application/json, application/jwk-set+json";
  const options = { signal, redirect: "error", headers: { accept } } as const;
  const response = await fetch(address, options).catch((error: Error) => {
    if (error.cause === undefined) throw error;
    throw new Error(`${address}: ${error.message}: ${messageOf(error.cause)}`);
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`${address} answers ${response.status}`);
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > ANSWER_BYTES_LIMIT) throw new Error(`${address} answers with too much`);
    parts.push(part);
  }
  return JSON.parse(Buffer.concat(parts).toString("utf8"));
}
