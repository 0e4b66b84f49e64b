import type { KeyStatus, Store } from "../../lock/store.ts";
import { openStore } from "../../stores/open.ts";
import type { LeaseFile } from "../lease-file.ts";

/** Uses the store of a lease, or of a claim, and closes it. */
export async function withStore<T>(
  lease: Pick<LeaseFile, "store" | "storeOptions">,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore(lease.store, lease.storeOptions);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

export function holderOf(status: KeyStatus): string | null {
  return status.holders.map((holder) => holder.owner).join(", ") || null;
}
