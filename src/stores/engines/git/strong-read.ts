import type { LockError } from "../../../lock/errors.ts";
import { AnswerLost, unreachable } from "../trouble.ts";
import type { GitAddress } from "./address.ts";
import type { Report } from "./protocol/messages.ts";
import type { State } from "./protocol/objects.ts";
import { ProtocolError } from "./protocol/pkt-line.ts";
import { causeOf } from "./refusal.ts";

type Refusal = Extract<Report, { kind: "ng" }>;

/** One ref, as a strong read needs it. */
export interface Confirmer {
  readonly address: GitAddress;
  /** As it was last seen. */
  readonly known: State | null;
  /** What a list shows, which may lag behind. */
  look(): Promise<State | null>;
  fetch(id: string): Promise<State>;
  /** A push from a state to the same one. */
  push(id: string): Promise<Report>;
  pause(ms: number): Promise<void>;
  refused(refusal: Refusal): LockError;
}

/** Reads that must agree that a ref is not there, and the milliseconds between them. */
const ABSENCES = 3;
const AGAIN_MS = 700;
/** How often a list may show a state again that the repository has left: some five seconds. */
const LAGS_LIMIT = 7;
/** How often the ref may have moved between the list and the push: the key is busy. */
const MOVES_LIMIT = 30;

/**
 * A read that the repository itself confirms: it is asked to move the ref from where it was seen to
 * the same place, which it refuses once the ref has moved. git then says where the ref is, and that
 * is an answer of the repository itself as well; a server that keeps it to itself is asked again.
 *
 * There is no such push for a ref that is not there: from nothing to nothing is a deletion, which git
 * carries out whatever is there. So several reads have to agree, with time for a replica to catch up.
 * A ref that this register has seen does not depend on it: a push settles that one.
 */
export async function readStrong(ref: Confirmer): Promise<State | null> {
  let state = ref.known ?? (await ref.look());
  let absences = state === null ? 1 : 0;
  for (let lags = 0, moves = 0; lags < LAGS_LIMIT && moves < MOVES_LIMIT; ) {
    const left = state?.id;
    if (state !== null) {
      const confirmed = await confirm(ref, state);
      if (confirmed !== null) return confirmed;
    } else if (absences >= ABSENCES) return null;
    else await ref.pause(AGAIN_MS);
    state = await ref.look();
    absences = state === null ? absences + 1 : 0;
    if (state === null) continue;
    if (state.id !== left) moves++;
    else {
      lags++;
      await ref.pause(AGAIN_MS);
    }
  }
  throw unreachable(
    ref.address,
    "tells of other states than it has, again and again: its replicas lag behind, or the key is very busy; try again later",
  );
}

/** The state that the repository has, where it says so; null: another than this one. */
async function confirm(ref: Confirmer, state: State): Promise<State | null> {
  let report: Report;
  try {
    report = await ref.push(state.id);
  } catch (error) {
    // It changes nothing, so that a lost answer is no more than that.
    throw error instanceof AnswerLost ? error.why : error;
  }
  if (report.kind === "ok") return state;
  if (causeOf(report.reason) === "rule") throw ref.refused(report);
  const told = /cannot lock ref [^\n]*: is at ([0-9a-f]{40}) but expected/.exec(report.words)?.[1];
  if (told === undefined) return null;
  try {
    return await ref.fetch(told);
  } catch (error) {
    // It was moved on, and the server gave the state away at once.
    if (error instanceof ProtocolError) return null;
    throw error;
  }
}
