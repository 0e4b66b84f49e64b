import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../../../../src/lock/time.ts";
import { openProcesses } from "../../../../../src/machine/processes.ts";
import { GuardPool } from "../../../../../src/stores/file/disk/guard-pool.ts";
import { openWorld } from "../../../../../src/stores/file/disk/world.ts";
import { writeTicket } from "../../../../../src/stores/file/format/ticket.ts";
import { examineTicket, Observations } from "../../../../../src/stores/file/protocol/examine.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import { failure, owner, testStore } from "../../../../helpers/file/support.ts";

/** A ticket of a machine that nobody can ask, which wants to be waited for longer than anybody lives. */
const PLANTED = writeTicket({
  owner: "planted",
  note: null,
  metadata: {},
  slots: 1,
  since: 1_000,
  deadAfter: Number.MAX_SAFE_INTEGER,
  beat: 0,
  process: { pid: 1, start: "1", boot: "boot", namespace: "pid:[1]", host: "elsewhere" },
});
const TEN_MINUTES = 600_000;

test("a planted ticket with a huge dead-after keeps its place for ten minutes at most", async () => {
  const directory = temporaryDirectory();
  const side = join(directory, ".holdfast", "k.lock");
  mkdirSync(side, { recursive: true });
  const path = join(side, "0000000000000001-planted.ticket");
  writeFileSync(path, PLANTED);
  const store = await testStore(directory);
  await failure(store.claim({ key: "k", owner: owner("me") }, { timeout: 0 }), "TIMEOUT");

  let monotonic = 5_000;
  const world = openWorld({
    clock: { now: systemClock.now, monotonic: () => monotonic },
    processes: openProcesses({ sharedFilesystem: false }),
    guards: new GuardPool(),
    mode: null,
    sync: false,
    shared: false,
    prepare: () => {},
  });
  const observations = new Observations();
  const look = () => world.run(examineTicket(path, observations));
  const first = await look();
  expect(first).toMatchObject({ dead: false, alive: null, deadAfter: TEN_MINUTES });
  // It is looked at again before it is over, by a clock that one machine has.
  expect(first?.reviewAt).toBeLessThanOrEqual(5_000 + TEN_MINUTES);
  monotonic += TEN_MINUTES - 1;
  expect(await look()).toMatchObject({ dead: false });
  monotonic += 1;
  expect(await look()).toMatchObject({ dead: true, alive: false });
});
