import { describe, expect, it } from "vitest";
import { HttpClient } from "../../../helpers/server/http-client.ts";
import { beginPut, openRaw, received, statusOf } from "../../../helpers/server/http-raw.ts";
import { adopt, openSession } from "../../../helpers/server/http-server.ts";
import { connectTo, type ServerProcess, startProcess } from "../../../helpers/server/server.ts";
import { PATIENT } from "../../../helpers/waiting.ts";

async function start(...args: string[]): Promise<{ server: ServerProcess; port: number }> {
  const server = await startProcess(["--http-port", "0", ...args]);
  return { server, port: server.httpPort as number };
}

describe("a server that is told to stop", () => {
  it("answers 503 to those who wait, closes connections that are kept alive, and exits with 0", async () => {
    const { server, port } = await start("--read-timeout", "100", "--shutdown-timeout", "100");
    const plain = adopt(new HttpClient(port));
    const [one, other] = [await openSession(plain), await openSession(plain)];
    await one.acquire("/k");
    const waiting = other.acquire("/k", "&wait=60");
    const watch = await connectTo(server.port);
    await expect.poll(async () => (await watch.stats()).locks[0]?.waiters, PATIENT).toBe(1);
    const idle = received(await openRaw(port));
    const told = performance.now();
    server.child.kill("SIGTERM");
    const answer = await waiting;
    expect(answer.status).toBe(503);
    expect(answer.headers["retry-after"]).toBe("5");
    expect(answer.headers.connection).toBe("close");
    expect(answer.json).toEqual({ error: "Server closing", message: expect.any(String) });
    await idle;
    expect(await server.ended).toEqual([0, null]);
    expect(performance.now() - told).toBeLessThan(90_000);
  });

  it("lets a request that is under way come to its end", async () => {
    const { server, port } = await start();
    const one = await openSession(adopt(new HttpClient(port)));
    const { socket, answer } = await beginPut(port, "/f", one.id, 5);
    server.child.kill("SIGTERM");
    await expect.poll(() => server.stderr(), PATIENT).toContain("stopping");
    socket.write("hello");
    // No lock is given any more, so nothing is written: that is said, and not just cut off.
    expect(statusOf(await answer)).toBe(503);
    expect(await server.ended).toEqual([0, null]);
  });

  it("ends live streams", async () => {
    const { server, port } = await start();
    const response = await fetch(`http://127.0.0.1:${port}/admin/events`);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    server.child.kill("SIGTERM");
    while (!(await reader.read()).done);
    expect(await server.ended).toEqual([0, null]);
  });

  it("cuts off those who do not leave, when its time is over", async () => {
    const { server, port } = await start("--shutdown-timeout", "0.5");
    const stuck = await openRaw(port);
    stuck.write("PUT /f HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhel");
    server.child.kill("SIGTERM");
    await received(stuck);
    expect(await server.ended).toEqual([0, null]);
  });
});
