import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { connect, createServer, type Server, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { startServer } from "../../../helpers/server/server.ts";
import { hold, KEY, open, refused, request, SECRET } from "../../../helpers/tcp/support.ts";

/** A port that speaks as it is told. */
async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as { port: number }).port;
}

/** Hands a connection on to a real server, with what was already read of it. */
function relay(socket: Socket, bytes: Buffer, port: number): void {
  const server = connect({ port, host: "127.0.0.1" });
  server.on("error", () => socket.destroy());
  server.write(bytes);
  socket.pipe(server).pipe(socket);
}

function local(port: number): string {
  return `tcp://127.0.0.1:${port}`;
}

describe("a server that cannot be reached", () => {
  it("nothing listens on the port", async () => {
    const server = createServer();
    const port = await listen(server);
    server.close();
    await once(server, "close");
    const error = await refused(local(port));
    expect(error).toMatchObject({ code: "STORE_UNREACHABLE" });
    expect(error.message).toContain(`${local(port)} cannot be reached: nothing listens`);
  });

  it("the host name is not known", async () => {
    const error = await refused("tcp://no-such-host.invalid");
    expect(error).toMatchObject({ code: "STORE_UNREACHABLE" });
    expect(error.message).toContain("no-such-host.invalid:6388 cannot be reached: the host name");
  });

  it("says so of every question, not only of claims", async () => {
    const store = await open("tcp://no-such-host.invalid");
    const unreachable = { code: "STORE_UNREACHABLE" };
    await expect(store.inspect(KEY)).rejects.toMatchObject(unreachable);
    await expect(store.list()).rejects.toMatchObject(unreachable);
    await expect(store.verify({ key: KEY, fence: 1, slot: 0 })).rejects.toMatchObject(unreachable);
    await expect(store.break(KEY, { reason: "a test", owner: "me" })).rejects.toMatchObject(
      unreachable,
    );
  });

  it("has as many connections as it takes", async () => {
    const { port, connect } = await startServer({ "max-connections": "1" });
    await connect();
    const error = await refused(local(port));
    expect(error).toMatchObject({ code: "STORE_UNREACHABLE" });
    expect(error.message).toContain("--max-connections");
  });
});

