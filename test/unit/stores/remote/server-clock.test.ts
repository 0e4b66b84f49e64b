import { expect, onTestFinished, test, vi } from "vitest";
import { ServerClock } from "../../../../src/stores/remote/server-clock.ts";

/** Milliseconds since this process began; an answer takes none unless a test says so. */
function timeline() {
  let now = 1_000;
  const spy = vi.spyOn(performance, "now").mockImplementation(() => now);
  onTestFinished(() => spy.mockRestore());
  return {
    get now() {
      return now;
    },
    pass(milliseconds: number) {
      now += milliseconds;
    },
  };
}

test("a time that is told in whole seconds never goes back, and is never ahead of the server's", () => {
  const local = timeline();
  const clock = new ServerClock();
  const start = 1_700_000_000_000;
  const serverTime = () => start + local.now;
  let last = 0;
  for (let answer = 0; answer < 500; answer++) {
    const sentAt = local.now;
    local.pass(answer % 7);
    const told = Math.floor(serverTime() / 1_000) * 1_000;
    local.pass(answer % 5);
    clock.heard(told, sentAt, 1_000);
    const now = clock.now ?? Number.NaN;
    expect(now).toBeGreaterThanOrEqual(last);
    expect(now).toBeLessThanOrEqual(serverTime());
    expect(clock.latest).toBeGreaterThanOrEqual(serverTime());
    last = now;
    local.pass(137);
  }
  // By then a second has begun while it was asked, and it is known closely.
  expect(serverTime() - last).toBeLessThan(300);
});

test("a server's clock that is set is believed, forwards and back", () => {
  const local = timeline();
  const clock = new ServerClock();
  clock.heard(50_000, local.now, 1_000);
  local.pass(100);
  for (const time of [3_650_000, 20_000]) {
    clock.heard(time, local.now, 1_000);
    expect(clock.now).toBe(time);
  }
});

test("what was heard long ago does not outweigh what is heard now", () => {
  const local = timeline();
  const clock = new ServerClock();
  clock.heard(0, local.now, 1_000);
  local.pass(3_600_000);
  // In an hour one of the two clocks has lost a second.
  clock.heard(3_599_000, local.now, 1_000);
  expect(clock.now).toBe(3_599_000);
});
