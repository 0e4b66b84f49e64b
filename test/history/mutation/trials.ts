import { seededRandom } from "../../../src/forecast/seeded.ts";
import type { Checker, CheckOptions, Verdict } from "../checker.ts";
import type { Event } from "../event.ts";
import { generate } from "../generate.ts";
import { MUTATIONS } from "../mutate.ts";
import type { Judge } from "./mutants.ts";
import { eventsOf, shortTrials } from "./short.ts";

export const TELL_WITHIN = 100_000;
/** Of a line that never gets empty: 64 changes, with their grants and the claims that are open. */
const MOST_KEPT = 129;

/** A history, and whether a verdict on it is right. */
export interface Trial {
  readonly events: readonly Event[];
  readonly options: CheckOptions;
  /** Whether the verdict is right. */
  readonly isRight: (verdict: Verdict) => boolean;
}

/** Histories with what has to be said of them; the short ones first. */
export function trials(seeds: number): Trial[] {
  return [...shortTrials(), ...Array.from({ length: seeds }, (_, seed) => madeOf(seed + 1)).flat()];
}

function madeOf(seed: number): Trial[] {
  const random = seededRandom(seed);
  const slots = 1 + Math.floor(random() * 3);
  const faults = seed % 3 === 0 ? 0 : 0.06;
  const size = {
    claims: 60,
    processes: 6,
    slots,
    faults,
    tellWithin: TELL_WITHIN,
    shares: seed % 2 === 0,
  };
  const events = generate(size, random);
  const count = (name: string) => events.filter(({ event }) => event === name).length;
  const [claims, grants] = [count("claim"), count("granted")];
  const options = { tellWithin: TELL_WITHIN };
  const isLegal = (verdict: Verdict) =>
    verdict.faults.length + verdict.unknown.length === 0 &&
    verdict.claims === claims &&
    verdict.grants === grants;
  const spoiled = MUTATIONS.flatMap(({ kind, apply }) => {
    const changed = apply(events, seededRandom(seed + 1_000_000));
    if (changed === null) return [];
    const isRight = (verdict: Verdict) => verdict.faults.some((fault) => fault.kind === kind);
    return { events: changed, options, isRight };
  });
  return [{ events, options, isRight: isLegal }, ...spoiled];
}

/** Whether a checker passes all trials. */
export function passes({ check, Checker }: Judge, all: readonly Trial[]): boolean {
  try {
    const isRight = all.every((trial) =>
      [{}, { collected: 1 }].every((more) =>
        trial.isRight(check(trial.events, { ...trial.options, ...more })),
      ),
    );
    return isRight && keepsLittle(new Checker({ tellWithin: TELL_WITHIN }));
  } catch {
    return false;
  }
}

/** Whether it forgets what is settled while a line never gets empty, and collects before it looks. */
function keepsLittle(checker: Checker): boolean {
  let most = 0;
  for (let claim = 1; claim <= 500; claim++) {
    const [last, next] = [claim - 1, claim];
    const released = last === 0 ? "" : ` release:c${last}=${last} released:c${last}=${last}`;
    const history = `claim:c${next}${released} granted:c${next}=${next}`;
    for (const event of eventsOf(history)) checker.follow(event);
    most = Math.max(most, checker.kept);
  }
  return most === MOST_KEPT;
}
