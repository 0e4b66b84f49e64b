import { describe, expect, it } from "vitest";
import { Claim, type Listener } from "../../../../src/server/table/claim.ts";
import type { EndReason } from "../../../../src/server/table/ends.ts";
import { LockTable } from "../../../../src/server/table/table.ts";
import type { TableOptions } from "../../../../src/server/table/types.ts";
import { createTokenMaker } from "../../../../src/wire/token.ts";

function createTable(options: Partial<TableOptions> = {}) {
  const time = { now: 1_763_287_200_000, monotonic: 0 };
  const table = new LockTable({
    clock: { now: () => time.now, monotonic: () => time.monotonic },
    makeToken: createTokenMaker(),
    maxLocks: 0,
    maxWaiters: 0,
    ...options,
  });
  return { table, time };
}

const NOBODY: Listener = { granted() {}, ended() {} };

function must(result: Claim | string): Claim {
  if (result instanceof Claim) return result;
  throw new Error(`It was refused: ${result}.`);
}

describe("the lock table", () => {
  it("resets the lease when the second phase comes", () => {
    const { table, time } = createTable();
    const party = table.admit(NOBODY);
    const claim = must(table.enqueue(party, "k", 1, 1_000));
    time.monotonic = 900;
    expect(table.attend(party, "k")).toBe(claim);
    time.monotonic = 1_800;
    table.sweep();
    expect(claim.state).toBe("held");
    time.monotonic = 1_900;
    table.sweep();
    expect(claim.state).toBe("over");
  });

  it("has no lock for a second phase that comes when the lease is over, also before a sweep", () => {
    const { table, time } = createTable();
    const [late, next] = [table.admit(NOBODY), table.admit(NOBODY)];
    must(table.enqueue(late, "k", 1, 1_000));
    const waiting = must(table.claim(next, "k", 1, 1_000));
    time.monotonic = 1_001;
    expect(table.attend(late, "k")).toBe("not-enqueued");
    expect(waiting.state).toBe("held");
  });

  it("gives a claim to the party that renews it when its own is gone", () => {
    const { table } = createTable();
    const [first, second] = [table.admit(NOBODY), table.admit(NOBODY)];
    const claim = must(table.claim(first, "k", 1, 1_000));
    table.dismiss(first, false);
    expect(claim.state).toBe("held");
    expect(table.renew(second, "k", claim.token, 1_000)).toBe(claim);
    expect(claim.party).toBe(second);
    table.dismiss(second, true);
    expect(claim.state).toBe("over");
  });

  it("does not take a claim over together with the first phase in which it was made", () => {
    const { table } = createTable();
    const [first, second] = [table.admit(NOBODY), table.admit(NOBODY)];
    const claim = must(table.enqueue(first, "k", 1, 1_000));
    table.dismiss(first, false);
    table.renew(second, "k", claim.token, 1_000);
    const own = must(table.enqueue(second, "k", 1, 1_000));
    table.release("k", claim.token);
    expect(table.attend(second, "k")).toBe(own);
  });

  it("leaves a claim with its party when another renews it", () => {
    const { table } = createTable();
    const [first, second] = [table.admit(NOBODY), table.admit(NOBODY)];
    const claim = must(table.claim(first, "k", 1, 1_000));
    table.renew(second, "k", claim.token, 1_000);
    table.dismiss(second, true);
    expect([claim.state, claim.party]).toEqual(["held", first]);
  });

  it("gives a claim to another party of the same owner that renews it: the old one may be dead", () => {
    const { table } = createTable();
    const [first, second] = [table.admit(NOBODY), table.admit(NOBODY)];
    const introduction = { owner: { id: "ci-github-1-1-deploy", metadata: {} }, note: null };
    first.introduction = introduction;
    second.introduction = introduction;
    const claim = must(table.claim(first, "k", 1, 1_000));
    table.renew(second, "k", claim.token, 1_000);
    table.dismiss(first, true);
    expect([claim.state, claim.party]).toEqual(["held", second]);
    table.dismiss(second, true);
    expect(claim.state).toBe("over");
  });

  it("does not give a party that leaves what it let go itself", () => {
    const granted: Claim[] = [];
    const { table } = createTable({ observer: { granted: (claim) => granted.push(claim) } });
    const [first, second] = [table.admit(NOBODY), table.admit(NOBODY)];
    const held = must(table.claim(first, "k", 1, 1_000));
    must(table.claim(first, "k", 1, 1_000));
    const next = must(table.claim(second, "k", 1, 1_000));
    table.dismiss(first, true);
    expect(granted).toEqual([held, next]);
  });

  it("breaks one slot or all, and those in line move up", () => {
    const { table } = createTable();
    const party = table.admit(NOBODY);
    const claims = [1, 2, 3, 4].map(() => must(table.claim(party, "k", 2, 1_000)));
    expect(table.break("k", 1)).toEqual([claims[1]]);
    expect(claims.map(({ state }) => state)).toEqual(["held", "over", "held", "waiting"]);
    expect(claims[2]?.slot).toBe(1);
    expect(table.break("k")).toEqual([claims[0], claims[2]]);
    expect(claims[3]?.state).toBe("held");
    expect(table.break("free")).toEqual([]);
  });

  it("tells storage of every change, and goes on from the fence that it is given", () => {
    const changes: string[] = [];
    const lastFence = 1_800_000_000_000_000;
    const { table, time } = createTable({
      lastFence,
      observer: {
        granted: ({ fence }) => changes.push(`granted ${fence - lastFence}`),
        renewed: ({ lease }) => changes.push(`renewed ${lease}`),
        ended: (_, reason: EndReason, wasHeld) => changes.push(`${reason} ${wasHeld}`),
      },
    });
    const party = table.admit(NOBODY);
    const claim = must(table.claim(party, "k", 1, 1_000));
    const second = must(table.claim(party, "k", 1, 1_000));
    table.renew(party, "k", claim.token, 2_000);
    table.withdraw(second);
    table.claim(party, "k", 1, 1_000);
    table.release("k", claim.token);
    time.monotonic = 5_000;
    table.sweep();
    expect(changes).toEqual([
      "granted 1",
      "renewed 2000",
      "withdrawn false",
      "released true",
      "granted 2",
      "expired true",
    ]);
  });

  it("counts fences on while the clock stands still, and never back", () => {
    const { table, time } = createTable();
    const party = table.admit(NOBODY);
    const fences = Array.from({ length: 3_000 }, (_, index) => {
      if (index === 1_500) time.now -= 3_600_000;
      const claim = must(table.claim(party, `k${index}`, 1, 1_000));
      return claim.fence;
    });
    expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
    expect(fences[0]).toBe(1_763_287_200_000_000);
  });
});
