import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Store } from "../../src/lock/store.ts";
import { openStore } from "../../src/stores/open.ts";
import { ROWS } from "../engines/rows.ts";
import { openLine } from "../file-line.ts";
import { compare, type Result } from "./compare.ts";

const TIMES = 40;
const CONTENT = Buffer.from(`pid=${process.pid}\ntimestamp=${Math.floor(Date.now() / 1_000)}\n`);

/** It has no types of its own. */
export const properLockfile = createRequire(import.meta.url)("proper-lockfile") as {
  lock(file: string): Promise<() => Promise<void>>;
  lockSync(file: string): () => void;
};

/**
 * A lock file that nobody else wants. proper-lockfile syncs nothing; with fsync the bare calls are the
 * limit, since to sync a new file takes longer than all else together.
 */
export async function* lockFiles(directory: string): AsyncGenerator<Result> {
  const plain = await openStore(join(directory, "plain"), { fsync: false });
  const synced = await openStore(join(directory, "synced"), { fsync: true });
  const other = join(directory, "other");
  mkdirSync(other);
  writeFileSync(join(other, "file"), "");
  try {
    yield await compare({
      what: "a lock file taken and released, without fsync",
      peer: "proper-lockfile, which has none",
      unit: "ms",
      aim: 1,
      rounds: 40,
      ours: () => average(() => takeAndRelease(plain)),
      theirs: () => average(async () => (await properLockfile.lock(join(other, "file")))()),
    });
    yield await compare({
      what: "a lock file taken and released, with fsync",
      peer: "open, write, fsync, close, unlink",
      unit: "ms",
      aim: 2,
      rounds: 40,
      ours: () => average(() => takeAndRelease(synced)),
      theirs: () => average(async () => bareCalls(join(other, "bare"), true)),
    });
  } finally {
    await plain.close();
    await synced.close();
  }
}

/** What a lock file takes at least. */
export function bareCalls(path: string, sync: boolean): void {
  const handle = openSync(path, "wx", 0o600);
  writeSync(handle, CONTENT);
  if (sync) fsyncSync(handle);
  closeSync(handle);
  unlinkSync(path);
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
