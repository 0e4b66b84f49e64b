import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Store } from "../../src/lock/store.ts";
import { openStore } from "../../src/stores/open.ts";
import { ROWS } from "../engines/rows.ts";
import { openLine } from "../file-line.ts";
import { compare, type Result } from "./compare.ts";

const TIMES = 40;

/** It has no types of its own. */
export const properLockfile = createRequire(import.meta.url)("proper-lockfile") as {
  lock(file: string): Promise<() => Promise<void>>;
  lockSync(file: string): () => void;
};

/** A lock file that nobody else wants, safe from a power failure. */
export async function lockFile(directory: string): Promise<Result> {
  const store = await openStore(join(directory, "synced"), { fsync: true });
  const other = join(directory, "other");
  mkdirSync(other);
  writeFileSync(join(other, "file"), "");
  try {
    return await compare({
      what: "a lock file taken and released, with fsync",
      peer: "proper-lockfile, which has no fsync",
      unit: "ms",
      aim: 1,
      rounds: 40,
      ours: () => average(() => takeAndRelease(store)),
      theirs: () => average(async () => (await properLockfile.lock(join(other, "file")))()),
    });
  } finally {
    await store.close();
  }
}

/** Milliseconds. */
async function average(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  for (let i = 0; i < TIMES; i++) await work();
  return (performance.now() - start) / TIMES;
}

export async function takeAndRelease(store: Store): Promise<void> {
  const holding = await store.claim({ key: "bench", owner: { id: "bench", metadata: {} } });
  await holding.release();
}

/** On an engine that tells of changes: whether a long line makes each hand-off slower. */
export async function* longLines(): AsyncGenerator<Result> {
  for (const { name, isInstalled, notifies, start } of ROWS) {
    if (!isInstalled || !notifies) continue;
    const engine = await start();
    const line = await openLine(await engine.fresh());
    try {
      yield await compare({
        what: `a hand-off on ${name} with 100 in line`,
        peer: "with 1 in line",
        unit: "ms",
        aim: 1.5,
        rounds: 7,
        ours: () => line.handOff(100),
        theirs: () => line.handOff(1),
      });
    } finally {
      await line.close();
      await engine.stop();
    }
  }
}
