/** An answer to a transaction, as far as it is looked at. */
export interface TxnAnswer {
  readonly header?: { readonly revision?: string };
  readonly succeeded?: boolean;
  readonly responses?: readonly { readonly response_range?: RangeAnswer }[];
}

export interface RangeAnswer {
  readonly header?: { readonly revision?: string };
  readonly kvs?: readonly {
    readonly key: string;
    readonly value?: string;
    readonly mod_revision: string;
  }[];
  readonly more?: boolean;
}

/** What a swap does besides: lights the swapper's beacon or puts it out, and touches those of whom it concerns. */
export interface Besides {
  readonly light: { readonly key: string; readonly lease: string } | null;
  /** A beacon's key; null: none. */
  readonly douse: string | null;
  /** Beacons' keys that must be there. */
  readonly need: readonly string[];
  /** Beacons' keys. */
  readonly touch: readonly string[];
}

/** A transaction that puts a value in the place of the one with that revision, "0" where there is none. */
export function swapTxn(
  key: string,
  revision: string,
  value: string,
  { light, douse, need, touch }: Besides,
): unknown {
  const lights = light === null ? [] : [{ request_put: light }];
  const douses = douse === null ? [] : [{ request_delete_range: { key: douse } }];
  return {
    compare: [
      { key, target: "MOD", result: "EQUAL", mod_revision: revision },
      ...need.map(isThere),
    ],
    success: [{ request_put: { key, value } }, ...lights, ...douses, ...touch.map(touched)],
    // Who has lost the race has shown all the same that it lives.
    failure: lights,
  };
}

function isThere(key: string): unknown {
  return { key, target: "CREATE", result: "GREATER", create_revision: "0" };
}

/** Wakes who watches a beacon, by writing it anew. One that is out must not come back by it. */
function touched(key: string): unknown {
  return {
    request_txn: {
      compare: [isThere(key)],
      success: [{ request_put: { key, ignore_lease: true } }],
    },
  };
}
