import { once } from "node:events";
import { onTestFinished } from "vitest";
import type { ClaimRequest, Holding, Store } from "../../../src/lock/store.ts";
import { openStore, type StoreOptions } from "../../../src/stores/open.ts";

export const KEY = "production";

export async function open(url: string, options: StoreOptions = {}): Promise<Store> {
  const store = await openStore(url, options);
  onTestFinished(() => store.close());
  return store;
}

export function request(id: string, extras: Partial<ClaimRequest> = {}): ClaimRequest {
  return { key: KEY, owner: { id, metadata: {} }, ...extras };
}

/** A claim that is let go after the test, if it still holds then. */
export async function hold(
  store: Store,
  id: string,
  extras: Partial<ClaimRequest> = {},
): Promise<Holding> {
  const holding = await store.claim(request(id, extras), { timeout: 60_000 });
  onTestFinished(async () => {
    await holding.release().catch(() => {});
  });
  return holding;
}

/** Resolves with the sentence of the loss. */
export async function lost(holding: Holding): Promise<string> {
  if (!holding.lost.aborted) await once(holding.lost, "abort");
  return (holding.lost.reason as Error).message;
}
