import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { LockError } from "../../../../src/lock/errors.ts";
import type { Holding, Progress } from "../../../../src/lock/store.ts";
import { changeSigns, FAST, inLine, job, type Opened, request, stage } from "./kit.ts";

const { open, document } = stage();

describe("a grant whose answer is late", () => {
  const deadAfter = 1_000;
  const once = ({ register }: Opened, pause: number) => {
    register.faults.late = () => {
      delete register.faults.late;
      return pause;
    };
  };

  test("is not handed out where its silence was taken for death: the claim joins again", async () => {
    const [slow, other] = [open(), open()];
    once(slow, 3 * deadAfter);
    const told: Progress[] = [];
    const late = slow.store.claim(request("slow", { deadAfter }), {
      onProgress: (each) => told.push(each),
    });
    await expect.poll(() => slow.register.calls.swaps, { interval: 2 }).toBe(1);
    const robber = await other.store.claim(request("other"));
    expect(robber.reclaimed).toEqual({ from: "slow", reason: "HOLDER_DEAD" });
    await inLine(other, 1);
    expect(document().holders.map(({ owner }) => owner)).toEqual(["other"]);
    await expect
      .poll(() => told.map(({ trouble }) => trouble), { interval: 2 })
      .toContainEqual(expect.stringContaining("too late"));
    expect(await robber.release()).toBe("released");
    const holding = await late;
    expect(holding.lost.aborted).toBe(false);
    expect(document().holders.map(({ fence }) => fence)).toEqual([holding.lease.fence]);
    expect(await holding.release()).toBe("released");
  });

  test("is renewed before it is handed out where nobody has taken it yet", async () => {
    const slow = open();
    once(slow, deadAfter - 100);
    const holding = await slow.store.claim(request("slow", { deadAfter }));
    // The claim, and the renewal.
    expect(slow.register.calls.swaps).toBe(2);
    const [holder] = document().holders;
    expect(holder?.beat).not.toBe(document().nonces.at(-1));
    expect(await holding.release()).toBe("released");
  });
});

test("a proof of a late grant that is late itself is made again: the lock may be another's by then", async () => {
  const [slow, other] = [open({ signs: true }), open({ signs: true })];
  const deadAfter = 1_000;
  let isCut = false;
  changeSigns(slow.register, (renew) => async (options) => {
    if (isCut) throw new LockError("STORE_UNREACHABLE", "The network is cut.");
    return renew(options);
  });
  const robbed = Promise.withResolvers<Holding>();
  const swap = slow.register.swap.bind(slow.register);
  let swaps = 0;
  slow.register.swap = async (...args) => {
    const answer = await swap(...args);
    swaps++;
    // First the grant, then the swap that shows that it is still there: both stand, and are answered late.
    isCut = swaps <= 2;
    if (swaps === 1) await delay(deadAfter);
    if (swaps === 2) robbed.resolve(await other.store.claim(request("other", { deadAfter })));
    isCut = false;
    return answer;
  };
  const late = slow.store.claim(request("slow", { deadAfter }));
  const robber = await robbed.promise;
  await Promise.race([late, inLine(other, 1)]);
  expect(await robber.release()).toBe("released");
  const holding = await late;
  expect(holding.lease.fence).toBeGreaterThan(robber.lease.fence as number);
  expect(await holding.release()).toBe("released");
});

test("a sign of life that nobody answers is asked for again, and no timer is told to the claim", async () => {
  const only = open({ signs: true }, { timing: { startRetry: 60_000 } });
  let asked = 0;
  changeSigns(only.register, (renew) => async (options) => {
    const signal = options?.signal as AbortSignal;
    if (++asked > 1) return renew(options);
    await new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  });
  const holding = await only.store.claim(request("only", { deadAfter: 1_000 }));
  expect(asked).toBeGreaterThan(1);
  expect(await holding.release()).toBe("released");
});

test("a holder that was stopped until it was time to give up shows once more that it lives", async () => {
  const only = open({ signs: true, faults: { latency: () => 20 } });
  // A twelfth of it, for which the last try is waited, is no whole number of milliseconds.
  const holding = await only.store.claim(request("only", { deadAfter: 6_001 }));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4_500);
  const { signs } = only.register.calls;
  await expect.poll(() => only.register.calls.signs).toBeGreaterThan(signs);
  expect(holding.lost.aborted).toBe(false);
  expect(await holding.release()).toBe("released");
});

describe("a holder and the first in line that die together", () => {
  /** From now on this process says nothing more. */
  const dies = ({ register }: Opened) => {
    register.faults.latency = () => 600_000;
  };

  test("are both found out by the second, where the forge tells", async () => {
    const gone = new Set<string | null | undefined>();
    const alive = async ({ job: id }: { job?: string | null }) => !gone.has(id);
    const [holder, first] = [open({}, { life: job("a") }), open({}, { life: job("b") })];
    const second = open({}, { life: job("c"), alive: alive as never });
    await holder.store.claim(request("a"));
    void first.store.claim(request("b")).catch(() => {});
    await inLine(second, 1);
    const last = second.store.claim(request("c"));
    await inLine(second, 2);
    for (const each of [holder, first]) dies(each);
    gone.add("a").add("b");
    const { lease, reclaimed } = await last;
    expect(lease.owner).toBe("c");
    expect(reclaimed).toEqual({ from: "a", reason: "HOLDER_DEAD" });
    expect(document().line).toEqual([]);
  });

  test("are both passed over where only their silence tells", async () => {
    const [holder, first, second] = [open(), open(), open()];
    const deadAfter = 1_000;
    await holder.store.claim(request("a", { deadAfter }));
    void first.store.claim(request("b", { deadAfter })).catch(() => {});
    await inLine(second, 1);
    const last = second.store.claim(request("c", { deadAfter }));
    await inLine(second, 2);
    for (const each of [holder, first]) dies(each);
    const began = performance.now();
    const { lease, reclaimed } = await last;
    expect(lease.owner).toBe("c");
    expect(reclaimed).toEqual({ from: "a", reason: "HOLDER_DEAD" });
    // The first in line had its grace.
    const heartbeat = FAST.heartbeat as number;
    const least = deadAfter - heartbeat + (FAST.grace as number);
    expect(performance.now() - began).toBeGreaterThan(least - 100);
  });

  test("one of them by its silence alone, and the other by the forge", async () => {
    let answer = true;
    const holder = open({}, { life: job("a") });
    const [first, second] = [open(), open({}, { alive: async () => answer })];
    await holder.store.claim(request("a"));
    void first.store.claim(request("b")).catch(() => {});
    await inLine(second, 1);
    const last = second.store.claim(request("c"));
    await inLine(second, 2);
    for (const each of [holder, first]) dies(each);
    answer = false;
    expect((await last).lease.owner).toBe("c");
  });
});
