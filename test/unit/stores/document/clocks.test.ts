import { describe, expect, test } from "vitest";
import { systemClock } from "../../../../src/lock/time.ts";
import { inLine, KEY, type Opened, request, stage } from "./kit.ts";

const { open, document, memory } = stage();

const HOUR = 3_600_000;
const run = { id: "github.com/o/r/runs/1/attempts/1", forge: null };

/** A store on a machine whose wall clock is wrong by so much. */
function wrong(by: number, clock = true): Opened {
  const shifted = { ...systemClock, now: () => Date.now() + by };
  return open({ clock }, { clock: shifted });
}

describe.each([
  ["an engine that tells its time", true],
  ["an engine that tells none", false],
])("wall clocks that are wrong by 7 h, on %s", (_, clock) => {
  test.each([
    ["a run", { run, ttl: 6 * HOUR }],
    ["a detached hold", { ttl: 6 * HOUR, refresh: false, life: { kind: "until", at: null } }],
  ])("take nothing from %s, whose ttl is 6 h", async (_, more) => {
    for (const by of [-7 * HOUR, 7 * HOUR]) {
      const holder = wrong(by, clock);
      const key = `${KEY}${by}`;
      const first = await holder.store.claim({ ...request("a", more), key });
      for (const other of [wrong(0, clock), wrong(-by, clock)]) {
        const claim = other.store.claim({ ...request("b"), key }, { timeout: 0 });
        await expect(claim).rejects.toMatchObject({ code: "TIMEOUT" });
        expect((await other.store.inspect(key)).holders[0]?.reclaimable).toBe(null);
      }
      expect(first.lost.aborted).toBe(false);
    }
  });

  test("do not end a freeze early, and a claim in line gets the key when it is over", async () => {
    const [admin, other] = [wrong(-7 * HOUR, clock), wrong(7 * HOUR, clock)];
    await admin.store.freeze(KEY, { reason: "r", duration: 1_500, owner: "admin" });
    const began = performance.now();
    const claim = other.store.claim(request("b"));
    await inLine(other, 1);
    await claim;
    expect(performance.now() - began).toBeGreaterThan(1_300);
  });

  test("do not end the hold of its own run for a later job of it", async () => {
    const first = await wrong(-7 * HOUR, clock).store.claim(request("a", { run, ttl: 6 * HOUR }));
    const shared = await wrong(7 * HOUR, clock).store.claim(request("b", { run, ttl: 6 * HOUR }));
    expect(shared.lease.fence).toBe(first.lease.fence);
    expect(shared.lost.aborted).toBe(false);
  });
});

test("a hold of an earlier version, which has no end by the engine's clock, is watched out", async () => {
  const one = open();
  await one.store.claim(request("a", { run, ttl: 1_000 }));
  // As an earlier version wrote it, on a machine whose clock was wrong.
  const { ends: _, ...holder } = document().holders[0] as NonNullable<
    ReturnType<typeof document>["holders"][number]
  >;
  const since = new Date(Date.now() - 7 * HOUR).toISOString();
  const text = JSON.stringify({ ...document(), holders: [{ ...holder, since }] });
  const { version } = memory().current(KEY, 0);
  memory().swap(KEY, version, text);
  const other = open();
  const claim = other.store.claim(request("b"), { timeout: 0 });
  await expect(claim).rejects.toMatchObject({ code: "TIMEOUT" });
  const next = await other.store.claim(request("b"));
  expect(next.reclaimed).toMatchObject({ from: "a", reason: "LOCK_EXPIRED" });
});

test("a hold that could not be written at first has its whole time from when it could", async () => {
  const { store, register } = open({}, { timing: { startPatience: 60_000 } });
  const tried: string[] = [];
  const swap = register.swap.bind(register);
  register.swap = (key, version, next, ...more) => {
    tried.push(next);
    return swap(key, version, next, ...more);
  };
  register.faults.away = (call) => call === "swap" && tried.length <= 3;
  await store.claim(request("a", { run, ttl: 6 * HOUR }));
  expect(tried).toHaveLength(4);
  // Each of them was decided anew, with the times of that moment.
  expect(new Set(tried).size).toBe(4);
});
