import { beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../../../src/lock/time.ts";
import { Memory } from "../../../../contract/register/memory/register.ts";
import { documentIn, KEY, openOn, request } from "../kit.ts";

let memory: Memory;
beforeEach(() => {
  memory = new Memory();
});

describe("a lock is its holder's alone", () => {
  test("a release that is tried again leaves the next holder alone", async () => {
    const { store } = openOn(memory);
    const first = await store.claim(request("a"));
    await first.release();
    const second = await store.claim(request("b"));
    expect(await store.release(first.lease)).toBe("already-gone");
    expect(await store.verify(second.lease)).toBe(true);
    expect(documentIn(memory).holders.map(({ owner }) => owner)).toEqual(["b"]);
  });

  test("a lease with another token releases nothing", async () => {
    const { store } = openOn(memory);
    const { lease } = await store.claim(request("a"));
    const forged = { ...lease, token: "0".repeat(lease.token.length) };
    expect(await store.release(forged)).toBe("already-gone");
    expect(await store.verify(lease)).toBe(true);
  });

  test("a holder whose clock is hours behind is not taken for expired", async () => {
    const behind = { ...systemClock, now: () => Date.now() - 7_200_000 };
    const { store } = openOn(memory, {}, { clock: behind });
    const holding = await store.claim(request("a", { ttl: 60_000 }));
    const other = openOn(memory);
    await expect(other.store.claim(request("b"), { timeout: 300 })).rejects.toMatchObject({
      code: "TIMEOUT",
    });
    expect(await holding.release()).toBe("released");
  });

  test("a hold that is renewed outlives its ttl", async () => {
    const { store } = openOn(memory);
    const holding = await store.claim(request("a", { ttl: 1_000 }));
    const other = openOn(memory);
    await expect(other.store.claim(request("b"), { timeout: 2_500 })).rejects.toMatchObject({
      code: "TIMEOUT",
    });
    expect(holding.lost.aborted).toBe(false);
    expect(documentIn(memory).holders.map(({ owner }) => owner)).toEqual(["a"]);
    expect(await store.inspect(KEY)).toMatchObject({ holders: [{ owner: "a" }] });
  });
});
