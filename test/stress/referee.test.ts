import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../helpers/directories.ts";
import { type Journal, JournalReader, openJournal } from "./journal.ts";
import { Referee } from "./referee.ts";

let directory: string;
let journal: Journal;

beforeEach(() => {
  directory = temporaryDirectory();
  journal = openJournal(join(directory, "journal"));
});

afterEach(() => {
  journal.close();
});

function judged(slots = 1): Referee {
  const referee = new Referee(slots);
  const reader = new JournalReader(join(directory, "journal"));
  for (const entry of reader.read()) referee.judge(entry);
  reader.close();
  return referee;
}

describe("the referee of a stress run", () => {
  it("is content when one enters after the other left", () => {
    journal.enter("a", 1, 0.5);
    journal.leave("a", 1);
    journal.enter("b", 2, 1.5);
    journal.leave("b", 2);
    const referee = judged();
    expect(referee.overlaps).toEqual([]);
    expect(referee.faults).toEqual([]);
    expect(referee.waits).toEqual([0.5, 1.5]);
  });

  it("sees two sections that overlap", () => {
    journal.enter("a", 1, 0);
    journal.enter("b", 2, 0);
    journal.leave("a", 1);
    expect(judged().overlaps).toHaveLength(1);
  });

  it("allows as many sections as there are slots, and not one more", () => {
    journal.enter("a", 1, 0);
    journal.enter("b", 2, 0);
    expect(judged(2).overlaps).toEqual([]);
    journal.enter("c", 3, 0);
    expect(judged(2).overlaps).toHaveLength(1);
  });

  it("lets an heir in after a holder was killed", () => {
    journal.enter("a", 1, 0);
    journal.killing("a");
    journal.enter("b", 2, 0);
    journal.ended("a");
    journal.leave("b", 2);
    const referee = judged();
    expect(referee.overlaps).toEqual([]);
    expect(referee.faults).toEqual([]);
  });

  it("sees an heir that came before the holder was killed", () => {
    journal.enter("a", 1, 0);
    journal.enter("b", 2, 0);
    journal.killing("a");
    expect(judged().overlaps).toHaveLength(1);
  });

  it("sees a killed holder that still acts after its heir entered, even when the heir has left", () => {
    journal.enter("a", 1, 0);
    journal.killing("a");
    journal.enter("b", 2, 0);
    journal.leave("b", 2);
    journal.leave("a", 1);
    expect(judged().overlaps).toHaveLength(1);
  });

  it("does not mind a killed holder that leaves before it dies", () => {
    journal.enter("a", 1, 0);
    journal.killing("a");
    journal.leave("a", 1);
    journal.enter("b", 2, 0);
    expect(judged().overlaps).toEqual([]);
  });

  it("counts a killed process that enters with its last breath as a holder", () => {
    journal.enter("a", 1, 0);
    journal.killing("b");
    journal.enter("b", 2, 0);
    expect(judged().overlaps).toHaveLength(1);
  });

  it("sees fences that do not grow, and with several slots those that come twice", () => {
    for (const [name, fence] of [
      ["a", 5],
      ["b", 5],
      ["c", 4],
    ] as const) {
      journal.enter(name, fence, 0);
      journal.leave(name, fence);
    }
    expect(judged().faults).toHaveLength(2);
    expect(judged(2).faults).toHaveLength(1);
  });

  it("sees a holder that ended though nobody killed it", () => {
    journal.enter("a", 1, 0);
    journal.ended("a");
    expect(judged().faults).toEqual(["a ended by itself while it held"]);
  });
});
