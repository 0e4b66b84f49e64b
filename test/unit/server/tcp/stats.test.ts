import { describe, expect, it } from "vitest";
import { introductionRequest } from "../../../../src/wire/introduction.ts";
import { REPLY_LIMIT } from "../../../../src/wire/line-reader.ts";
import { isHoldfast, keyStatsRequest } from "../../../../src/wire/stats.ts";
import { fenceOf } from "../../../../src/wire/token.ts";
import type { Client } from "../../../helpers/server/client.ts";
import { startServer } from "../../../helpers/server/server.ts";
import { PATIENT } from "../../../helpers/waiting.ts";

async function introduce(client: Client, id: string): Promise<void> {
  const owner = { id, metadata: { hostname: "runner-3", process_id: 4711 } };
  await client.stats(introductionRequest({ owner, note: "v1.2.3" }));
}

describe("stats", () => {
  it("of an empty server are dflockd's, and its own name", async () => {
    const client = await (await startServer()).connect();
    expect(await client.stats()).toEqual({
      connections: 1,
      locks: [],
      semaphores: [],
      idle_locks: [],
      idle_semaphores: [],
      server: { name: "holdfast", version: "1.2.3", read_timeout_s: 23 },
    });
  });

  it("show holders and those in line, with owners where they introduced themselves", async () => {
    const server = await startServer();
    const [holder, waiter, nameless] = [
      await server.connect(),
      await server.connect(),
      await server.connect(),
    ];
    await introduce(holder, "ci-github-1");
    await introduce(waiter, "ci-github-2");
    const token = await holder.take("k", { lease: 60 });
    waiter.send("l\nk\n60\n");
    await expect.poll(async () => (await holder.stats()).locks[0]?.waiters, PATIENT).toBe(1);
    nameless.send("l\nk\n60\n");
    await expect.poll(async () => (await holder.stats()).locks[0]?.waiters, PATIENT).toBe(2);
    const stats = await holder.stats();
    expect(isHoldfast(stats)).toBe(true);
    const [lock] = stats.locks;
    expect(lock).toMatchObject({ key: "k", waiters: 2, owner_conn_id: lock?.leases?.[0]?.conn_id });
    expect(lock?.lease_expires_in_s).toBeGreaterThan(1);
    expect(lock?.leases).toEqual([
      expect.objectContaining({
        owner: "ci-github-1",
        note: "v1.2.3",
        metadata: { hostname: "runner-3", process_id: 4711 },
        fence: fenceOf(token),
        slot: 0,
        lease_s: 60,
      }),
    ]);
    expect(lock?.line?.map(({ owner }) => owner)).toEqual(["ci-github-2", null]);
    expect(JSON.stringify(stats)).not.toContain(token);
  });

  it("show semaphores and their slots", async () => {
    const client = await (await startServer()).connect();
    await client.take("s", { limit: 3 });
    await client.take("s", { limit: 3 });
    const { locks, semaphores } = await client.stats();
    expect(locks).toEqual([]);
    expect(semaphores).toEqual([
      expect.objectContaining({ key: "s", limit: 3, holders: 2, waiters: 0 }),
    ]);
    expect(semaphores[0]?.leases?.map(({ slot }) => slot)).toEqual([0, 1]);
  });

  it("of one key show that key alone", async () => {
    const client = await (await startServer()).connect();
    await client.take("a");
    await client.take("b");
    expect((await client.stats(keyStatsRequest("b"))).locks.map(({ key }) => key)).toEqual(["b"]);
    expect((await client.stats(keyStatsRequest("none"))).locks).toEqual([]);
  });

  it("in reply to an introduction are short, whatever the table holds", async () => {
    const client = await (await startServer()).connect();
    await client.take("a");
    const owner = { id: "x", metadata: {} };
    expect((await client.stats(introductionRequest({ owner, note: null }))).locks).toEqual([]);
  });

  it("stay on one line below 1 MiB with more keys than fit, and say how many are left out", async () => {
    const client = await (await startServer({ "max-locks": "0" })).connect();
    const count = 20_000;
    client.send(Array.from({ length: count }, (_, index) => `l\nschlüssel-${index}\n0\n`).join(""));
    for (let index = 0; index < count; index += 1) await client.line();
    const reply = await client.ask("stats\n_\n\n");
    expect(Buffer.byteLength(reply)).toBeLessThan(REPLY_LIMIT);
    const stats = JSON.parse(reply.slice(3));
    expect(stats.left_out).toBeGreaterThan(1_000);
    expect(stats.locks.length + stats.left_out).toBe(count);
  });

  it("stay below 1 MiB for one key with thousands in line", async () => {
    const server = await startServer();
    const holder = await server.connect();
    await holder.take("k");
    const line = await Promise.all(
      Array.from({ length: 2_500 }, async () => {
        const client = await server.connect();
        await introduce(client, "\\".repeat(256));
        client.send("l\nk\n600\n");
        return client;
      }),
    );
    await expect
      .poll(async () => (await holder.stats()).locks[0]?.waiters, PATIENT)
      .toBe(line.length);
    const reply = await holder.ask(keyStatsRequest("k"));
    expect(Buffer.byteLength(reply)).toBeLessThan(REPLY_LIMIT);
    const [lock] = JSON.parse(reply.slice(3)).locks;
    expect(lock.waiters).toBe(2_500);
    expect(lock.line.length).toBeGreaterThan(100);
  });
});
