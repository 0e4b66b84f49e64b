import { linkSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "../../../../../src/stores/open.ts";

/** Above every pid_max: nobody runs under it. */
const GONE = 999_999_999;
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "holdfast-leftovers-"));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

test("clean removes what a crash left of making the guard, though it is a second name of it", async () => {
  const store = await openStore(directory, { fsync: false });
  const owner = { id: "me", metadata: {} };
  await (await store.claim({ key: "k", owner })).release();
  const side = join(directory, ".holdfast/k.lock");
  linkSync(join(side, "guard"), join(side, `guard.${GONE}.abcdef.tmp`));
  writeFileSync(join(side, `guard.${process.pid}.abcdef.tmp`), "");

  const { removed } = (await store.clean?.({ owner: "me" })) ?? { removed: [] };

  expect(removed.map(({ path }) => path)).toEqual([join(side, `guard.${GONE}.abcdef.tmp`)]);
  expect(readdirSync(side).sort()).toEqual(["fence", "guard", `guard.${process.pid}.abcdef.tmp`]);
  await store.close();
});
