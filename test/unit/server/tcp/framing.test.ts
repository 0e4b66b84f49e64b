import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { startServer } from "../../../helpers/server/server.ts";

const GRANT = /^ok [0-9a-f]{32} 33$/;

/** A conversation whose replies do not depend on tokens. */
const TALK =
  "auth\n_\nx\nw\nk\n0\nr\nk\nnone\nn\nk\nnone 5\ne\nk\n\nsl\nk\n0 2\nl\nk\n0\nw\nk\n0\n";
const REPLIES = [
  "error",
  "error",
  "error",
  "error",
  /^acquired /,
  "error_limit_mismatch",
  "timeout",
  GRANT,
];

describe("bytes on a real socket", () => {
  it("are understood when cut at every byte", async () => {
    const server = await startServer();
    for (let cut = 1; cut < TALK.length; cut += 1) {
      const client = await server.connect();
      client.send(TALK.slice(0, cut));
      await turn();
      client.send(TALK.slice(cut));
      for (const reply of REPLIES) expect(await client.line()).toEqual(matching(reply));
      client.hangUp();
      await server.connect().then((other) => other.take("k").then(() => other.hangUp()));
    }
  });

  it("are understood when they come one by one", async () => {
    const client = await (await startServer()).connect();
    for (const byte of TALK) {
      client.send(byte);
      await turn();
    }
    for (const reply of REPLIES) expect(await client.line()).toEqual(matching(reply));
  });

  it("are understood when many requests are glued together, and answered in order", async () => {
    const client = await (await startServer({ "max-locks": "0" })).connect();
    const count = 20_000;
    let requests = "";
    for (let index = 0; index < count; index += 1) requests += `l\nkey${index}\n0 ${index + 1}\n`;
    client.send(requests);
    for (let index = 0; index < count; index += 1) {
      expect(await client.line()).toMatch(new RegExp(` ${index + 1}$`));
    }
  });

  it("behind a request that waits are served after it, in order", async () => {
    const server = await startServer();
    const [first, second] = [await server.connect(), await server.connect()];
    const token = await first.take("k");
    second.send("l\nk\n30\nl\nother\n0\nr\nother\nnone\n");
    await first.stats();
    await first.free("k", token);
    expect(await second.line()).toMatch(GRANT);
    expect(await second.line()).toMatch(GRANT);
    expect(await second.line()).toBe("error");
  });

  it("with carriage returns are understood", async () => {
    const client = await (await startServer()).connect();
    expect(await client.ask("l\r\nk\r\n0\r\n")).toMatch(GRANT);
  });
});

describe("a client that closes its side behind the request", () => {
  it("is still answered, and what it got is freed", async () => {
    const server = await startServer();
    const client = await server.connect();
    client.send("l\nk\n10\n");
    client.finish();
    expect(await client.line()).toMatch(GRANT);
    await client.untilClosed();
    await (await server.connect()).take("k", { timeout: 0 });
  });

  it("is still answered when it sent several, the last of them in part", async () => {
    const client = await (await startServer()).connect();
    client.send("l\na\n10\nl\nb\n10\nl\nc");
    client.finish();
    expect(await client.line()).toMatch(GRANT);
    expect(await client.line()).toMatch(GRANT);
    await client.untilClosed();
    expect(client.lines).toEqual([]);
  });

  it("does not wait: it is told timeout, at once and also in the middle of waiting", async () => {
    const server = await startServer();
    const [holder, before, later] = [
      await server.connect(),
      await server.connect(),
      await server.connect(),
    ];
    await holder.take("k");
    before.send("l\nk\n1000\nl\nk\n1000\n");
    before.finish();
    expect(await before.line()).toBe("timeout");
    expect(await before.line()).toBe("timeout");
    later.send("l\nk\n1000\n");
    await holder.stats();
    later.finish();
    expect(await later.line()).toBe("timeout");
    expect((await holder.stats()).locks[0]?.waiters).toBe(0);
  });
});

describe("a protocol violation", () => {
  it.each([
    ["an unknown command", "x\nk\n1\n"],
    ["a number that is none", "l\nk\nten\n"],
    ["an empty key", "l\n\n1\n"],
    ["a negative timeout", "w\nk\n-1\n"],
    ["an empty token", "r\nk\n\n"],
    ["a wrong number of arguments", "sl\nk\n1\n"],
    ["a lease of zero", "l\nk\n1 0\n"],
    ["a line too long", `l\n${"k".repeat(257)}\n1\n`],
    ["a line too long that never ends", "x".repeat(100_000)],
    ["a limit of zero", "sl\nk\n1 0\n"],
    ["a web request", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"],
  ])("(%s) gets error and the connection is closed", async (_, bytes) => {
    const client = await (await startServer()).connect();
    expect(await client.ask(bytes)).toBe("error");
    await client.untilClosed();
    expect(client.lines).toEqual([]);
  });

  it("comes after the replies to what stood before it, and frees what was held", async () => {
    const server = await startServer();
    const client = await server.connect();
    client.send("l\na\n0\nl\nb\n0\nx\n\n\nl\nc\n0\n");
    expect(await client.line()).toMatch(GRANT);
    expect(await client.line()).toMatch(GRANT);
    expect(await client.line()).toBe("error");
    await client.untilClosed();
    const other = await server.connect();
    await other.take("a", { timeout: 0 });
    expect((await other.stats()).locks.map(({ key }) => key)).toEqual(["a"]);
  });

  it("is answered though the client is still sending", async () => {
    const client = await (await startServer()).connect();
    client.send("x\n\n\n");
    client.send(Buffer.alloc(500_000, "l\nk\n0\n"));
    expect(await client.line()).toBe("error");
    await client.untilClosed();
  });
});

function matching(reply: string | RegExp): unknown {
  return typeof reply === "string" ? reply : expect.stringMatching(reply);
}
