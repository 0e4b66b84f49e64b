import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openStore } from "../../../../src/stores/open.ts";
import { acquireRequest, releaseRequest, renewRequest } from "../../../../src/wire/request.ts";
import { keyHistoryRequest } from "../../../../src/wire/stats.ts";
import { fenceOf } from "../../../../src/wire/token.ts";
import { Restartable } from "../../../helpers/server/restartable.ts";
import { PATIENT } from "../../../helpers/waiting.ts";

const GRANTED = /^ok ([0-9a-f]{32}) \d+$/;
const tokenIn = (reply: string) => GRANTED.exec(reply)?.[1] ?? `no grant: ${reply}`;

describe.each([
  ["kill -9", "SIGKILL", []],
  ["SIGTERM, with the shutdown timeout over", "SIGTERM", ["--shutdown-timeout", "0.1"]],
] as const)("a server that ends by %s and comes back", (_, signal, args) => {
  it("keeps a keeper's lock, before everybody who waits, until the keeper is back", async () => {
    const server = await Restartable.start(args);
    const token = await (await server.keeper("deploy-1")).take("production", { lease: 60 });
    await server.restart(signal);
    const other = await server.keeper("deploy-2");
    expect(await other.ask(acquireRequest({ key: "production", timeout: 0 }))).toBe("timeout");
    other.send(acquireRequest({ key: "production", timeout: 30 }));
    const back = await server.keeper("deploy-1");
    expect(await back.ask(renewRequest({ key: "production", token, lease: 60 }))).toBe("ok 60");
    expect(other.lines).toEqual([]);
    await back.free("production", token);
    const next = tokenIn(await other.line());
    expect(fenceOf(next)).toBeGreaterThan(fenceOf(token) as number);
  });

  it("shows the holder of before to those who ask", async () => {
    const server = await Restartable.start(args);
    const token = await (await server.keeper("deploy-1")).take("production", { lease: 60 });
    await server.restart(signal);
    const stats = await (await server.plain()).stats();
    expect(stats.locks[0]).toMatchObject({
      key: "production",
      leases: [
        { owner: "deploy-1", fence: fenceOf(token), metadata: { workflow: "deploy" }, gone: true },
      ],
    });
    const store = await openStore(`tcp://127.0.0.1:${server.port}`);
    expect((await store.inspect("production")).holders).toMatchObject([
      { owner: "deploy-1", alive: null },
    ]);
  });

  it("gives the lock on when the keeper does not come back within its lease, and not before", async () => {
    const server = await Restartable.start(args);
    await (await server.keeper("deploy-1")).take("production", { lease: 2 });
    await server.restart(signal);
    const restarted = performance.now();
    const other = await server.keeper("deploy-2");
    const reply = await other.ask(acquireRequest({ key: "production", timeout: 30 }));
    expect(reply).toMatch(GRANTED);
    // The server measured its two seconds from before it said that it listens.
    expect(performance.now() - restarted).toBeGreaterThan(1_000);
  });

  it("forgets what a nameless client held, as dflockd does, but not its fence", async () => {
    const server = await Restartable.start(args);
    const before = await (await server.plain()).take("production", { lease: 60 });
    await delay(200);
    await server.restart(signal);
    const after = await (await server.plain()).take("production", { timeout: 0 });
    expect(fenceOf(after)).toBeGreaterThan(fenceOf(before) as number);
  });

  it("remembers the slots of a semaphore", async () => {
    const server = await Restartable.start(args);
    const keepers = await Promise.all(["a", "b", "c"].map((id) => server.keeper(id)));
    const tokens = [];
    for (const keeper of keepers) tokens.push(await keeper.take("pool", { limit: 3, lease: 60 }));
    await keepers[1]?.free("pool", tokens[1] as string);
    await server.restart(signal);
    const newcomer = await server.keeper("d");
    const again = await newcomer.take("pool", { limit: 3, timeout: 0 });
    expect(await newcomer.ask(acquireRequest({ key: "pool", limit: 3, timeout: 0 }))).toBe(
      "timeout",
    );
    const { leases } = (await newcomer.stats()).semaphores[0] ?? {};
    expect(leases?.map(({ owner, slot }) => [owner, slot]).sort()).toEqual([
      ["a", 0],
      ["c", 2],
      ["d", 1],
    ]);
    await newcomer.free("pool", again);
  });
});