describe("a port that speaks something else", () => {
  it("HTTP", async () => {
    const port = await listen(createHttpServer((_, response) => response.end("hello")));
    const error = await refused(local(port), { token: SECRET });
    expect(error).toMatchObject({ code: "STORE_UNREACHABLE" });
    expect(error.message).toContain('it says "HTTP/1.1 400 Bad Request"');
  });

  it("SSH, which speaks first", async () => {
    const port = await listen(createServer((socket) => socket.write("SSH-2.0-OpenSSH_9.6\r\n")));
    expect((await refused(local(port))).message).toContain('it says "SSH-2.0-OpenSSH_9.6"');
  });

  it("an echo, which never gets to show the token", async () => {
    const port = await listen(createServer((socket) => socket.pipe(socket)));
    const error = await refused(local(port), { token: SECRET });
    expect(error).toMatchObject({ code: "STORE_UNREACHABLE" });
  });

  it("one that answers with the token itself", async () => {
    const port = await listen(createServer((socket) => socket.write(`what is ${SECRET}?\n`)));
    expect((await refused(local(port), { token: SECRET })).message).toContain("what is ***?");
  });

  it("silence", async () => {
    const port = await listen(createServer());
    const error = await refused(local(port));
    expect(error).toMatchObject({ code: "STORE_UNREACHABLE" });
    expect(error.message).toContain("did not answer within 10s");
  });

  it("silence, to one who has less time than that", async () => {
    const store = await open(local(await listen(createServer())));
    await expect(store.claim(request("hasty"), { timeout: 200 })).rejects.toMatchObject({
      code: "STORE_UNREACHABLE",
      message: expect.stringContaining("does not answer"),
    });
  });

  it("silence, to one who loses patience", async () => {
    const store = await open(local(await listen(createServer())));
    const controller = new AbortController();
    const start = performance.now();
    const claims = ["one", "another"].map((id) =>
      expect(store.claim(request(id), { signal: controller.signal })).rejects.toMatchObject({
        code: "ABORTED",
      }),
    );
    controller.abort();
    await Promise.all(claims);
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  it("a line that never ends", async () => {
    const port = await listen(
      createServer((socket) => {
        const pour = () => {
          while (socket.writable && socket.write("x".repeat(65_536)));
        };
        socket.on("drain", pour);
        pour();
      }),
    );
    expect((await refused(local(port))).message).toContain("a line without end");
  });
});

describe("a server that asks for a token", () => {
  it("takes the right one, whatever white space stands around it", async () => {
    const { port } = await startServer({ "auth-token": SECRET });
    const holding = await hold(await open(local(port), { token: ` ${SECRET}\n` }), "known");
    expect(await holding.release()).toBe("released");
  });

  it("refuses a wrong one, and none", async () => {
    const { port } = await startServer({ "auth-token": SECRET });
    const wrong = await refused(local(port), { token: "guess" });
    expect(wrong).toMatchObject({ code: "STORE_DENIED" });
    expect(wrong.message).toContain("does not accept the token");
    expect(wrong.message).not.toContain("guess");
    const none = await refused(local(port));
    expect(none).toMatchObject({ code: "STORE_DENIED" });
    expect(none.message).toContain("HOLDFAST_TOKEN");
  });

  it("is told from one that asks for none: the token does no harm there", async () => {
    const { port } = await startServer();
    const store = await open(local(port), { token: SECRET });
    expect(await (await hold(store, "cautious")).release()).toBe("released");
    expect(await store.list()).toEqual([]);
  });

  it("is told from one that closes when it is shown a token it does not want", async () => {
    const { port } = await startServer();
    const strict = await listen(
      createServer((socket) => {
        socket.once("data", (bytes: Buffer) => {
          if (bytes.toString().startsWith("auth")) socket.end("error\n");
          else relay(socket, bytes, port);
        });
      }),
    );
    const store = await open(local(strict), { token: SECRET });
    expect(await (await hold(store, "cautious")).release()).toBe("released");
  });

  it.each(["two\nlines", "x".repeat(257)])("cannot be sent every token", async (token) => {
    const { port } = await startServer({ "auth-token": SECRET });
    const error = await refused(local(port), { token });
    expect(error).toMatchObject({ code: "BAD_OPTION" });
    expect(error.message).not.toContain(token);
  });
});

describe("a server with limits", () => {
  it("has as many keys as it may", async () => {
    const { port } = await startServer({ "max-locks": "1" });
    await hold(await open(local(port)), "first", { key: "other" });
    const error = await refused(local(port));
    expect(error).toMatchObject({ code: "STORE_FULL" });
    expect(error.message).toContain("--max-locks");
  });

  it("has a full line: an error to those who would wait, a timeout to those who would not", async () => {
    const { port } = await startServer({ "max-waiters": "1" });
    const store = await open(local(port));
    await hold(store, "holder");
    const leave = new AbortController();
    const waiting = store.claim(request("waiter"), { signal: leave.signal });
    await expect.poll(async () => (await store.inspect(KEY)).waiting).toBe(1);
    const error = await refused(local(port), {}, null);
    expect(error).toMatchObject({ code: "STORE_FULL" });
    expect(error.message).toContain("--max-waiters");
    await expect(store.claim(request("hasty"), { timeout: 0 })).rejects.toMatchObject({
      code: "TIMEOUT",
    });
    leave.abort();
    await expect(waiting).rejects.toMatchObject({ code: "ABORTED" });
  });
});

describe("what the wire cannot do", () => {
  it("breaks no lock, and says what to do instead", async () => {
    const { port } = await startServer();
    const store = await open(local(port));
    const options = { reason: "a test", owner: "tester" };
    expect(await store.break(KEY, options)).toEqual({ broken: [] });
    const holding = await hold(store, "ci-1-deploy");
    await expect(store.break(KEY, options)).rejects.toMatchObject({
      code: "NOT_SUPPORTED",
      message: expect.stringMatching(
        /cannot be broken.*http:\/\/ .*address of the same server.*end its holder ci-1-deploy/,
      ),
    });
    await holding.renew();
  });
});
