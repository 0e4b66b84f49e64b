import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { placeOf } from "../../../../../src/stores/file/disk/place.ts";
import {
  lineOf,
  nextTicketName,
  parseTicket,
  type Ticket,
  writeTicket,
} from "../../../../../src/stores/file/format/ticket.ts";
import { parseMemory, remember } from "../../../../../src/stores/file/protocol/fence-file.ts";
import { EXAMPLE, ownRecord } from "../../../../helpers/file/records.ts";
import { anyText, forgery } from "../../../lock/arbitraries.ts";

const ticket: fc.Arbitrary<Ticket> = ownRecord.map((record) => ({
  owner: record.owner,
  note: record.note,
  metadata: record.metadata,
  slots: record.slots,
  since: record.acquired,
  deadAfter: record.deadAfter,
  beat: record.beat,
  process: record.process,
  ...(record.slot % 2 === 0 ? {} : { newest: true, arrived: record.fence }),
}));

describe("tickets", () => {
  test("what is written is read back the same", () => {
    fc.assert(
      fc.property(ticket, (written) => {
        expect(parseTicket(Buffer.from(writeTicket(written)))).toEqual(written);
      }),
    );
  });

  test("a heartbeat does not change the length", () => {
    fc.assert(
      fc.property(ticket, fc.nat(), (written, beat) => {
        expect(writeTicket({ ...written, beat })).toHaveLength(writeTicket(written).length);
      }),
    );
  });

  test("any bytes are a ticket that can be shown, or none", () => {
    const bytes = fc.oneof(
      fc.uint8Array(),
      fc.json().map((json) => Buffer.from(json)),
      fc
        .tuple(
          ticket,
          fc.dictionary(
            fc.constantFrom("since", "slots", "beat", "process", "owner"),
            fc.jsonValue(),
          ),
        )
        .map(([whole, changes]) => Buffer.from(JSON.stringify({ ...whole, ...changes }))),
      fc
        .tuple(ticket, fc.nat(300))
        .map(([whole, cut]) => Buffer.from(writeTicket(whole)).subarray(0, cut)),
    );
    fc.assert(
      fc.property(bytes, (content) => {
        const read = parseTicket(content);
        if (read === null) return;
        expect(new Date(read.since).toISOString()).toMatch(/Z$/);
        expect(read.slots).toBeLessThanOrEqual(1_000);
      }),
      { numRuns: 1_000 },
    );
  });

  test("no text of a claim can forge another field", () => {
    fc.assert(
      fc.property(fc.oneof(forgery, anyText), (text) => {
        const { process } = EXAMPLE;
        const facts = { slots: 2, since: 1_000, deadAfter: 1_000, beat: 3 };
        const written = { owner: text, note: text, metadata: { job: text }, ...facts, process };
        expect(parseTicket(Buffer.from(writeTicket(written)))).toMatchObject({ ...facts, process });
      }),
    );
  });

  test("a line keeps the order of arrival, also when the clock goes back", () => {
    const times = fc.array(fc.nat(Date.UTC(2255, 0)), { maxLength: 20 });
    fc.assert(
      fc.property(times, (clock) => {
        const names: string[] = [];
        for (const now of clock) names.push(nextTicketName(names, now, "abc"));
        expect(lineOf([...names].reverse())).toEqual(names);
      }),
    );
  });

  test("other names in the side directory are no tickets", () => {
    expect(lineOf(["guard", "fence", "slot0.grave", "1-a.ticket", "x.ticket", ".ticket"])).toEqual(
      [],
    );
  });
});

describe("a key's memory", () => {
  function written(key: string, fence: number, slots: number): string {
    const { value: call } = remember(placeOf(key, "/locks/x.lock"), fence, slots).next();
    return String(call?.args[1]);
  }

  test("what is written is read back the same, for every legal key", () => {
    fc.assert(
      fc.property(ownRecord, ({ key, fence, slots }) => {
        expect(parseMemory(written(key, fence, slots))).toEqual({ key, fence, slots });
      }),
    );
  });

  test("its first line has a fixed width, so that it is replaced in one write", () => {
    fc.assert(
      fc.property(ownRecord, ({ fence, slots }) => {
        expect(written("k", fence, slots)).toHaveLength(written("k", 0, 1).length);
      }),
    );
  });

  test("a shorter key over a longer one still reads as the shorter", () => {
    const long = written("production-of-everything", 5, 1);
    const short = written("prod", 6, 1);
    expect(parseMemory(short + long.slice(short.length))).toEqual({
      key: "prod",
      fence: 6,
      slots: 1,
    });
  });

  test("any text is a memory or none, and never one without slots", () => {
    const text = fc.oneof(
      anyText,
      fc.stringMatching(/^fence=\d{14,18} slots=\d{3,5}\n(key=.*\n)?$/),
    );
    fc.assert(
      fc.property(text, (content) => {
        const memory = parseMemory(content);
        expect(memory.fence === null || Number.isSafeInteger(memory.fence)).toBe(true);
        expect(memory.slots).toBeGreaterThanOrEqual(1);
      }),
    );
    expect(parseMemory("")).toEqual({ fence: null, slots: 1, key: null });
    expect(parseMemory("fence=0000000000000001 slots=0000\n").slots).toBe(1);
  });
});
