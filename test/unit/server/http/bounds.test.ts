import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openDoor } from "../../../helpers/server/http-door.ts";
import { bodyOf, openRaw, received, sendRaw, statusOf } from "../../../helpers/server/http-raw.ts";
import { startHttp } from "../../../helpers/server/http-server.ts";

/** Sends as fast as the other side reads, until it closes or everything is sent. */
async function flood(socket: Socket, chunk: string | Buffer, times: number): Promise<void> {
  for (let sent = 0; sent < times && !socket.destroyed; sent += 1) {
    if (!socket.write(chunk)) await Promise.race([once(socket, "drain"), once(socket, "close")]);
  }
}

function put(path: string, id: string, ...headers: string[]): string {
  const lines = [
    `PUT ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    `Authorization: Bearer ${id}`,
    ...headers,
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

describe("heads", () => {
  it("of 10 MB get 431 and are not read", async () => {
    const { port, session } = await startHttp();
    const socket = await openRaw(port);
    const answer = received(socket);
    socket.write("GET /k HTTP/1.1\r\nHost: x\r\n");
    await flood(socket, `X-Long: ${"x".repeat(65_526)}\r\n`, 160);
    expect(statusOf(await answer)).toBe(431);
    expect(bodyOf(await answer)).toEqual({
      error: "Request header fields too large",
      message: expect.stringMatching(/16384 bytes/),
    });
    expect((await (await session()).acquire("/k")).status).toBe(200);
  });

  it("of one line of 10 MB likewise, and a path of that length", async () => {
    const { port } = await startHttp();
    for (const start of ["GET /k HTTP/1.1\r\nHost: x\r\nCookie: ", "GET /"]) {
      const socket = await openRaw(port);
      const answer = received(socket);
      socket.write(start);
      await flood(socket, "x".repeat(65_536), 160);
      expect(statusOf(await answer)).toBe(431);
    }
  });

  it("with a thousand short lines are refused once they are too large together", async () => {
    const { port } = await startHttp();
    const lines = Array.from({ length: 3_000 }, (_, index) => `X-${index}: y\r\n`).join("");
    expect(statusOf(await sendRaw(port, `GET /k HTTP/1.1\r\nHost: x\r\n${lines}\r\n`))).toBe(431);
  });

  it.each([
    ["nothing", ""],
    ["half a line", "GET /k HT"],
    ["half a head", "GET /k HTTP/1.1\r\nHost: x\r\nX-"],
  ])("that stop after %s are cut off after the read timeout", async (_, bytes) => {
    const { port } = await startHttp({ "read-timeout": "0.5" });
    const start = performance.now();
    const answer = await sendRaw(port, bytes);
    expect(performance.now() - start).toBeGreaterThan(450);
    if (bytes !== "") {
      expect(statusOf(answer)).toBe(408);
      expect(bodyOf(answer).error).toBe("Request timeout");
    }
  });

  it("that come byte by byte are cut off, too", async () => {
    const { port } = await startHttp({ "read-timeout": "1" });
    const socket = await openRaw(port);
    const answer = received(socket);
    const dribble = setInterval(() => socket.write("x"), 100);
    socket.write("GET /k HTTP/1.1\r\nHost: x\r\nX-Slow: ");
    expect(statusOf(await answer)).toBe(408);
    clearInterval(dribble);
  });
});

describe("bodies", () => {
  it("beyond --max-body get 413, before anything is read where the length is declared", async () => {
    const { port, session } = await startHttp({ "max-body": "1000" });
    const one = await session();
    expect((await one.put("/f", "x".repeat(1_000))).status).toBe(201);
    const socket = await openRaw(port);
    const answer = received(socket);
    socket.write(put("/f", one.id, "Content-Length: 1001"));
    expect(statusOf(await answer)).toBe(413);
    expect(bodyOf(await answer)).toEqual({
      error: "Content too large",
      message: expect.stringMatching(/at most 1000 bytes/),
    });
    expect((await one.ask("/f")).text).toHaveLength(1_000);
  });

  it("beyond --max-body that are already on their way still get their 413", async () => {
    const { session } = await startHttp({ "max-body": "1000" });
    const one = await session();
    for (const size of [1_001, 100_000, 2_000_000]) {
      expect((await one.put("/f", "x".repeat(size))).status).toBe(413);
    }
  });

  it("in chunks beyond --max-body get 413 as soon as they are", async () => {
    const { port, session } = await startHttp({ "max-body": "100000" });
    const one = await session();
    const socket = await openRaw(port);
    const answer = received(socket);
    socket.write(put("/f", one.id, "Transfer-Encoding: chunked"));
    await flood(socket, `2710\r\n${"x".repeat(10_000)}\r\n`, 1_000);
    expect(statusOf(await answer)).toBe(413);
    expect((await one.ask("/f")).status).toBe(404);
    expect((await one.acquire("/f")).status).toBe(200);
  });

  it("are asked for with 100 Continue only where they are wanted", async () => {
    const { port, session } = await startHttp({ "max-body": "1000" });
    const [one, other] = [await session(), await session()];
    const expecting = (size: number) =>
      put("/f", one.id, "Expect: 100-continue", "Connection: close", `Content-Length: ${size}`);
    expect(await sendRaw(port, expecting(5_000))).toMatch(/^HTTP\/1\.1 413 /);
    await other.acquire("/f");
    expect(await sendRaw(port, expecting(500_000_000))).toMatch(/^HTTP\/1\.1 413 /);
    expect(await sendRaw(port, `${expecting(5)}hello`)).toMatch(/^HTTP\/1\.1 423 /);
    await other.release("/f");
    expect(await sendRaw(port, `${expecting(5)}hello`)).toMatch(
      /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /,
    );
    const strange = put("/f", one.id, "Expect: miracles", "Content-Length: 0");
    expect(await sendRaw(port, strange)).toMatch(/^HTTP\/1\.1 417 .*"error":"Expectation failed"/s);
  });

  it("that never come are cut off after the read timeout, and leave no lock behind", async () => {
    const { port, session } = await startHttp({ "read-timeout": "0.5" });
    const one = await session();
    const answer = await sendRaw(port, `${put("/f", one.id, "Content-Length: 100")}half`);
    expect(statusOf(answer)).toBe(408);
    expect((await one.status("/f")).json.locked).toBe(false);
    expect((await one.ask("/f")).status).toBe(404);
  });

  it("that come byte by byte are cut off, and do not hold the lock meanwhile", async () => {
    const { port, session } = await startHttp({ "read-timeout": "2" });
    const [one, other] = [await session(), await session()];
    const socket = await openRaw(port);
    const answer = received(socket);
    socket.write(put("/f", one.id, "Content-Length: 1000000"));
    const dribble = setInterval(() => socket.write("x"), 50);
    await delay(200);
    expect((await other.put("/f", "quick")).status).toBe(201);
    expect(statusOf(await answer)).toBe(408);
    clearInterval(dribble);
    expect((await other.ask("/f")).text).toBe("quick");
  });

  it("of a client that hangs up in the middle change nothing", async () => {
    const { port, session, table } = await openDoor();
    const one = await session();
    const socket = await openRaw(port);
    socket.write(`${put("/f", one.id, "Content-Length: 1000")}half`);
    await delay(50);
    socket.destroy();
    expect((await one.ask("/f")).status).toBe(404);
    expect(table.held).toBe(0);
  });

  it("that nobody wants do not stand in the way of the next request", async () => {
    const { port, session } = await startHttp();
    const one = await session();
    const refused = put("/f", "forged", "Content-Length: 5");
    const next = `GET /k?lock=acquire HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${one.id}\r\n\r\n`;
    const answers = await sendRaw(port, `${refused}hello${next}`);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 401", "HTTP/1.1 200"]);
  });
});
