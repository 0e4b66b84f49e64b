import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Store } from "../../../../src/lock/store.ts";
import { openStore } from "../../../../src/stores/open.ts";

/** A tool of the lock policy takes over by writing into the file that is there: same path, same inode. */
const TAKEN = JSON.stringify({
  owner: `pid-${process.pid}@${hostname()}`,
  since: new Date().toISOString(),
  ttl: 3_600,
  metadata: { reclaimed_from: "me", reclaimed_reason: "SAME_USER" },
});

let directory: string;
let store: Store;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "holdfast-in-place-"));
  store = await openStore(directory, { fsync: false, format: "json" });
});

afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

async function hold() {
  return store.claim({ key: "k", owner: { id: "me", metadata: {} } });
}

test("a holder whose file is written over in place is told, and does not write its own lock back", async () => {
  const holding = await hold();
  writeFileSync(join(directory, "k.lock"), TAKEN);

  await expect(holding.renew()).rejects.toMatchObject({ code: "LOCK_LOST" });

  expect(holding.lost.aborted).toBe(true);
  expect(readFileSync(join(directory, "k.lock"), "utf8")).toBe(TAKEN);
});

test("it is told at once by the watch, without a heartbeat", async () => {
  const holding = await hold();
  const lost = new Promise((resolve) => holding.lost.addEventListener("abort", resolve));
  // The watch begins a moment after the grant; writing again and again meets it.
  const timer = setInterval(() => writeFileSync(join(directory, "k.lock"), TAKEN), 20);
  await lost;
  clearInterval(timer);
  expect(String(holding.lost.reason)).toContain(`pid-${process.pid}@${hostname()}`);
});

test("its release leaves the other tool's lock alone", async () => {
  const holding = await hold();
  writeFileSync(join(directory, "k.lock"), TAKEN);
  expect(await holding.release()).toBe("already-gone");
  expect(readFileSync(join(directory, "k.lock"), "utf8")).toBe(TAKEN);
});
