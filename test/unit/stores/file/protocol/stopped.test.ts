import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Progress } from "../../../../../src/lock/store.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import {
  bystander,
  holder,
  owner,
  stopOutsideGuard,
  testStore,
} from "../../../../helpers/file/support.ts";
import { linuxDescribe } from "../../../../helpers/platform.ts";
import { eventually } from "../../../../helpers/waiting.ts";

/** The least that there is: what is passed over here is passed over after a second. */
const DEAD_AFTER = 1_000;

async function scene() {
  const directory = temporaryDirectory();
  const store = await testStore(directory);
  /** A process that stands in line, once its ticket is there. */
  const waiter = async (name: string) => {
    const { waiting } = await store.inspect("k");
    const granted = holder(directory, { key: "k", deadAfter: DEAD_AFTER, owner: owner(name) });
    granted.catch(() => {});
    await eventually(
      () => store.inspect("k"),
      (status) => status.waiting === waiting + 1,
    );
    const side = join(directory, ".holdfast", "k.lock");
    const tickets = readdirSync(side).filter((file) => file.endsWith(".ticket"));
    const ticket = readFileSync(join(side, tickets.sort().at(-1) as string), "utf8");
    return { granted, pid: JSON.parse(ticket).process.pid as number };
  };
  return { directory, store, waiter };
}

const names = (status: { waiters: readonly { owner: string }[] }) =>
  status.waiters.map((waiter) => waiter.owner);

linuxDescribe("a stopped waiter", () => {
  test("is passed over once its turn has come, and joins again at the end", async () => {
    const { store, waiter } = await scene();
    const first = await store.claim({ key: "k", owner: owner("first") });
    const stopped = await waiter("stopped");
    const progress: Progress[] = [];
    const claim = store.claim(
      { key: "k", deadAfter: DEAD_AFTER, owner: owner("next") },
      { onProgress: (seen) => progress.push(seen) },
    );
    await eventually(
      () => store.inspect("k"),
      (status) => status.waiting === 2,
    );
    const last = await waiter("last");
    await stopOutsideGuard(stopped.pid);
    const { waiters } = await eventually(
      () => store.inspect("k"),
      (status) => status.waiters[0]?.stopped === true,
    );
    expect(waiters).toMatchObject([{ owner: "stopped", alive: true }, {}, {}]);
    expect(waiters[1]?.stopped).toBeUndefined();
    await eventually(
      () => progress.at(-1)?.trouble ?? "",
      (trouble) => trouble.startsWith("stopped, which is ahead, is stopped"),
    );
    const start = performance.now();
    await first.release();
    const second = await claim;
    expect(performance.now() - start).toBeGreaterThanOrEqual(DEAD_AFTER * 0.99);
    expect(names(await store.inspect("k"))).toEqual(["last"]);

    process.kill(stopped.pid, "SIGCONT");
    await eventually(
      () => store.inspect("k"),
      (status) => names(status).join() === "last,stopped",
    );
    await second.release();
    await (await last.granted).release();
    expect(await (await stopped.granted).release()).toBe("released");
  });

  test("keeps its place as long as its turn has not come", async () => {
    const { store, waiter } = await scene();
    const first = await store.claim({ key: "k", owner: owner("first") });
    const stopped = await waiter("stopped");
    await stopOutsideGuard(stopped.pid);
    const claim = store.claim({ key: "k", deadAfter: DEAD_AFTER, owner: owner("next") });
    await eventually(
      () => store.inspect("k"),
      (status) => status.waiting === 2,
    );
    const since = performance.now();
    // Time is what is tried here: three times the silence that would cost it its place.
    await eventually(
      () => performance.now() - since,
      (waited) => waited > 3 * DEAD_AFTER,
    );
    expect(names(await store.inspect("k"))).toEqual(["stopped", "next"]);
    process.kill(stopped.pid, "SIGCONT");
    await first.release();
    await (await stopped.granted).release();
    await (await claim).release();
  });

  test("is passed over also behind another one, when the holder was killed", async () => {
    const { store, directory, waiter } = await scene();
    const first = await holder(directory, { key: "k", owner: owner("first") });
    const stopped = [await waiter("one"), await waiter("two")];
    const claim = store.claim({ key: "k", deadAfter: DEAD_AFTER, owner: owner("next") });
    for (const { pid } of stopped) await stopOutsideGuard(pid);
    await first.kill("SIGKILL");
    const holding = await claim;
    expect(holding.reclaimed).toEqual({ from: "first", reason: "HOLDER_DEAD" });
    await holding.release();
    for (const { pid } of stopped) process.kill(pid, "SIGCONT");
  });
});

linuxDescribe("a holder", () => {
  test("that is stopped is shown as such, and whoever waits behind it is told", async () => {
    const { store, directory } = await scene();
    const other = await holder(directory, { key: "k", owner: owner("frozen") });
    expect((await store.inspect("k")).holders[0]?.stopped).toBeUndefined();
    await other.kill("SIGSTOP");
    await eventually(
      () => store.inspect("k"),
      (status) => status.holders[0]?.stopped === true,
    );
    expect((await store.inspect("k")).holders[0]?.alive).toBe(true);
    const progress: Progress[] = [];
    const claim = store.claim(
      { key: "k", owner: owner("next") },
      { onProgress: (seen) => progress.push(seen) },
    );
    const trouble = await eventually(
      () => progress.at(-1)?.trouble ?? "",
      (text) => text !== "",
    );
    expect(trouble).toContain(`frozen is stopped (process ${other.pid})`);
    expect(trouble).toContain(`kill -CONT ${other.pid}`);
    await other.kill("SIGCONT");
    await eventually(
      () => progress.at(-1),
      (seen) => seen?.trouble === undefined,
    );
    await other.release();
    await (await claim).release();
  });

  test("that covers a command names it, and tells when it alone holds the lock", async () => {
    const { store, directory } = await scene();
    const command = await bystander();
    const other = await holder(directory, { key: "k" }, { cover: command.pid });
    const covered = { pid: command.pid, name: expect.stringMatching(/node|MainThread/) };
    expect((await store.inspect("k")).holders).toMatchObject([
      { pid: other.pid, alive: true, command: { ...covered, alone: false } },
    ]);
    await other.kill("SIGKILL");
    expect((await store.inspect("k")).holders).toMatchObject([
      { pid: other.pid, alive: true, command: { ...covered, alone: true } },
    ]);
    await command.kill("SIGTERM");
    expect((await store.inspect("k")).holders[0]).not.toHaveProperty("command");
    expect((await store.inspect("k")).holders[0]?.alive).toBe(false);
  });
});
