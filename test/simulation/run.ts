import { enter } from "./clockwork/globals.ts";
import { install } from "./clockwork/install.ts";
import { Universe } from "./clockwork/universe.ts";
import { type Judgement, judge } from "./judge.ts";
import type { World } from "./world.ts";

/** What one seed has shown. */
export interface Outcome extends Judgement {
  readonly seed: number;
  /** Milliseconds of simulated time. */
  readonly simulated: number;
  readonly events: number;
  readonly done: ReadonlyMap<string, number>;
  /** The same for two runs that went the same way. */
  readonly digest: string;
  readonly lines: readonly string[];
}

let isInstalled = false;

/** Lives through one seed: a time with faults, a time without, and the judgement. */
export async function simulate(
  seed: number,
  build: (universe: Universe) => World,
  isReadable = false,
): Promise<Outcome> {
  if (!isInstalled) install();
  isInstalled = true;
  const universe = new Universe(seed, isReadable);
  enter(universe);
  const world = build(universe);
  const faults: string[] = [];
  world.begin();
  world.tempt();
  await universe.run(() => false, world.duration);
  if (universe.failures.length === 0) {
    world.end();
    const limit = universe.now + world.recovery;
    const isWell = await universe.run(() => world.isOver, limit);
    if (!isWell && universe.failures.length === 0)
      faults.push(`liveness: ${world.unfinished.join(", ")} did not get the lock in time`);
  }
  faults.push(...universe.failures.map((failure) => `failure: ${failure}`));
  world.close();
  const { record } = world;
  const judgement = judge(record, world);
  const { trace } = universe;
  enter(null);
  return {
    ...judgement,
    faults: [...faults, ...judgement.faults],
    unknown: faults.length > 0 ? [] : judgement.unknown,
    seed,
    simulated: universe.now,
    events: trace.events,
    done: record.faults,
    digest: trace.digest,
    lines: trace.lines ?? [],
  };
}
