import { describe, expect, it } from "vitest";
import { fenceOf } from "../../../../src/wire/token.ts";
import { startServer, type TestServer } from "../../../helpers/server/server.ts";
import { PATIENT } from "../../../helpers/waiting.ts";

const GRANT = /^ok ([0-9a-f]{32}) (\d+)$/;
const ACQUIRED = /^acquired ([0-9a-f]{32}) (\d+)$/;
const NO_TOKEN = "0".repeat(32);

function tokenOf(reply: string): string {
  return (GRANT.exec(reply) ?? ACQUIRED.exec(reply))?.[1] ?? `no token in ${reply}`;
}

/** Each test of a pair runs with the words for locks and those for semaphores: they are one thing. */
const KINDS = [
  { kind: "lock", s: "", limit: "" },
  { kind: "semaphore of one slot", s: "s", limit: " 1" },
];

describe.each(KINDS)("a $kind", ({ s, limit }) => {
  const one = limit.trim();

  async function pair(server: TestServer) {
    return [await server.connect(), await server.connect()] as const;
  }

  it("l: ok with the default lease, or with the one asked for", async () => {
    const client = await (await startServer()).connect();
    expect(await client.ask(`${s}l\na\n0${limit}\n`)).toMatch(/^ok [0-9a-f]{32} 33$/);
    expect(await client.ask(`${s}l\nb\n0${limit} 60\n`)).toMatch(/^ok [0-9a-f]{32} 60$/);
  });

  it("l: timeout at once with 0, and after the time with more", async () => {
    const [first, second] = await pair(await startServer());
    await first.take("k");
    expect(await second.ask(`${s}l\nk\n0${limit}\n`)).toBe("timeout");
    const start = performance.now();
    expect(await second.ask(`${s}l\nk\n1${limit}\n`)).toBe("timeout");
    expect(performance.now() - start).toBeGreaterThan(990);
  });

  it("l: ok when the holder lets go", async () => {
    const [first, second] = await pair(await startServer());
    const token = await first.take("k");
    second.send(`${s}l\nk\n30${limit}\n`);
    await first.stats();
    expect(await first.ask(`${s}r\nk\n${token}\n`)).toBe("ok");
    expect(await second.line()).toMatch(GRANT);
  });

  it("l: error_max_locks when the table is full, and room again when a key is idle", async () => {
    const client = await (await startServer({ "max-locks": "1" })).connect();
    const token = await client.take("a");
    expect(await client.ask(`${s}l\nb\n0${limit}\n`)).toBe("error_max_locks");
    expect(await client.ask(`${s}e\nb\n${one}\n`)).toBe("error_max_locks");
    await client.free("a", token);
    expect(await client.ask(`${s}l\nb\n0${limit}\n`)).toMatch(GRANT);
  });

  it("l and e: error_max_waiters when the line is full", async () => {
    const server = await startServer({ "max-waiters": "1" });
    const [first, second] = await pair(server);
    const third = await server.connect();
    await first.take("k");
    second.send(`${s}l\nk\n30${limit}\n`);
    await expect.poll(async () => (await first.stats()).locks[0]?.waiters, PATIENT).toBe(1);
    expect(await third.ask(`${s}l\nk\n30${limit}\n`)).toBe("error_max_waiters");
    expect(await third.ask(`${s}e\nk\n${one}\n`)).toBe("error_max_waiters");
  });

  it("e: acquired when it is free, and w answers the same token", async () => {
    const client = await (await startServer()).connect();
    const reply = await client.ask(`${s}e\nk\n${one}${one && " "}60\n`);
    expect(reply).toMatch(/^acquired [0-9a-f]{32} 60$/);
    expect(await client.ask(`${s}w\nk\n0\n`)).toBe(reply.replace("acquired", "ok"));
  });

  it("e: queued, then w waits until the holder lets go", async () => {
    const [first, second] = await pair(await startServer());
    const token = await first.take("k");
    expect(await second.ask(`${s}e\nk\n${one}\n`)).toBe("queued");
    second.send(`${s}w\nk\n30\n`);
    await first.stats();
    await first.free("k", token);
    expect(await second.line()).toMatch(GRANT);
  });

  it("e: granted while nobody waits, then w takes it, with timeout 0 as well", async () => {
    const [first, second] = await pair(await startServer());
    const token = await first.take("k");
    expect(await second.ask(`${s}e\nk\n${one}\n`)).toBe("queued");
    await first.free("k", token);
    expect(await second.ask(`${s}w\nk\n0\n`)).toMatch(GRANT);
  });

  it("e: error when already enqueued, also where it was acquired; free again after w", async () => {
    const client = await (await startServer()).connect();
    const token = tokenOf(await client.ask(`${s}e\nk\n${one}\n`));
    expect(await client.ask(`${s}e\nk\n${one}\n`)).toBe("error");
    expect(await client.ask(`${s}w\nk\n0\n`)).toMatch(GRANT);
    await client.free("k", token);
    expect(await client.ask(`${s}e\nk\n${one}\n`)).toMatch(ACQUIRED);
  });

  it("w: error without e; timeout leaves the line", async () => {
    const [first, second] = await pair(await startServer());
    expect(await second.ask(`${s}w\nk\n0\n`)).toBe("error");
    await first.take("k");
    expect(await second.ask(`${s}e\nk\n${one}\n`)).toBe("queued");
    expect(await second.ask(`${s}w\nk\n0\n`)).toBe("timeout");
    expect(await second.ask(`${s}w\nk\n0\n`)).toBe("error");
  });

  it("w: error, not a dead token, when the lease ran out before it came", async () => {
    const server = await startServer({ "lease-sweep-interval": "0.05" });
    const [first, second] = await pair(server);
    const token = await first.take("k");
    expect(await second.ask(`${s}e\nk\n${one}${one && " "}1\n`)).toBe("queued");
    await first.free("k", token);
    await first.take("k");
    expect(await second.ask(`${s}w\nk\n5\n`)).toBe("error");
  });

  it("r: ok once, then error; any connection may release with the token", async () => {
    const [first, second] = await pair(await startServer());
    const token = await first.take("k");
    expect(await second.ask(`${s}r\nk\n${NO_TOKEN}\n`)).toBe("error");
    expect(await second.ask(`${s}r\nother\n${token}\n`)).toBe("error");
    expect(await second.ask(`${s}r\nk\n${token}\n`)).toBe("ok");
    expect(await first.ask(`${s}r\nk\n${token}\n`)).toBe("error");
  });

  it("n: the full new lease, without one the server's default; error for a wrong token", async () => {
    const client = await (await startServer({ "default-lease-ttl": "20" })).connect();
    const token = await client.take("k", { lease: 60 });
    expect(await client.ask(`${s}n\nk\n${token} 90\n`)).toBe("ok 90");
    expect(await client.ask(`${s}n\nk\n${token}\n`)).toBe("ok 20");
    expect(await client.ask(`${s}n\nk\n${NO_TOKEN}\n`)).toBe("error");
    expect(await client.ask(`${s}n\nother\n${token}\n`)).toBe("error");
  });

  it("n and r: error once the lease has run out, also between two sweeps", async () => {
    const client = await (await startServer({ "lease-sweep-interval": "1000" })).connect();
    const token = await client.take("k", { lease: 1 });
    const other = await client.take("j", { lease: 1 });
    await expect.poll(() => client.ask(`${s}l\nk\n0${limit}\n`), PATIENT).toMatch(GRANT);
    expect(await client.ask(`${s}n\nk\n${token}\n`)).toBe("error");
    expect(await client.ask(`${s}r\nj\n${other}\n`)).toBe("error");
  });
});

