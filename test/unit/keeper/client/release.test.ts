import { existsSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { releaseLease } from "../../../../src/keeper/client/release.ts";
import { type KeptLease, writeLeaseFile } from "../../../../src/keeper/lease-file.ts";
import { openProcesses } from "../../../../src/machine/processes.ts";
import { openStore } from "../../../../src/stores/open.ts";
import { temporaryDirectory } from "../../../helpers/directories.ts";

/** A lock that this process holds, and a lease file that says that this process is its keeper. */
async function held() {
  const directory = temporaryDirectory();
  const store = await openStore(join(directory, "locks"), { fsync: false });
  onTestFinished(() => store.close());
  const holding = await store.claim({ key: "k", owner: { id: "me", metadata: {} } });
  const path = join(directory, "k.json");
  const socket = join(directory, "s.sock");
  const lease: KeptLease = {
    ...holding.lease,
    version: 1,
    state: "held",
    keeper: openProcesses({ sharedFilesystem: false }).self,
    watched: null,
    job: null,
    socket,
    storeOptions: {},
  };
  writeLeaseFile(path, lease);
  return { store, holding, path, socket, lease };
}

/** Answers every request in the same way, whatever it was. */
function answering(socket: string, reply: string): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer((connection) => {
      connection.on("error", () => {});
      connection.once("data", () => connection.end(reply));
    }).listen(socket, () => resolve(server));
    onTestFinished(() => void server.close());
  });
}

describe("letting go with the keeper's help", () => {
  test("a keeper that cannot be asked yet is asked again", async () => {
    const { path, socket } = await held();
    const releasing = releaseLease(path);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await answering(socket, '{"outcome":"released"}\n');
    expect(await releasing).toEqual({ outcome: "released", log: [] });
  });

  test("an answer of several pieces is one, and brings the past along", async () => {
    const { path, socket } = await held();
    const holds = [{ owner: "é".repeat(30_000), since: "2026-11-16T10:00:00.000Z" }];
    await answering(socket, `${JSON.stringify({ outcome: "released", holds })}\n`);
    expect(await releaseLease(path, { history: true })).toMatchObject({ holds });
  });

  test.each([
    ["what is no JSON", "hello\n"],
    ["nothing", ""],
    ["half an answer", '{"outcome":'],
  ])("a keeper that answers %s is done without", async (_, reply) => {
    const { store, path, socket, holding, lease } = await held();
    // Not this process: the one who lets go without its keeper ends that one.
    writeLeaseFile(path, { ...lease, keeper: { ...lease.keeper, pid: 2 ** 22 + 1 } });
    await answering(socket, reply);
    expect(await releaseLease(path)).toMatchObject({ outcome: "recovered" });
    expect((await store.inspect("k")).holders).toEqual([]);
    expect(existsSync(path)).toBe(false);
    expect(await holding.release()).toBe("already-gone");
  });

  test("a keeper that has ended is not waited for", async () => {
    const { path, lease } = await held();
    writeLeaseFile(path, { ...lease, keeper: { ...lease.keeper, pid: 2 ** 22 + 1 } });
    expect(await releaseLease(path)).toMatchObject({
      outcome: "recovered",
      reason: "its keeper had ended",
    });
  });
});
