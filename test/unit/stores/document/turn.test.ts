import { expect, test } from "vitest";
import { emptyDocument, type WaiterEntry } from "../../../../src/stores/document/document.ts";
import { lifeName } from "../../../../src/stores/document/life.ts";
import type { Judgement } from "../../../../src/stores/document/protocol/judge.ts";
import { Sightings } from "../../../../src/stores/document/protocol/sightings.ts";
import type { Seen } from "../../../../src/stores/document/protocol/swap.ts";
import { decide } from "../../../../src/stores/document/protocol/turn.ts";
import { claimantOf, job, KEY } from "./kit.ts";

const GRACE = 1_000;

/** A claim in line whose life the forge tells. */
function waiter(id: string): WaiterEntry {
  return { ...claimantOf(id, { life: job(id) }), joined: "2026-11-18T00:00:00.000Z" };
}

test("who is behind one that was found dead has its whole grace from then on", () => {
  const line = ["dead", "next", "last"].map(waiter);
  const document = { ...emptyDocument(KEY), nonce: "n", turn: "n", line };
  const sightings = new Sightings();
  const seenAt = (time: number): Seen => {
    const at = { before: time, after: time };
    return { version: "v", document, strong: true, ...at };
  };
  sightings.see(seenAt(0), false);
  const judged: Judgement = {
    now: Date.parse("2026-11-18T00:01:00.000Z"),
    alive: ({ life }) => (life?.kind === "job" ? sightings.lastAnswer(lifeName(life)) : null),
    vitality: () => "unknown",
    reviewAt: null,
  };
  const moveAt = (time: number) => {
    const claim = { claimant: claimantOf("last", { life: job("last") }), allowed: [], sightings };
    return decide(seenAt(time), { ...claim, timing: { grace: GRACE } }, judged);
  };
  // Nothing is known of the first: it has its grace, and the next one another.
  expect(moveAt(1.9 * GRACE)).toMatchObject({ kind: "stand", standing: { reviewAt: 2 * GRACE } });
  sightings.heard(lifeName(job("dead")), false, 1.5 * GRACE);
  expect(moveAt(2.4 * GRACE)).toMatchObject({ kind: "stand", standing: { reviewAt: 2.5 * GRACE } });
  // Said once more, it is no news.
  sightings.heard(lifeName(job("dead")), false, 2.45 * GRACE);
  const move = moveAt(2.5 * GRACE);
  expect(move).toMatchObject({ kind: "take", drop: ["dead", "next"] });
});
