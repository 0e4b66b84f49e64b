import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Forecast } from "../../../src/forecast/forecast.ts";
import { forecastStatus } from "../../../src/forecast/status.ts";
import { LockError } from "../../../src/lock/errors.ts";
import type { Hold, ReadHistory } from "../../../src/lock/history.ts";
import type { Holder } from "../../../src/lock/status.ts";
import { PLAIN_KEY, PLAIN_WAITER } from "../../../src/lock/status.ts";
import type { Progress } from "../../../src/lock/store.ts";
import { hold, holder, NOW } from "./holds.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

function progress(position: number, ...holders: Holder[]): Progress {
  return { position, waiting: position, holders };
}

const HOLDS = [5, 6, 7].map((minutes) => hold(minutes));

function scene(history: ReadHistory | null) {
  const told: Progress[] = [];
  const forecast = new Forecast({ slots: 1, history, onProgress: (each) => told.push(each) });
  return { told, forecast };
}

/** A history that answers when the test says so. */
function slowHistory() {
  const reads: PromiseWithResolvers<readonly Hold[]>[] = [];
  const history = () => {
    const read = Promise.withResolvers<readonly Hold[]>();
    reads.push(read);
    return read.promise;
  };
  return { reads, history };
}

const settled = () => vi.advanceTimersByTimeAsync(0);

describe("a forecast", () => {
  test("adds the turn to each report, without the names of those ahead", async () => {
    const { told, forecast } = scene(async () => HOLDS);
    forecast.update({ ...progress(2, holder("a")), ahead: [{ owner: "b", metadata: {} }] });
    await settled();
    expect(told).toMatchObject([{ position: 2, estimate: { holds: 3, usual: 360 } }]);
    expect(told[0]).not.toHaveProperty("ahead");
  });

  test("knows the weights of those ahead, and which slots are frozen by themselves", async () => {
    const forecastOf = async (more: Partial<Progress>) => {
      const told: Progress[] = [];
      const options = { slots: 2, history: async () => HOLDS };
      const forecast = new Forecast({ ...options, onProgress: (each) => told.push(each) });
      const holders = [0, 1].map((slot) => ({ ...holder(`h${slot}`), slot, slots: [slot] }));
      forecast.update({ ...progress(2, ...holders), ...more });
      await settled();
      return told[0]?.estimate?.likely ?? null;
    };
    const other = { owner: "b", metadata: {} };
    const light = await forecastOf({ ahead: [{ ...other, weight: 1 }] });
    expect(await forecastOf({ ahead: [{ ...other, weight: 2 }] })).toBeGreaterThan(light ?? 0);
    const freeze = { by: "ann", reason: "broken", since: "2026-11-16T09:00:00.000Z", until: null };
    const frozenSlots = [{ ...freeze, slot: 1 }];
    expect(await forecastOf({ ahead: [other], frozenSlots })).toBeGreaterThan(light ?? 0);
    expect(await forecastOf({ ahead: [{ ...other, weight: 2 }], frozenSlots })).toBeNull();
  });

  test("reads the history once, and again when another one holds the key", async () => {
    const history = vi.fn(async () => HOLDS);
    const { forecast } = scene(history);
    forecast.update(progress(2, holder("a")));
    forecast.update(progress(2, holder("a")));
    await settled();
    forecast.update(progress(1, holder("a")));
    expect(history).toHaveBeenCalledTimes(1);
    forecast.update(progress(1, holder("b", 0)));
    expect(history).toHaveBeenCalledTimes(2);
  });

  test("waits for the history a moment, then tells what it knows", async () => {
    const { reads, history } = slowHistory();
    const { told, forecast } = scene(history);
    forecast.update(progress(2, holder("a")));
    forecast.update(progress(1, holder("a")));
    expect(told).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(told).toMatchObject([{ position: 1, estimate: null }]);
    reads[0]?.resolve(HOLDS);
    await settled();
    forecast.update(progress(1, holder("a")));
    expect(told[1]?.estimate).not.toBeNull();
  });

  test("goes on without, where there is no history or it cannot be read", async () => {
    for (const history of [
      null,
      async () => [],
      async () => {
        throw new LockError("NOT_SUPPORTED", "none");
      },
    ]) {
      const { told, forecast } = scene(history);
      forecast.update(progress(1, holder("a")));
      await settled();
      expect(told).toMatchObject([{ position: 1, estimate: null }]);
    }
  });

  test("tells nothing after the end", async () => {
    const { reads, history } = slowHistory();
    const { told, forecast } = scene(history);
    forecast.update(progress(1, holder("a")));
    forecast.end();
    reads[0]?.resolve(HOLDS);
    await vi.advanceTimersByTimeAsync(2_000);
    forecast.update(progress(1, holder("b")));
    expect(told).toEqual([]);
  });

  test("a holder without a beginning that came while the claim waited began then", async () => {
    const { told, forecast } = scene(async () => HOLDS);
    forecast.update(progress(1, holder("connection-1", null)));
    await settled();
    // It may have begun long ago.
    expect(told[0]?.estimate?.lower).toBeLessThan(60);
    forecast.update(progress(1, holder("connection-2", null)));
    await settled();
    expect(told[1]?.estimate?.lower).toBeGreaterThan(120);
    await vi.advanceTimersByTimeAsync(4 * 60_000);
    forecast.update(progress(1, holder("connection-2", null)));
    expect(told[2]?.estimate?.upper).toBeLessThan(told[1]?.estimate?.upper as number);
  });
});

describe("a status", () => {
  const waiter = (position: number) => ({
    owner: `w${position}`,
    since: new Date(NOW).toISOString(),
    position,
    ...PLAIN_WAITER,
    alive: true,
    note: null,
    metadata: {},
  });

  test("tells everybody's turn in line, and that of a claim that would come now", () => {
    const status = {
      key: "k",
      store: "file:/x",
      slots: 1,
      ...PLAIN_KEY,
      holders: [holder("a")],
      waiting: 2,
      waiters: [waiter(1), waiter(2)],
      frozen: null,
    };
    const { waiters, estimate } = forecastStatus(status, HOLDS, NOW);
    const uppers = [...waiters.map((each) => each.estimate?.upper), estimate?.upper] as number[];
    expect(uppers).toEqual(uppers.toSorted((one, other) => one - other));
    expect(forecastStatus(status, [], NOW)).toMatchObject({
      waiters: [{ estimate: null }, { estimate: null }],
      estimate: null,
    });
  });

  test("of a free key tells nothing", () => {
    const free = {
      key: "k",
      store: "s",
      slots: 1,
      ...PLAIN_KEY,
      holders: [],
      waiting: 0,
      waiters: [],
      frozen: null,
    };
    expect(forecastStatus(free, HOLDS, NOW).estimate).toBeNull();
  });
});
