import { describe, expect, it } from "vitest";
import { fenceOf } from "../../../../src/wire/token.ts";
import type { Client } from "../../../helpers/server/client.ts";
import { startServer, type TestServer } from "../../../helpers/server/server.ts";
import { PATIENT } from "../../../helpers/waiting.ts";

const GRANT = /^ok [0-9a-f]{32} \d+$/;

async function waiters(client: Client): Promise<number> {
  return (await client.stats()).locks[0]?.waiters ?? 0;
}

/** Clients that stand in line for `k` in the order of the array. */
async function lineUp(server: TestServer, holder: Client, count: number): Promise<Client[]> {
  const line: Client[] = [];
  for (let index = 0; index < count; index += 1) {
    const client = await server.connect();
    client.send("l\nk\n1000\n");
    line.push(client);
    if (index % 100 === 99 || count < 100) {
      await expect.poll(() => waiters(holder), PATIENT).toBe(index + 1);
    }
  }
  return line;
}

describe("those who wait", () => {
  it("are served in the order in which they came", async () => {
    const server = await startServer();
    const holder = await server.connect();
    let token = await holder.take("k");
    const line = await lineUp(server, holder, 20);
    let client = holder;
    for (const next of line) {
      await client.free("k", token);
      const reply = await next.line();
      expect(reply).toMatch(GRANT);
      token = reply.split(" ")[1] as string;
      client = next;
    }
  });

  it.each(["hangUp", "reset", "finish"] as const)(
    "and leave by %s are gone at once",
    async (how) => {
      const server = await startServer();
      const holder = await server.connect();
      await holder.take("k");
      const [first, second] = await lineUp(server, holder, 2);
      first?.[how]();
      await expect.poll(() => waiters(holder), PATIENT).toBe(1);
      holder.hangUp();
      expect(await second?.line()).toMatch(GRANT);
    },
  );

  it("get the lock when its holder hangs up, resets, or its lease runs out", async () => {
    const server = await startServer({ "lease-sweep-interval": "0.05" });
    for (const how of ["hangUp", "reset", "expire"] as const) {
      const holder = await server.connect();
      await holder.take("k", { lease: 1 });
      const [next] = await lineUp(server, holder, 1);
      if (how !== "expire") holder[how]();
      expect(await next?.line()).toMatch(GRANT);
      next?.hangUp();
    }
  });

  it("who send ahead a great deal are held up, not read into memory, and served in the end", async () => {
    const server = await startServer();
    const [holder, greedy] = [await server.connect(), await server.connect()];
    const token = await holder.take("k");
    const count = 1_000_000;
    greedy.send("l\nk\n1000\n");
    greedy.send(Buffer.from("r\nk\nnone\n".repeat(count)));
    await expect.poll(() => waiters(holder), PATIENT).toBe(1);
    // Several megabytes in: most of them must still be with the client and the kernel.
    await holder.stats();
    expect(greedy.socket.writableLength).toBeGreaterThan(1_000_000);
    await holder.free("k", token);
    expect(await greedy.line()).toMatch(GRANT);
    expect(await greedy.line()).toBe("error");
    greedy.hangUp();
    await holder.take("k");
  });
});

it("5,000 wait and half of them hang up: the others are served in order", {
  timeout: 300_000,
}, async () => {
  const server = await startServer();
  const holder = await server.connect();
  const token = await holder.take("k");
  const line = await lineUp(server, holder, 5_000);
  const staying = line.filter((_, index) => index % 2 === 0);
  const leaving = line.filter((_, index) => index % 2 === 1);
  for (const client of leaving) client.hangUp();
  await expect.poll(() => waiters(holder), PATIENT).toBe(2_500);

  await holder.free("k", token);
  let fence = fenceOf(token) as number;
  for (const [index, client] of staying.entries()) {
    const reply = await client.line();
    expect(reply).toMatch(GRANT);
    expect(staying[index + 1]?.lines ?? []).toEqual([]);
    const next = reply.split(" ")[1] as string;
    expect(fenceOf(next)).toBeGreaterThan(fence);
    fence = fenceOf(next) as number;
    await client.free("k", next);
    client.hangUp();
  }
  await expect.poll(async () => (await holder.stats()).locks.length, PATIENT).toBe(0);
  expect((await holder.stats()).connections).toBe(1);
});
