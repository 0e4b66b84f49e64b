import { LINE_LIMIT } from "../../../src/stores/document/operations/claim.ts";
import { type Exploration, violationIn } from "../exploration.ts";
import { explore, type ModelOptions } from "./explorer.ts";
import { checkEnding, GRACE, type LifeOptions, life } from "./lives.ts";

export interface Scenario extends Partial<ModelOptions> {
  /** What the claims' lives hang on. Default: on what can be asked. */
  readonly hangsOn?: "session" | "job";
}

/** Processes that run the shipped protocol, through every interleaving. */
export function run(each: readonly LifeOptions[], { hangsOn, ...options }: Scenario): Exploration {
  const slots = options.slots ?? 1;
  const known = options.known ?? "session";
  const lineLimit = options.lineLimit ?? LINE_LIMIT;
  const began = performance.now();
  const all: ModelOptions = {
    known,
    slots,
    crashes: 0,
    onlyUnready: false,
    lost: 0,
    lags: 0,
    jumps: 0,
    jump: GRACE + 1,
    deadInLine: 0,
    grantedWithin: Number.POSITIVE_INFINITY,
    lineLimit,
    timely: true,
    atEnd: (state) => checkEnding(state, all),
    lives: each.map((one, index) =>
      life(index + 1, hangsOn ?? known, { ...one, slots, lineLimit }),
    ),
    runs: runsOf(each),
    ...options,
  };
  const explored = explore(all);
  const { states, transitions, ends } = explored;
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  console.log(
    `explored ${states} states, ${transitions} transitions, ${ends} ends in ${seconds} s`,
  );
  return explored;
}

export function violation(each: readonly LifeOptions[], options: Scenario): string {
  return violationIn(() => run(each, options)).message;
}

function runsOf(each: readonly LifeOptions[]): ReadonlyMap<string, readonly number[]> {
  const runs = new Map<string, number[]>();
  for (const [index, { run }] of each.entries())
    if (run !== undefined) runs.set(run, [...(runs.get(run) ?? []), index + 1]);
  return runs;
}
