import { closeSync, openSync, unlinkSync } from "node:fs";
import { openStore } from "../../../src/stores/open.ts";
import { claimAll } from "../../../src/stores/several.ts";

export interface SeveralTask {
  readonly store: string;
  readonly name: string;
  readonly keys: readonly string[];
  readonly rounds: number;
  /** A file for each key that exists while the key is held: making it fails where two are inside. */
  readonly marks: string;
}

/** A process that takes several keys together, again and again. */
const task = JSON.parse(process.argv[2] ?? "") as SeveralTask;
const store = await openStore(task.store, { fsync: false });
const requests = task.keys.map((key) => ({ key, owner: { id: task.name, metadata: {} } }));
for (let round = 0; round < task.rounds; round++) {
  const holding = await claimAll(store, requests);
  const marks = task.keys.map((key) => `${task.marks}/${key}`);
  for (const mark of marks) closeSync(openSync(mark, "wx"));
  // A turn of the event loop and of the other process in between: the section has a length.
  await new Promise((resolve) => setImmediate(resolve));
  for (const mark of marks) unlinkSync(mark);
  const outcome = await holding.release();
  if (outcome !== "released") throw new Error(`round ${round} of ${task.name}: ${outcome}`);
}
await store.close();
process.stdout.write(`${task.rounds} rounds\n`);
