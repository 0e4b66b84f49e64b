import type { ClaimRequest } from "../../../src/lock/store.ts";
import { openStore } from "../../../src/stores/open.ts";
import type { StoreOptions } from "../../../src/stores/options.ts";

/** A process that claims a lock, tells what happens to it, and releases it when told. */
export interface Order {
  readonly store: string;
  readonly options: StoreOptions;
  readonly request: ClaimRequest;
  /** A process that keeps the lock held beside this one. */
  readonly cover?: number;
}

const order = JSON.parse(process.argv[2] as string) as Order;
const store = await openStore(order.store, order.options);
const holding = await store.claim(order.request);
if (order.cover !== undefined) await holding.cover(order.cover);
holding.lost.addEventListener("abort", () =>
  process.send?.({ event: "lost", message: String(holding.lost.reason.message) }),
);
process.on("message", async (message) => {
  if (message === "release") {
    process.send?.({ event: "released", outcome: await holding.release() });
    await store.close();
    process.disconnect();
  }
});
process.send?.({ event: "held", lease: holding.lease });
