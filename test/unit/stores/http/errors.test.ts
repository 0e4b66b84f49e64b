import { once } from "node:events";
import { createServer as createTcpServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { Relay } from "../../../helpers/http/relay.ts";
import { local, served } from "../../../helpers/http/served.ts";
import { hold, KEY, open, refused, request, SECRET } from "../../../helpers/tcp/support.ts";

/** A port that says what it is told to whoever connects. */
async function speaking(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    onConnection(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return local((server.address() as { port: number }).port);
}

const UNREACHABLE = { code: "STORE_UNREACHABLE" };

describe("a server that cannot be reached", () => {
  it("nothing listens on the port", async () => {
    const error = await refused(local(1));
    expect(error).toMatchObject(UNREACHABLE);
    expect(error.message).toContain("http://127.0.0.1:1 cannot be reached: nothing listens");
  });

  it("the host name is not known, and every question says so", async () => {
    const error = await refused("http://no-such-host.invalid/deploys");
    expect(error.message).toContain(
      "no-such-host.invalid/deploys cannot be reached: the host name",
    );
    const store = await open("http://no-such-host.invalid");
    await expect(store.inspect(KEY)).rejects.toMatchObject(UNREACHABLE);
    await expect(store.list()).rejects.toMatchObject(UNREACHABLE);
    await expect(store.verify({ key: KEY, fence: 1, slot: 0 })).rejects.toMatchObject(UNREACHABLE);
    const options = { reason: "a test", owner: "me" };
    await expect(store.break(KEY, options)).rejects.toMatchObject(UNREACHABLE);
    await expect(store.history?.(KEY, { limit: 5 })).rejects.toMatchObject(UNREACHABLE);
  });

  it("silence", async () => {
    const error = await refused(await speaking(() => {}));
    expect(error).toMatchObject(UNREACHABLE);
    expect(error.message).toContain("did not answer within 10s");
  });

  it("silence, to a look: it fails sooner", async () => {
    const store = await open(await speaking(() => {}));
    const soon = { ...UNREACHABLE, message: expect.stringContaining("did not answer within 5s") };
    await Promise.all(
      [store.inspect(KEY), store.list(), store.history?.(KEY, { limit: 5 })].map((look) =>
        expect(look).rejects.toMatchObject(soon),
      ),
    );
  });

  it("silence, to one who has less time than that, or loses patience", async () => {
    const store = await open(await speaking(() => {}));
    await expect(store.claim(request("hasty"), { timeout: 200 })).rejects.toMatchObject({
      code: "STORE_UNREACHABLE",
      message: expect.stringContaining("does not answer"),
    });
    const controller = new AbortController();
    const start = performance.now();
    const claimed = store.claim(request("leaves"), { signal: controller.signal });
    controller.abort();
    await expect(claimed).rejects.toMatchObject({ code: "ABORTED" });
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  it("an answer that comes drop by drop is not waited for without end", async () => {
    const drops = await speaking((socket) => {
      socket.write("HTTP/1.1 201 Created\r\ncontent-type: application/json\r\n\r\n");
      const timer = setInterval(() => socket.write(" "), 200);
      socket.on("close", () => clearInterval(timer));
    });
    expect((await refused(drops)).message).toContain("did not answer within 10s");
  });
});

describe("a port that speaks something else", () => {
  it.each([
    ["SSH", "SSH-2.0-OpenSSH_9.6\r\n", "does not speak HTTP"],
    ["nothing, and hangs up", "", "closed the connection without an answer"],
    [
      "half of an answer",
      'HTTP/1.1 201 Created\r\ncontent-length: 99\r\n\r\n{"sess',
      "in the middle",
    ],
    [
      "a head that never ends",
      `HTTP/1.1 200 OK\r\nx: ${"x".repeat(99_999)}`,
      "does not speak HTTP",
    ],
  ])("%s", async (_, text, sentence) => {
    const error = await refused(await speaking((socket) => socket.end(text)), { token: SECRET });
    expect(error).toMatchObject(UNREACHABLE);
    expect(error.message).toContain(sentence);
  });

  it("an answer that never ends", async () => {
    const endless = await speaking((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n");
      const pour = () => {
        while (socket.writable && socket.write("x".repeat(65_536)));
      };
      socket.on("drain", pour);
      pour();
    });
    expect((await refused(endless)).message).toContain("answers without end");
  });

  const page = "<html><head><title>It works!</title></head></html>";
  it.each([
    ["a page", { status: 200, body: page }, 'it answers 200 with text/html, "It works!"'],
    ["a page where sessions should be", { status: 404, body: page }, "knows no sessions (404"],
    ["an upload form", { status: 405, body: page }, "knows no sessions (405"],
    ["JSON of another kind", { status: 200, body: { hello: 1 } }, "200 with other fields"],
    ["a gateway", { status: 502, body: "<title>Bad Gateway</title>" }, '502, "Bad Gateway"'],
    ["a gateway in a hurry", { status: 504, body: "" }, '504, "Gateway Timeout"'],
    ["a limiter", { status: 429, body: { error: "slow down" } }, "is asked too often (429"],
    ["a strict one", { status: 413, body: { error: "too big" } }, "as too large (413"],
    ["a guard", { status: 403, body: page }, "forbids it (403"],
    ["a proxy that wants a password", { status: 407, body: page }, "wants a user and a password"],
  ])("%s", async (_, treatment, sentence) => {
    const relay = await Relay.start(() => treatment);
    const error = await refused(relay.url);
    expect(error.message).toContain(sentence);
    expect(error.message).toContain(relay.url);
  });

  it("one that answers with the token itself", async () => {
    const relay = await Relay.start(() => ({ status: 200, body: `what is ${SECRET}?` }));
    expect((await refused(relay.url, { token: SECRET })).message).toContain("what is ***?");
  });

  it("a server that lost its mind after it opened the session", async () => {
    const { httpPort } = await served();
    const relay = await Relay.start(
      (line) => (line.includes("lock=acquire") ? { status: 200, body: page } : {}),
      httpPort,
    );
    const error = await refused(relay.url, {}, null);
    expect(error.message).toContain("does not speak the file-locking API");
    expect(await (await open(local(httpPort))).list()).toEqual([]);
  });
});

describe("a server that redirects", () => {
  it("elsewhere is not followed, least of all with a token, and the sentence says where to", async () => {
    const elsewhere = await Relay.start(() => ({ status: 500 }));
    const to = `${elsewhere.url}/auth/session?secret=1`;
    const relay = await Relay.start(() => ({ status: 302, headers: { location: to } }));
    for (const error of [await refused(relay.url, { token: SECRET }), await lookedAt(relay.url)]) {
      expect(error).toMatchObject(UNREACHABLE);
      expect(error.message).toContain(`"${elsewhere.url}/`);
      expect(error.message).toContain(`if that is right, use ${elsewhere.url}`);
      expect(error.message).not.toContain("secret=1");
    }
    expect(elsewhere.requests).toEqual([]);
  });

  it("to another path of its own is followed, three times at most", async () => {
    const { httpPort, url } = await served();
    const holding = await hold(await open(url), "holder");
    let hops = 3;
    const relay = await Relay.start((line) => {
      if (!line.startsWith("GET") || hops-- <= 0) return {};
      return { status: 307, headers: { location: line.slice(4) } };
    }, httpPort);
    const store = await open(relay.url);
    expect((await store.inspect(KEY)).holders.map(({ owner }) => owner)).toEqual(["holder"]);
    hops = 4;
    expect((await lookedAt(relay.url)).message).toContain("redirects (307)");
    await holding.release();
  });

  it("without saying where", async () => {
    const relay = await Relay.start(() => ({ status: 301 }));
    expect((await refused(relay.url)).message).toContain("redirects (301) without saying where");
  });

  async function lookedAt(url: string): Promise<Error> {
    const store = await open(url, { token: SECRET });
    return store.inspect(KEY).then(
      () => new Error("it was answered"),
      (error: Error) => error,
    );
  }
});
