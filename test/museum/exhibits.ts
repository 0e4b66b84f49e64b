/** A published bug of another lock, as a small change of our code, and the test of ours that finds it. */
export interface Exhibit {
  readonly name: string;
  readonly peer: string;
  /** Where it is reported, or where the code with it is to be read; null: nowhere in public. */
  readonly report: string | null;
  readonly changes: readonly Change[];
  readonly foundBy: { readonly file: string; readonly test: string };
}

export interface Change {
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly from: string;
  readonly to: string;
}

export const EXHIBITS: readonly Exhibit[] = [
  {
    name: "two win by looking first and renaming then",
    peer: "semats",
    report: "https://github.com/tuulbelt/file-based-semaphore",
    changes: [
      {
        file: "src/stores/file/protocol/take.ts",
        from: 'outcome = yield* step("link", temporary, path);',
        to: 'outcome = (yield* step("rename", temporary, path)) ? "linked" : "source-gone";',
      },
      {
        file: "src/stores/file/protocol/claim.ts",
        from: 'if ((yield* step("enter", claim.place.guard)) === "cancelled") return null;',
        to: "",
      },
      {
        file: "src/stores/file/protocol/claim.ts",
        from: 'yield* step("leave", claim.place.guard);',
        to: "",
      },
    ],
    foundBy: {
      file: "test/model/protocol.test.ts",
      test: "nobody crashes: one holder at a time, in order, and nothing is left",
    },
  },
  {
    name: "a lock is read as free and written later, after another one was",
    peer: "Hengdang",
    report: null,
    changes: [
      {
        file: "src/server/table/table.ts",
        from: "if (entry.isOpenTo(claim)) {",
        to: "if (entry.isOpenTo(claim) || (entry.waiters.size === 0 && entry.holders.size === limit)) {",
      },
    ],
    foundBy: { file: "test/unit/server/table/model.test.ts", test: "" },
  },
  {
    name: "a late second phase is answered for a lock that has passed on",
    peer: "dflockd",
    report: "https://github.com/mtingers/dflockd",
    changes: [
      {
        file: "src/server/table/table.ts",
        from: 'if (claim === undefined || this.#turns.ranOut(claim, now)) return "not-enqueued";',
        to: 'if (claim === undefined) return "not-enqueued";',
      },
    ],
    foundBy: {
      file: "test/unit/server/table/table.test.ts",
      test: "has no lock for a second phase that comes when the lease is over, also before a sweep",
    },
  },
  {
    name: "a waiter that hung up is not noticed, and gets the lock",
    peer: "dflockd",
    report: "https://github.com/mtingers/dflockd",
    changes: [
      {
        file: "src/server/tcp/connection.ts",
        from: "if (this.#waiting !== null) this.#giveUp();\n    else if",
        to: "if",
      },
    ],
    foundBy: {
      file: "test/unit/server/tcp/waiting.test.ts",
      test: "and leave by finish are gone at once",
    },
  },
  {
    name: "a waiter is told that it holds after its lease has ended",
    peer: "etcd",
    report: "https://github.com/etcd-io/etcd/issues/11456",
    changes: [
      {
        file: "src/stores/document/protocol/claim.ts",
        from: 'if (life?.kind !== "heartbeat") return grant;',
        to: "if (life !== undefined) return grant;",
      },
    ],
    foundBy: {
      file: "test/unit/stores/document/deaths.test.ts",
      test: "is not handed out where its silence was taken for death: the claim joins again",
    },
  },
  {
    name: "an unlock that is tried again removes a newer lock",
    peer: "etcd",
    report: "https://github.com/etcd-io/etcd/issues/22082",
    changes: [
      {
        file: "src/stores/document/protocol/hold.ts",
        from: "holder.fence === fence && (holder.digest === digest || holder.sharers?.includes(digest)),",
        to: 'holder.slot === 0 || (fence === null && digest === ""),',
      },
    ],
    foundBy: {
      file: "test/unit/stores/document/format/strangers.test.ts",
      test: "a release that is tried again leaves the next holder alone",
    },
  },
  {
    name: "a waiter whose place in line is gone waits for ever",
    peer: "etcd",
    report: "https://github.com/etcd-io/etcd/issues/19597",
    changes: [
      {
        file: "src/stores/document/protocol/claim.ts",
        from: 'if (move.kind === "stand" && (isInLine || !mayWait)) {',
        to: 'if (move.kind === "stand" && (isInLine || wasInLine || !mayWait)) {',
      },
    ],
    foundBy: {
      file: "test/unit/stores/document/store.test.ts",
      test: "is taken by the next after the grace, and the one that was away joins again",
    },
  },
  {
    name: "identical commits both win",
    peer: "lock actions on git refs",
    report: "https://github.com/ben-z/gh-action-mutex",
    changes: [
      {
        file: "src/stores/document/operations/state.ts",
        from: "return { ...changed, nonce, nonces: before.slice(0, NONCES_KEPT), turn };",
        to: "return { ...changed, nonces: before.slice(0, NONCES_KEPT), turn };",
      },
    ],
    foundBy: {
      file: "test/unit/stores/document/operations.test.ts",
      test: "a state has a nonce of its own and remembers those before it",
    },
  },
  {
    name: "an empty queue is taken for a free lock",
    peer: "ben-z/gh-action-mutex",
    report: "https://github.com/ben-z/gh-action-mutex",
    changes: [
      {
        file: "src/stores/document/format.ts",
        from: "throw unreadable(key, messageOf(error), error);",
        to: "return emptyDocument(key);",
      },
    ],
    foundBy: {
      file: "test/unit/stores/document/protocol/upkeep.test.ts",
      test: "a document that cannot be read is shown, refused to claims, and replaced by a break",
    },
  },
  {
    name: "a stranger releases the lock",
    peer: "abatilo/github-action-locks",
    report: "https://github.com/abatilo/github-action-locks/issues/10",
    changes: [
      {
        file: "src/stores/document/protocol/hold.ts",
        from: "holder.fence === fence && (holder.digest === digest || holder.sharers?.includes(digest)),",
        to: "holder.fence === fence,",
      },
    ],
    foundBy: {
      file: "test/unit/stores/document/format/strangers.test.ts",
      test: "a lease with another token releases nothing",
    },
  },
  {
    name: "an expiry is judged by another machine's clock",
    peer: "DND-IT/action-lock",
    report: "https://github.com/DND-IT/action-lock",
    changes: [
      {
        file: "src/stores/document/protocol/judge.ts",
        from: 'if (isOver(observations.unrefreshedSince(holder), ttl)) return "expired";',
        to: 'if (now - Date.parse(holder.renewed) >= ttl) return "expired";',
      },
    ],
    foundBy: {
      file: "test/unit/stores/document/format/strangers.test.ts",
      test: "a holder whose clock is hours behind is not taken for expired",
    },
  },
  {
    name: "a ttl is never renewed",
    peer: "releasetools/mutex",
    report: "https://github.com/releasetools/mutex",
    changes: [
      {
        file: "src/stores/document/holding/holding.ts",
        from: "else if (performance.now() >= this.#clock.renewAt) await this.#renew();",
        to: "",
      },
    ],
    foundBy: {
      file: "test/unit/stores/document/format/strangers.test.ts",
      test: "a hold that is renewed outlives its ttl",
    },
  },
];