describe("slots", () => {
  it("are granted up to the limit, then in order", async () => {
    const server = await startServer();
    const holders = await Promise.all([1, 2, 3].map(() => server.connect()));
    const tokens = await Promise.all(holders.map((client) => client.take("k", { limit: 3 })));
    const waiters = [await server.connect(), await server.connect()];
    for (const [index, waiter] of waiters.entries()) {
      waiter.send("sl\nk\n30 3\n");
      const { semaphores } = await waiterCount(server, index + 1);
      expect(semaphores[0]).toMatchObject({ limit: 3, holders: 3, waiters: index + 1 });
    }
    await holders[1]?.free("k", tokens[1] as string);
    expect(await waiters[0]?.line()).toMatch(GRANT);
    await holders[0]?.free("k", tokens[0] as string);
    expect(await waiters[1]?.line()).toMatch(GRANT);
  });

  async function waiterCount(server: TestServer, count: number) {
    const client = await server.connect();
    await expect
      .poll(async () => (await client.stats()).semaphores[0]?.waiters, PATIENT)
      .toBe(count);
    return client.stats();
  }

  it("in another number than in use: error_limit_mismatch, for locks too; free to change when idle", async () => {
    const client = await (await startServer()).connect();
    const token = await client.take("k", { limit: 2 });
    expect(await client.ask("sl\nk\n0 3\n")).toBe("error_limit_mismatch");
    expect(await client.ask("se\nk\n3\n")).toBe("error_limit_mismatch");
    expect(await client.ask("l\nk\n0\n")).toBe("error_limit_mismatch");
    expect(await client.ask("e\nk\n\n")).toBe("error_limit_mismatch");
    await client.free("k", token);
    expect(await client.ask("l\nk\n0\n")).toMatch(GRANT);
  });
});

describe("tokens", () => {
  it("carry a fence that grows with every grant of the key", async () => {
    const client = await (await startServer()).connect();
    let last = 0;
    for (let round = 0; round < 200; round += 1) {
      const token = await client.take("k");
      const fence = fenceOf(token);
      expect(fence).toBeGreaterThan(last);
      last = fence ?? 0;
      await client.free("k", token);
    }
    expect(Math.abs(last / 1_000 - Date.now())).toBeLessThan(60_000);
  });
});

it("auth on a server without a token: error, and the connection stays", async () => {
  const client = await (await startServer()).connect();
  expect(await client.ask("auth\n_\nsecret\n")).toBe("error");
  expect(await client.ask("l\nk\n0\n")).toMatch(GRANT);
});

it.each(["2147484", "9223372036854775807"])(
  "a wait of %s seconds does not end at once",
  async (seconds) => {
    const server = await startServer();
    const [first, second] = [await server.connect(), await server.connect()];
    const token = await first.take("k");
    second.send(`l\nk\n${seconds}\n`);
    await expect.poll(async () => (await first.stats()).locks[0]?.waiters, PATIENT).toBe(1);
    // A timer that overflows fires after a millisecond: long before these two replies.
    expect(await first.ask("l\nk\n1\n")).toBe("timeout");
    expect((await first.stats()).locks[0]?.waiters).toBe(1);
    await first.free("k", token);
    expect(await second.line()).toMatch(GRANT);
  },
);
