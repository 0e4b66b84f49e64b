import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { Client } from "../../../helpers/server/client.ts";
import { adopt, connectTo, startServer } from "../../../helpers/server/server.ts";
import { PATIENT } from "../../../helpers/waiting.ts";

const GRANT = /^ok [0-9a-f]{32} \d+$/;

/** A wire that can go dead: no bytes any more in either direction, and no FIN. */
async function startCable(
  port: number,
): Promise<{ port: number; cut: () => void; close: () => void }> {
  const ends: Socket[] = [];
  let dead = false;
  const server = createServer((near) => {
    const far = connect({ port, host: "127.0.0.1" });
    ends.push(near, far);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on("data", (chunk) => dead || to.write(chunk));
      from.on("end", () => dead || to.end());
      from.on("error", () => {});
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as { port: number }).port,
    cut: () => {
      dead = true;
    },
    close: () => {
      for (const end of ends) end.destroy();
      server.close();
    },
  };
}

describe("a silent client", () => {
  it("is told error, cut off after the read timeout, and loses its lock", async () => {
    const server = await startServer({ "read-timeout": "2" });
    const [silent, next] = [await server.connect(), await server.connect()];
    const start = performance.now();
    await silent.take("k");
    next.send("l\nk\n60\n");
    expect(await silent.line()).toBe("error");
    expect(performance.now() - start).toBeGreaterThan(2_000);
    await silent.untilClosed();
    expect(await next.line()).toMatch(GRANT);
    expect(server.printed.log).toContain("code=10");
  });

  it("that sends a request byte by byte, never ending it, is cut off all the same", async () => {
    const client = await (await startServer({ "read-timeout": "2" })).connect();
    const slow = setInterval(() => client.send("x"), 100);
    expect(await client.line()).toBe("error");
    clearInterval(slow);
    await client.untilClosed();
  });

  it("may be silent as long as it likes while its own request waits", async () => {
    const server = await startServer({ "read-timeout": "2" });
    const [holder, waiter] = [await server.connect(), await server.connect()];
    const token = await holder.take("k");
    waiter.send("l\nk\n60\n");
    for (let round = 0; round < 15; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(await holder.ask(`n\nk\n${token}\n`)).toBe("ok 33");
    }
    await holder.free("k", token);
    expect(await waiter.line()).toMatch(GRANT);
  });

  it("whose cable was cut without a word is found, and its lock goes to the next", async () => {
    const server = await startServer({ "read-timeout": "2" });
    const cable = await startCable(server.port);
    const [lost, next] = [await connectTo(cable.port), await server.connect()];
    await lost.take("k");
    next.send("l\nk\n60\n");
    cable.cut();
    expect(await next.line()).toMatch(GRANT);
    cable.close();
  });

  it("whose cable was cut while it waited gets its turn and loses it again", async () => {
    const server = await startServer({ "read-timeout": "2" });
    const cable = await startCable(server.port);
    const [holder, lost, next] = [
      await server.connect(),
      await connectTo(cable.port),
      await server.connect(),
    ];
    const token = await holder.take("k");
    lost.send("l\nk\n60\n");
    await expect.poll(async () => (await holder.stats()).locks[0]?.waiters, PATIENT).toBe(1);
    next.send("l\nk\n60\n");
    cable.cut();
    await holder.free("k", token);
    expect(await next.line()).toMatch(GRANT);
    cable.close();
  });
});

describe("a client that does not read", () => {
  it("is not served any further, and cut off after the write timeout", async () => {
    const server = await startServer({ "write-timeout": "1", "max-locks": "0" });
    const [greedy, other] = [await server.connect(), await server.connect()];
    for (let index = 0; index < 2_000; index += 1) await other.take(`key-${index}`, { timeout: 0 });
    greedy.socket.pause();
    greedy.send(Buffer.from("stats\n_\n\n".repeat(2_000)));
    await expect.poll(() => server.printed.log, PATIENT).toContain("client does not read");
    await expect.poll(async () => (await other.stats()).connections, PATIENT).toBe(1);
  });

  it("stays with a write timeout of 0, and is served when it reads", async () => {
    const server = await startServer({ "write-timeout": "0", "read-timeout": "2" });
    const [greedy, other] = [await server.connect(), await server.connect()];
    for (let index = 0; index < 500; index += 1) await other.take(`key-${index}`, { timeout: 0 });
    greedy.socket.pause();
    const count = 400;
    greedy.send(Buffer.from("stats\n_\n\n".repeat(count)));
    for (let round = 0; round < 15; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      await other.stats();
    }
    greedy.socket.resume();
    for (let index = 0; index < count; index += 1) expect(await greedy.line()).toMatch(/^ok \{/);
  });
});

describe("connections", () => {
  it("beyond the limit are closed without a word, and there is room again later", async () => {
    const server = await startServer({ "max-connections": "2" });
    const [first, second] = [await server.connect(), await server.connect()];
    await first.take("a");
    await second.take("b");
    const third = await server.connect();
    await third.untilClosed();
    expect(third.lines).toEqual([]);
    expect(server.printed.log).toContain("max-connections");
    second.hangUp();
    await expect
      .poll(async () => {
        const next = adopt(await Client.open(server.port));
        return next.ask("l\nb\n0\n").catch(() => "closed");
      }, PATIENT)
      .toMatch(GRANT);
  });

  it("keep what they held when auto-release is off, until the lease ends or another renews it", async () => {
    const server = await startServer({
      "auto-release-on-disconnect": "false",
      "lease-sweep-interval": "0.05",
    });
    const [first, second] = [await server.connect(), await server.connect()];
    const token = await first.take("k", { lease: 3 });
    first.hangUp();
    await expect.poll(async () => (await second.stats()).connections, PATIENT).toBe(1);
    expect(await second.ask("l\nk\n0\n")).toBe("timeout");
    expect(await second.ask(`n\nk\n${token} 1\n`)).toBe("ok 1");
    expect(await second.ask("l\nk\n60\n")).toMatch(GRANT);
  });

  it("that only open and close leave nothing behind", async () => {
    const server = await startServer();
    const clients = await Promise.all(Array.from({ length: 200 }, () => server.connect()));
    for (const client of clients) client.reset();
    const last = await server.connect();
    await expect.poll(async () => (await last.stats()).connections, PATIENT).toBe(1);
  });
});

it("idle keys are forgotten", async () => {
  const client = await (
    await startServer({ "gc-interval": "0.05", "gc-max-idle": "0.2" })
  ).connect();
  await client.free("k", await client.take("k"));
  await client.free("s", await client.take("s", { limit: 2 }));
  const { idle_locks, idle_semaphores } = await client.stats();
  expect([idle_locks[0]?.key, idle_semaphores[0]?.key]).toEqual(["k", "s"]);
  await expect.poll(async () => (await client.stats()).idle_locks, PATIENT).toEqual([]);
});
