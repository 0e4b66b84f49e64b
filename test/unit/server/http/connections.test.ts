import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openDoor } from "../../../helpers/server/http-door.ts";
import { openRaw, received, sendRaw, statusOf } from "../../../helpers/server/http-raw.ts";
import { startHttp } from "../../../helpers/server/http-server.ts";
import { PATIENT } from "../../../helpers/waiting.ts";

describe("time", () => {
  it("for reading does not bound waiting", async () => {
    const { session } = await startHttp({ "read-timeout": "0.5" });
    const [one, other] = [await session(), await session()];
    await one.acquire("/k");
    const waiting = other.acquire("/k", "&wait=60");
    await delay(2_500);
    await one.release("/k");
    expect((await waiting).status).toBe(200);
  });

  it("for idle connections is the read timeout", async () => {
    const { port } = await startHttp({ "read-timeout": "1" });
    const socket = await openRaw(port);
    const answer = received(socket);
    socket.write("GET /k HTTP/1.1\r\nHost: x\r\n\r\n");
    const start = performance.now();
    expect(statusOf(await answer)).toBe(401);
    expect(performance.now() - start).toBeGreaterThan(900);
  });

  it("for clients that do not read is the write timeout", async () => {
    const { port, session, server } = await startHttp({ "write-timeout": "0.5" });
    const one = await session();
    await one.put("/big", Buffer.alloc(2 ** 24));
    const socket = await openRaw(port);
    socket.pause();
    const ask = `GET /big HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${one.id}\r\n\r\n`;
    socket.write(ask.repeat(4));
    await expect.poll(() => server.printed.log, PATIENT).toContain("client does not read");
    socket.resume();
    await once(socket, "close");
  });
});

describe("connections", () => {
  it("beyond --max-connections are refused, and there is room again afterwards", async () => {
    const { port, server } = await startHttp({ "max-connections": "2" });
    const held = [await openRaw(port), await openRaw(port)];
    await expect.poll(async () => (await sendRaw(port, "")) === "", PATIENT).toBe(true);
    expect(server.printed.log).toContain("connection refused");
    for (const socket of held) socket.destroy();
    await expect
      .poll(
        async () =>
          statusOf(await sendRaw(port, "GET /k HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")),
        PATIENT,
      )
      .toBe(401);
  });

  it("that send a thousand requests ahead are closed", async () => {
    const { port, session, table } = await openDoor();
    const [one, other] = [await session(), await session()];
    await one.acquire("/k");
    const ask = `GET /k?lock=acquire&wait=60 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${other.id}\r\n\r\n`;
    expect(await sendRaw(port, ask.repeat(1_000))).toBe("");
    await one.release("/k");
    await expect.poll(() => table.held, PATIENT).toBe(0);
  });

  it("answer requests that were sent ahead in their order", async () => {
    const { port, session } = await startHttp();
    const { id } = await session();
    const ask = (path: string, last = "") =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\n${last}Authorization: Bearer ${id}\r\n\r\n`;
    const answers = await sendRaw(
      port,
      ask("/k?lock=acquire") +
        ask("/k?lock=refresh") +
        ask("/k?lock=release") +
        ask("/k?lock=refresh", "Connection: close\r\n"),
    );
    expect(answers.match(/Lock (acquired|refreshed|released|not found)/g)).toEqual([
      "Lock acquired",
      "Lock refreshed",
      "Lock released",
      "Lock not found",
    ]);
  });
});
