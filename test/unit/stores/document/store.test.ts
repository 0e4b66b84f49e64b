import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Progress } from "../../../../src/lock/store.ts";
import { PATIENT, SOON_MS } from "../../../helpers/waiting.ts";
import { FAST, inLine, job, KEY, request, stage } from "./kit.ts";

const { open, document } = stage();

describe("economy", () => {
  test("a free lock costs two swaps and at most three reads, taken and let go", async () => {
    // A holder's own looks and heartbeats are none of it, however long it takes.
    const later = { holderLook: 600_000, heartbeat: 600_000, heartbeatDeadAfter: 6_000_000 };
    const { store, register } = open({}, { timing: later });
    const holding = await store.claim(request("a"));
    await holding.release();
    expect(register.calls.swaps).toBe(2);
    expect(register.calls.reads + register.calls.strongReads).toBeLessThanOrEqual(3);
    expect(register.calls.strongReads).toBe(0);
  });

  test("a promoted claim writes nothing but its place in line", async () => {
    const [one, other] = [open({ push: true, signs: true }), open({ push: true, signs: true })];
    const first = await one.store.claim(request("a"));
    const second = other.store.claim(request("b"));
    await inLine(one, 1);
    await first.release();
    await second;
    expect(other.register.calls.swaps).toBe(1);
    expect(document().holders.map(({ owner }) => owner)).toEqual(["b"]);
  });

  test("without signs of life a release leaves the key free, and the next one takes it", async () => {
    const [one, other] = [open(), open()];
    const first = await one.store.claim(request("a"));
    const second = other.store.claim(request("b"));
    await inLine(one, 1);
    await first.release();
    await second;
    expect(other.register.calls.swaps).toBe(2);
  });
});

describe("lost answers", () => {
  test.each(["stands", "never"] as const)(
    "claim, renew and release settle one that %s",
    async (how) => {
      const { store, register } = open();
      const loseOnce = () => {
        register.faults.lose = () => {
          delete register.faults.lose;
          return how;
        };
      };
      loseOnce();
      const holding = await store.claim(request("a"));
      loseOnce();
      await holding.renew();
      loseOnce();
      expect(await holding.release()).toBe("released");
      expect(document()).toMatchObject({ holders: [], line: [] });
      expect(await store.history(KEY, { limit: 10 })).toHaveLength(1);
    },
  );

  test("one that stood and was followed by others is still recognised", async () => {
    const [one, other] = [open(), open()];
    const holding = await one.store.claim(request("a"));
    one.register.faults.lose = () => {
      delete one.register.faults.lose;
      // Before the answer could be asked for, somebody else takes and leaves, again and again.
      one.register.faults.latency = () => 100;
      return "stands";
    };
    const released = holding.release();
    for (const id of ["b", "c", "d"])
      await (await other.store.claim(request(id), { timeout: null })).release();
    expect(await released).toBe("released");
  });

  test("a claim that gives up while a swap is in doubt leaves nothing that could still arrive", async () => {
    const { store, register } = open();
    register.faults.lose = () => "never";
    const before = register.calls.swaps;
    const claim = store.claim(request("a"), { timeout: 60 });
    await delay(100);
    delete register.faults.lose;
    await expect(claim).rejects.toMatchObject({ code: "TIMEOUT" });
    // The last of its swaps changed the version for which the lost ones were meant.
    expect(register.calls.swaps).toBeGreaterThan(before + 1);
    expect(document()).toMatchObject({ holders: [], line: [] });
  });
});

