import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Silence, type Unanswered } from "../../../../src/stores/engines/socket.ts";

let unanswered: Unanswered[];
let told: string[];
let silence: Silence;

beforeEach(() => {
  vi.useFakeTimers();
  unanswered = [];
  told = [];
  silence = new Silence(unanswered, (lasted) => {
    told.push(lasted);
    silence.end();
  });
});
afterEach(() => vi.useRealTimers());

function send(patience: number): Unanswered {
  const request = { sentAt: performance.now(), patience };
  unanswered.push(request);
  silence.watch();
  return request;
}

function hear({ answers }: { answers: number }): void {
  silence.heard();
  unanswered.splice(0, answers);
  silence.watch();
}

test("a request without an answer is told after its patience, with the time since it was sent", () => {
  send(5_000);
  vi.advanceTimersByTime(4_999);
  expect([told, silence.hasHeard]).toEqual([[], false]);
  vi.advanceTimersByTime(1);
  expect(told).toEqual(["5s"]);
});

test("whatever is heard begins the wait anew, and the least patient request decides", () => {
  send(10_000);
  send(3_000);
  vi.advanceTimersByTime(2_000);
  hear({ answers: 0 });
  vi.advanceTimersByTime(2_999);
  expect([told, silence.hasHeard]).toEqual([[], true]);
  vi.advanceTimersByTime(1);
  expect(told).toEqual(["5s"]);
});

test("a connection on which nothing is asked may be silent for ever", () => {
  send(1_000);
  hear({ answers: 1 });
  vi.advanceTimersByTime(3_600_000);
  expect(told).toEqual([]);
});

test("a request that is given up ends the connection only where nothing came for a second", () => {
  const early = send(5_000);
  vi.advanceTimersByTime(999);
  silence.givenUp(early.sentAt);
  hear({ answers: 0 });
  vi.advanceTimersByTime(500);
  silence.givenUp(early.sentAt);
  expect(told).toEqual([]);
  const late = send(5_000);
  vi.advanceTimersByTime(1_000);
  silence.givenUp(late.sentAt);
  expect(told).toEqual(["1s"]);
  vi.advanceTimersByTime(60_000);
  expect(told).toEqual(["1s"]);
});
