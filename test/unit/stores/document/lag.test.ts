import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { inLine, request, stage } from "./kit.ts";

const { open, document } = stage();

describe("reads that lag", () => {
  test("a release right after the claim is not taken for gone, nor a holder for lost", async () => {
    const { store, register } = open();
    const holding = await store.claim(request("a"));
    register.faults.lag = () => 1;
    await delay(100);
    expect(holding.lost.aborted).toBe(false);
    expect(await holding.release()).toBe("released");
  });

  test("a claim that does not wait is not refused because of a lock that was just let go", async () => {
    const { store, register } = open();
    register.faults.lag = () => 1;
    for (const id of ["a", "b", "c"]) {
      const holding = await store.claim(request(id), { timeout: 0 });
      expect(await holding.release()).toBe("released");
    }
  });

  test("a claim in line does not join a second time", async () => {
    const [one, other] = [open(), open()];
    const first = await one.store.claim(request("a"));
    const second = other.store.claim(request("b"));
    await inLine(one, 1);
    other.register.faults.lag = () => 1;
    await delay(100);
    expect(document().line.map(({ owner }) => owner)).toEqual(["b"]);
    expect(other.register.calls.swaps).toBe(1);
    delete other.register.faults.lag;
    await first.release();
    await second;
  });

  test("a turn that nobody takes is taken after the grace, though every other read lags", async () => {
    const [one, away, other] = [open(), open(), open()];
    const first = await one.store.claim(request("a"));
    away.store.claim(request("away")).catch(() => {});
    await inLine(one, 1);
    const next = other.store.claim(request("next"), { timeout: 20_000 });
    await inLine(one, 2);
    away.register.faults.latency = () => 60_000;
    await delay(30);
    await first.release();
    let reads = 0;
    // What it reads then is from before the release: as if nobody had left a turn untaken.
    other.register.faults.lag = () => ++reads % 2;
    const holding = await next;
    expect(holding.lease.owner).toBe("next");
    // One strong read for each that lags, and one before it concludes anything.
    expect(other.register.calls.strongReads).toBeLessThanOrEqual(reads / 2 + 5);
    expect(await holding.release()).toBe("released");
  });
});