describe("a register that is away", () => {
  test("fails a claim that starts, soon, and says so", async () => {
    const { store, register } = open();
    register.faults.away = () => true;
    const began = performance.now();
    await expect(store.claim(request("a"))).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  test("fails a claim that starts when nobody answers at all", async () => {
    const { store, register } = open();
    register.faults.latency = () => 60_000;
    const began = performance.now();
    await expect(store.claim(request("a"))).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
    expect(performance.now() - began).toBeGreaterThan((FAST.startPatience as number) - 20);
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test("fails a break, a freeze and a thaw as soon, and waits longer where it has answered", async () => {
    const told: string[] = [];
    const timing = { startPatience: 60_000 };
    const onTrouble = (sentence: string) => void told.push(sentence);
    const { store, register } = open({}, { timing, onTrouble });
    const ask = [
      () => store.break(KEY, { reason: "r", owner: "admin" }),
      () => store.freeze(KEY, { reason: "r", duration: null, owner: "admin" }),
      () => store.thaw(KEY, { owner: "admin" }),
    ];
    register.faults.away = () => true;
    for (const change of ask)
      await expect(change()).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
    expect(told.length).toBeGreaterThan(0);
    for (const sentence of told) expect(sentence).toMatch(/Trying again for 100ms\.$/);
    // It answers, is away for longer than a start is tried again, and is back.
    let since: number | null = null;
    register.faults.away = (call) => {
      if (call === "swap") since ??= performance.now();
      return since !== null && performance.now() - since < 3 * (FAST.startRetry as number);
    };
    await store.freeze(KEY, { reason: "r", duration: null, owner: "admin" });
    expect(since).not.toBeNull();
    expect((await store.inspect(KEY)).frozen).toMatchObject({ by: "admin" });
  });

  test("for a moment, after it has answered: a start that took long goes on", async () => {
    const { store, register } = open({}, { timing: { startPatience: 60_000 } });
    register.faults.latency = () => {
      delete register.faults.latency;
      return 2 * (FAST.startRetry as number);
    };
    register.faults.away = (call) => {
      if (call === "swap") delete register.faults.away;
      return call === "swap";
    };
    const holding = await store.claim(request("a"));
    expect(register.faults.away).toBeUndefined();
    expect(await holding.release()).toBe("released");
  });

  test("that goes away in the middle of a start leaves nothing behind when it comes back", async () => {
    const { store, register } = open({}, { life: job("a") });
    register.faults.lose = () => {
      delete register.faults.lose;
      register.faults.away = () => true;
      return "stands";
    };
    const began = performance.now();
    await expect(store.claim(request("a"))).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
    expect(performance.now() - began).toBeLessThan(SOON_MS);
    expect(document().holders).toHaveLength(1);
    delete register.faults.away;
    await expect.poll(() => document().holders, PATIENT).toEqual([]);
  });

  test("is waited for by a claim in line, which says so", async () => {
    const [one, other] = [open(), open()];
    const first = await one.store.claim(request("a"));
    const told: Progress[] = [];
    const second = other.store.claim(request("b"), { onProgress: (each) => told.push(each) });
    await inLine(one, 1);
    other.register.faults.away = () => true;
    await delay(2 * (FAST.startPatience as number));
    expect(told.some(({ trouble }) => trouble?.includes("does not answer"))).toBe(true);
    delete other.register.faults.away;
    await first.release();
    expect((await second).lease.owner).toBe("b");
  });

  test("is tried again by a release", async () => {
    const { store, register } = open();
    const holding = await store.claim(request("a"));
    register.faults.away = () => true;
    setTimeout(() => delete register.faults.away, 300);
    expect(await holding.release()).toBe("released");
  });

  test("leaves a lock held where a release fails, and the next release succeeds", async () => {
    const { store, register } = open({}, { timing: { releasePatience: 100 }, life: job("a") });
    const holding = await store.claim(request("a"));
    register.faults.away = () => true;
    await expect(holding.release()).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
    delete register.faults.away;
    expect(holding.lost.aborted).toBe(false);
    expect(await holding.release()).toBe("released");
  });

  test("costs a holder its lock in time, where silence is death, and not before", async () => {
    const { store, register } = open();
    const holding = await store.claim(request("a", { deadAfter: 4_000 }));
    register.faults.away = () => true;
    const began = performance.now();
    await expect.poll(() => holding.lost.aborted, { timeout: 60_000 }).toBe(true);
    expect(performance.now() - began).toBeGreaterThan(1_200);
    expect(performance.now() - began).toBeLessThan(4_000);
    expect(holding.lost.reason).toMatchObject({ code: "LOCK_LOST" });
  });

  test("costs a job nothing: the forge is asked about it", async () => {
    const { store, register } = open({}, { life: job("a") });
    const holding = await store.claim(request("a", { deadAfter: 1_000 }));
    register.faults.away = () => true;
    await delay(1_500);
    delete register.faults.away;
    expect(holding.lost.aborted).toBe(false);
    expect(await holding.release()).toBe("released");
  });

  test("does not keep a cancelled claim, and its place in line is left later", async () => {
    const [one, other] = [open(), open()];
    const first = await one.store.claim(request("a"));
    const controller = new AbortController();
    const second = other.store.claim(request("b"), { signal: controller.signal });
    await inLine(one, 1);
    other.register.faults.away = () => true;
    controller.abort();
    await expect(second).rejects.toMatchObject({ code: "ABORTED" });
    delete other.register.faults.away;
    await inLine(one, 0);
    await first.release();
  });
});

describe("whether a job lives", () => {
  test("true and null keep its lock, false gives it to the next", async () => {
    let answer: boolean | null = true;
    const [one, other] = [open({}, { life: job("a") }), open({}, { alive: async () => answer })];
    const first = await one.store.claim(request("a"));
    const second = other.store.claim(request("b"));
    await inLine(other, 1);
    await delay(150);
    answer = null;
    await delay(150);
    expect(document().holders.map(({ owner }) => owner)).toEqual(["a"]);
    answer = false;
    const holding = await second;
    expect(holding.reclaimed).toEqual({ from: "a", reason: "HOLDER_DEAD" });
    await expect.poll(() => first.lost.aborted, { timeout: 60_000 }).toBe(true);
    expect(first.lost.reason.message).toContain("HOLDER_DEAD");
  });

  test("is asked by the first in line alone, and not all the time", async () => {
    let asked = 0;
    const alive = async () => {
      asked++;
      return true;
    };
    const [one, other] = [
      open({}, { life: job("a") }),
      open({}, { alive, timing: { askAgain: 200 } }),
    ];
    await one.store.claim(request("a"));
    const last = open({}, { alive: async () => Promise.reject(new Error("asked the wrong one")) });
    void other.store.claim(request("b")).catch(() => {});
    await inLine(one, 1);
    void last.store.claim(request("c")).catch(() => {});
    await inLine(one, 2);
    await delay(500);
    expect(asked).toBeGreaterThan(1);
    expect(asked).toBeLessThan(6);
  });

  test("a claim in line whose job is over is passed over at once", async () => {
    const dead = open({}, { life: job("dead") });
    const alive = async ({ job: id }: { job?: string | null }) => id !== "dead";
    const other = open({}, { life: job("b"), alive: alive as never, timing: { grace: 60_000 } });
    const holder = open({}, { life: job("a") });
    const first = await holder.store.claim(request("a"));
    void dead.store.claim(request("dead")).catch(() => {});
    await inLine(holder, 1);
    const second = other.store.claim(request("b"));
    await inLine(holder, 2);
    dead.register.faults.latency = () => 60_000;
    await delay(30);
    await first.release();
    expect((await second).lease.owner).toBe("b");
  });
});

describe("a turn that nobody takes", () => {
  test("is taken by the next after the grace, and the one that was away joins again", async () => {
    const [one, away, other] = [open(), open(), open()];
    const first = await one.store.claim(request("a"));
    const told: Progress[] = [];
    const slow = away.store.claim(request("slow"), { onProgress: (each) => told.push(each) });
    await inLine(one, 1);
    const next = other.store.claim(request("next"));
    await inLine(one, 2);
    away.register.faults.latency = () => 1_500;
    await delay(50);
    await first.release();
    const began = performance.now();
    const holding = await next;
    expect(performance.now() - began).toBeGreaterThan((FAST.grace as number) - 50);
    delete away.register.faults.latency;
    await inLine(one, 1);
    await holding.release();
    expect((await slow).lease.owner).toBe("slow");
    expect(told.some(({ trouble }) => trouble?.includes("joined again"))).toBe(true);
  });

  test("is no newcomer's, also without waiting", async () => {
    const [one, slow, hasty] = [open(), open(), open()];
    const first = await one.store.claim(request("a"));
    const turn = slow.store.claim(request("slow"));
    await inLine(one, 1);
    slow.register.faults.latency = () => 150;
    await delay(30);
    await first.release();
    await expect(hasty.store.claim(request("hasty"), { timeout: 0 })).rejects.toMatchObject({
      code: "TIMEOUT",
    });
    expect((await turn).lease.owner).toBe("slow");
  });
});

describe("closing", () => {
  test("ends the claims that still wait, and they leave the line", async () => {
    const [one, other] = [open(), open()];
    await one.store.claim(request("a"));
    const second = other.store.claim(request("b"));
    await inLine(one, 1);
    const ended = expect(second).rejects.toMatchObject({ code: "ABORTED" });
    await other.store.close();
    await ended;
    expect(document().line).toEqual([]);
  });
});
