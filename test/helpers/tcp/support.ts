import { once } from "node:events";
import { afterEach, expect } from "vitest";
import type { ClaimRequest, Holding, Store } from "../../../src/lock/store.ts";
import { openStore } from "../../../src/stores/open.ts";
import type { StoreOptions } from "../../../src/stores/options.ts";
// Its own clean-up has to come after the one below: a server that stops waits for its holders.
import "../server/server.ts";

export const KEY = "production";

/** A token that no sentence may ever show. */
export const SECRET = "hush-hush-0123456789";

const stores: Store[] = [];
const holdings: Holding[] = [];

afterEach(async () => {
  await Promise.all(holdings.splice(0).map((holding) => holding.release().catch(() => {})));
  for (const store of stores.splice(0)) await store.close();
});

export async function open(url: string, options: StoreOptions = {}): Promise<Store> {
  const store = await openStore(url, options);
  stores.push(store);
  return store;
}

export function request(id: string, extras: Partial<ClaimRequest> = {}): ClaimRequest {
  return { key: KEY, owner: { id, metadata: {} }, ...extras };
}

/** A claim whose lock is released after the test, if it is still held then. */
export async function hold(
  store: Store,
  id: string,
  extras: Partial<ClaimRequest> = {},
): Promise<Holding> {
  const holding = await store.claim(request(id, extras), { timeout: 60_000 });
  holdings.push(holding);
  return holding;
}

/** Resolves with the sentence of the loss. */
export async function lost(holding: Holding): Promise<string> {
  if (!holding.lost.aborted) await once(holding.lost, "abort");
  return (holding.lost.reason as Error).message;
}

/** What a claim is told: one sentence, without a secret. */
export async function refused(
  url: string,
  options: StoreOptions = {},
  timeout: number | null = 0,
): Promise<Error> {
  const store = await open(url, options);
  const error = await store.claim(request("tester"), { timeout }).then(
    async (holding) => {
      await holding.release();
      return new Error("it was granted");
    },
    (error: Error) => error,
  );
  expect(error.message).toMatch(/^The [^\n]*[^?.]\.$/);
  expect(error.message).not.toContain(SECRET);
  return error;
}
