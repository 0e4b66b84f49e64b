import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LeaseClock } from "../../../../src/stores/remote/lease-clock.ts";
import { tcpPace } from "../../../../src/stores/tcp/server.ts";

const leases = fc.integer({ min: 1, max: 86_400 });
const moments = fc.integer({ min: 0, max: 10_000_000 });

describe("when a holder speaks", () => {
  it.each([
    [undefined, 7_000, 20_000, 23_000],
    [23, 7_000, 20_000, 23_000],
    // A server that waits longer than usual is not relied upon.
    [600, 7_000, 20_000, 23_000],
    [2.3, 700, 2_000, 2_300],
    // What no server of ours says.
    [0, 7_000, 20_000, 23_000],
    [Number.NaN, 7_000, 20_000, 23_000],
  ])(
    "a server with a read timeout of %s s hears from it every %i ms",
    (told, speak, giveUp, end) => {
      const clock = new LeaseClock(3_600, 0, tcpPace(told));
      expect([clock.nextAt, clock.giveUpAt, clock.endsAt].map(Math.round)).toEqual([
        speak,
        giveUp,
        end,
      ]);
    },
  );

  it.each([
    [1, 333],
    [6, 2_000],
    [30, 7_000],
    [3_600, 7_000],
  ])("a lease of %i s is renewed after %i ms", (seconds, after) => {
    expect(Math.floor(new LeaseClock(seconds, 0, tcpPace()).nextAt)).toBe(after);
  });

  it("asks elsewhere while there is time, whatever the lease, and gives up before it is over", () => {
    fc.assert(
      fc.property(leases, moments, (seconds, at) => {
        const clock = new LeaseClock(seconds, at, tcpPace());
        clock.sent(clock.nextAt);
        const elsewhere = clock.nextAt;
        expect(elsewhere + clock.patience).toBeLessThanOrEqual(clock.giveUpAt + 0.001);
        expect(clock.giveUpAt).toBeLessThan(clock.endsAt);
        expect(clock.endsAt).toBe(at + Math.min(seconds, 23) * 1_000);
        // The command under the lock has some time to end.
        expect(clock.endsAt - clock.giveUpAt).toBeGreaterThanOrEqual(
          Math.min(seconds * 333, 3_000),
        );
      }),
    );
  });

  it.each([
    // Over TCP the server's patience of 23 s decides, not the lease.
    [30, 10_000, 12_500],
    [30, 2_000, 20_000],
    // What needs longer than the lease is given what the lease allows.
    [30, 600_000, 7_667],
    [6, 3_000, 2_500],
  ])(
    "with a lease of %i s and a grace of %i ms it gives up after %i ms",
    (seconds, grace, after) => {
      const clock = new LeaseClock(seconds, 0, tcpPace(), grace);
      expect(Math.round(clock.giveUpAt)).toBe(after);
      expect(clock.endsAt).toBe(Math.min(seconds, 23) * 1_000);
      clock.sent(clock.nextAt);
      expect(clock.nextAt + clock.patience).toBeLessThanOrEqual(clock.giveUpAt + 0.001);
    },
  );

  it("never counts on more than the server promised, in whatever order its answers come", () => {
    const answers = fc.array(fc.record({ sentAt: moments, seconds: leases }), { minLength: 1 });
    fc.assert(
      fc.property(leases, answers, (seconds, heard) => {
        const clock = new LeaseClock(seconds, 0, tcpPace());
        for (const { sentAt, seconds: given } of heard) clock.proven(sentAt, given);
        const latest = Math.max(...heard.map(({ sentAt }) => sentAt));
        expect(clock.provenAt).toBe(latest);
        const promised = heard
          .filter(({ sentAt }) => sentAt === latest)
          .map(({ sentAt, seconds: given }) => sentAt + given * 1_000);
        expect(clock.endsAt).toBeLessThanOrEqual(Math.max(...promised));
        expect(clock.endsAt).toBeLessThanOrEqual(latest + seconds * 1_000);
      }),
    );
  });

  it("waits for the answer to its last question, not to an earlier one", () => {
    const clock = new LeaseClock(30, 0, tcpPace());
    clock.sent(1_000);
    clock.sent(2_000);
    clock.proven(1_000, 30);
    expect(clock).toMatchObject({ isUnanswered: true, provenAt: 1_000 });
    clock.proven(2_000, 30);
    expect(clock).toMatchObject({ isUnanswered: false, provenAt: 2_000, nextAt: 9_000 });
  });

  it("asks often after it changed its connection, until the old one's silence has told", () => {
    const clock = new LeaseClock(600, 0, tcpPace());
    clock.changedConnection(1_000);
    clock.sent(1_000);
    clock.proven(1_000, 600);
    expect(clock.nextAt).toBe(1_250);
    clock.sent(31_000);
    clock.proven(31_000, 600);
    expect(clock.nextAt).toBe(38_000);
  });
});
