import { expect } from "vitest";
import type { Claim, Party } from "../../../../../src/server/table/claim.ts";
import type { EndReason } from "../../../../../src/server/table/ends.ts";
import { LockTable } from "../../../../../src/server/table/table.ts";
import { createTokenMaker, fenceOf } from "../../../../../src/wire/token.ts";
import { isIdle, isOpen, type ReferenceTable } from "./reference.ts";

/** The real table, with the names that the model uses: numbers for parties and claims. */
export class World {
  monotonic = 0;
  wall = 1_763_287_200_000;
  readonly table: LockTable;
  readonly parties: Party[] = [];
  readonly claims: Claim[] = [];
  told: string[] = [];
  readonly #numbers = new Map<Claim, number>();
  #highestFence = 0;

  constructor(maxLocks: number, maxWaiters: number) {
    this.table = new LockTable({
      clock: { now: () => this.wall, monotonic: () => this.monotonic },
      makeToken: createTokenMaker(),
      maxLocks,
      maxWaiters,
      observer: { granted: (claim) => this.#checkFence(claim) },
    });
  }

  admit(): void {
    this.parties.push(
      this.table.admit({
        granted: (claim) => this.told.push(`${this.#numbers.get(claim)} granted`),
        ended: (claim, reason: EndReason) =>
          this.told.push(`${this.#numbers.get(claim)} ${reason}`),
      }),
    );
  }

  add(claim: Claim): void {
    this.#numbers.set(claim, this.claims.length);
    this.claims.push(claim);
  }

  knows(claim: Claim): boolean {
    return this.#numbers.has(claim);
  }

  party(index: number): Party {
    return this.parties[index] as Party;
  }

  #checkFence(claim: Claim): void {
    expect(claim.fence).toBeGreaterThan(this.#highestFence);
    expect(fenceOf(claim.token)).toBe(claim.fence);
    this.#highestFence = claim.fence;
  }

  /** Both tables say the same about everything, and what must always hold does. */
  compare(model: ReferenceTable): void {
    expect(this.told).toEqual(model.told);
    this.told = [];
    model.told = [];
    expect(this.table.keys).toBe(model.keys.size);
    let held = 0;
    let waiting = 0;
    for (const [name, key] of model.keys) {
      const entry = this.table.find(name);
      if (entry === undefined) throw new Error(`The table forgot the key ${name}.`);
      const holders = [...entry.holders];
      expect(holders.map((claim) => this.#numbers.get(claim))).toEqual(
        key.holders.map(({ id }) => id),
      );
      expect(
        Array.from(entry.waiters, (claim) => [
          this.#numbers.get(claim),
          claim.passed,
          claim.declared,
        ]),
      ).toEqual(key.waiters.map(({ id, passed, declared }) => [id, passed, declared]));
      expect(entry.freeze === null).toBe(key.frozen === null);
      expect([...entry.frozenSlots.keys()]).toEqual([...key.frozenSlots.keys()]);
      expect(entry.resources !== null).toBe(key.named);
      const waiters = [...entry.waiters];
      const open = [1, 2, 3].flatMap((weight) =>
        [-1, 0, 1].map((priority) => ({ weight, priority })),
      );
      expect(open.filter((share) => entry.isOpenTo(share))).toEqual(
        open.filter((share) => isOpen(key, share)),
      );
      if (entry.isOpenTo() && waiters.every(({ isPlain }) => isPlain)) {
        expect(waiters.filter(({ absent }) => !absent)).toEqual([]);
      }
      expect(holders.map((claim) => claim.slots)).toEqual(key.holders.map((claim) => claim.slots));
      const slots = holders.flatMap((claim) => claim.slots);
      expect(new Set(slots).size).toBe(slots.length);
      expect(Math.max(0, ...slots)).toBeLessThan(entry.limit);
      expect(entry.idle).toBe(isIdle(key));
      held += holders.length;
      waiting += key.waiters.length;
    }
    expect(this.table.held).toBe(held);
    expect(this.table.waiting).toBe(waiting);
  }
}