describe("after kill -9", () => {
  it("what was let go is free, and stands in history", async () => {
    const server = await Restartable.start();
    const keeper = await server.keeper("deploy-1");
    const token = await keeper.take("production", { lease: 60 });
    await keeper.free("production", token);
    await server.restart();
    const other = await server.keeper("deploy-2");
    expect((await other.stats(keyHistoryRequest("production"))).idle_locks).toMatchObject([
      { key: "production", holds: [{ owner: "deploy-1", end: "released", fence: fenceOf(token) }] },
    ]);
    await other.take("production", { timeout: 0 });
  });

  it("a keeper that took the lock over from a connection of before can lose it as any other", async () => {
    const server = await Restartable.start();
    const token = await (await server.keeper("deploy-1")).take("production", { lease: 60 });
    await server.restart();
    const back = await server.keeper("deploy-1");
    await back.ask(renewRequest({ key: "production", token, lease: 60 }));
    back.hangUp();
    const next = await (await server.keeper("deploy-2")).take("production");
    await server.restart();
    const late = await server.keeper("deploy-1");
    expect(await late.ask(renewRequest({ key: "production", token, lease: 60 }))).toBe("error");
    expect(await late.ask(renewRequest({ key: "production", token: next, lease: 60 }))).toBe(
      "ok 60",
    );
  });

  it("a claim whose grant was not told in time has it when it is back, and no other claim of its owner", async () => {
    const server = await Restartable.start();
    const token = await (await server.keeper("deploy-1", "one")).take("production", { lease: 60 });
    await server.restart();
    const waiter = await server.keeper("deploy-2", "three");
    waiter.send(acquireRequest({ key: "production", timeout: 60, lease: 60 }));
    const twin = await server.keeper("deploy-1", "two");
    expect(await twin.ask(acquireRequest({ key: "production", timeout: 0 }))).toBe("timeout");
    const back = await server.keeper("deploy-1", "one");
    expect(await back.take("production", { timeout: 0, lease: 60 })).toBe(token);
    // It holds it by this connection now.
    expect(waiter.lines).toEqual([]);
    back.hangUp();
    expect(await waiter.line()).toMatch(GRANTED);
  });

  it("fences grow although the clock of the new server is behind", async () => {
    const server = await Restartable.start();
    // One hundred grants: the server's memory of the last one must reach the disk in time.
    const client = await server.keeper("deploy-1");
    let last = "";
    for (let times = 0; times < 100; times += 1) {
      last = await client.take("production");
      await client.free("production", last);
    }
    const future = Date.now() + 3_600_000;
    await server.end();
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(server.file);
    const row = database.prepare("SELECT fence FROM fences WHERE key = 'production'").get();
    expect(row?.fence).toBe(fenceOf(last));
    database.exec(`UPDATE fences SET fence = ${future * 1_000}`);
    database.close();
    await server.startAgain();
    const next = await (await server.keeper("deploy-2")).take("production");
    expect(fenceOf(next)).toBe(future * 1_000 + 1);
  });
});

const disks: string[] = [];

/** A small filesystem, where this user may make one. */
function smallDisk(): string | null {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-disk-"));
  const options = ["-t", "tmpfs", "-o", "size=512k", "tmpfs", directory];
  if (spawnSync("mount", options).status === 0) {
    disks.push(directory);
    return directory;
  }
  rmSync(directory, { recursive: true });
  return null;
}

function removeDisk(directory: string): void {
  spawnSync("umount", ["--lazy", directory]);
  rmSync(directory, { recursive: true });
}

function fill(path: string): void {
  const handle = openSync(path, "w");
  try {
    for (;;) writeSync(handle, Buffer.alloc(512));
  } catch (error) {
    expect(error).toMatchObject({ code: "ENOSPC" });
  } finally {
    closeSync(handle);
  }
}

const disk = process.platform === "linux" && process.getuid?.() === 0 ? smallDisk() : null;

it.skipIf(disk === null)(
  "a full disk: a keeper is told nothing that is not written, others go on; with room all goes on",
  async () => {
    const directory = disk as string;
    try {
      const server = await Restartable.start([], directory);
      const plain = await server.plain();
      const keeper = await server.keeper("deploy-1");
      fill(join(directory, "filling"));
      const rounds = 300;
      const held: string[] = [];
      // The log has some room of its own: so many grants cannot all fit.
      for (let round = 0; round < rounds; round += 1) {
        keeper.send(acquireRequest({ key: `k${round}`, timeout: 0, lease: 60 }));
      }
      await expect.poll(() => server.log, PATIENT).toMatch(/error the data file cannot be written/);
      const told = keeper.lines.length;
      expect(told).toBeLessThan(rounds);
      const token = await plain.take("elsewhere", { timeout: 0 });
      expect(await plain.ask(releaseRequest({ key: "elsewhere", token }))).toBe("ok");
      expect(keeper.lines.length).toBe(told);
      rmSync(join(directory, "filling"));
      for (let round = 0; round < rounds; round += 1) held.push(tokenIn(await keeper.line()));
      expect(server.log).toMatch(/info {2}the data file can be written again/);
      await server.restart();
      const back = await server.keeper("deploy-1");
      for (const [round, token] of held.entries()) {
        const renewal = renewRequest({ key: `k${round}`, token, lease: 60 });
        expect(await back.ask(renewal)).toBe("ok 60");
      }
    } finally {
      for (const mounted of disks.splice(0)) removeDisk(mounted);
    }
  },
);
