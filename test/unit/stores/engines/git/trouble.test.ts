import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { KEY, onEnd, opened, put, served } from "./kit.ts";

describe("an answer that is lost", () => {
  it.each([
    ["cut after git carried it out", { kind: "cut" }, true],
    ["cut before git heard of it", { kind: "refuse" }, false],
    ["cut in the middle of the answer", { kind: "halve" }, true],
    ["502 after git carried it out", { kind: "status", status: 502, after: true }, true],
    ["502 without it", { kind: "status", status: 502 }, false],
    ["504 after it", { kind: "status", status: 504, after: true }, true],
    ["500", { kind: "status", status: 500 }, false],
    ["503 without a word about when", { kind: "status", status: 503 }, false],
    ["an empty 200", { kind: "status", status: 200 }, false],
    [
      "a page in place of a report",
      { kind: "status", status: 200, headers: { "content-type": "text/html" }, body: "<title>Hi" },
      false,
    ],
    [
      "a report without an end",
      {
        kind: "status",
        status: 200,
        headers: { "content-type": "application/x-git-receive-pack-result" },
        body: "0030\u0001000eunpack ok\n",
        after: true,
      },
      true,
    ],
  ] as const)("%s: unknown, and a read settles it", async (_name, fault, stands) => {
    const server = await served();
    const register = opened(server.url);
    const first = await put(register, KEY, null, "1");
    server.failNext("push", fault);
    const swap = await register.swap(KEY, first, "2");
    expect(swap).toEqual({ outcome: "unknown", why: expect.stringMatching(/\w/) });
    expect(server.counts.push).toBe(2);
    expect((await register.read(KEY, { strong: true })).text).toBe(stands ? "2" : "1");
  });

  it("is unknown after the time for an answer, and unreachable for a read", async () => {
    const server = await served();
    const register = opened(server.url, {}, { patience: 300 });
    server.fault = () => ({ kind: "delay", before: 1_500 });
    await expect(register.read(KEY)).rejects.toMatchObject({
      code: "STORE_UNREACHABLE",
      message: expect.stringContaining("did not answer within 300ms"),
    });
    expect(await register.swap(KEY, null, "1")).toMatchObject({ outcome: "unknown" });
  });

  it.each([
    { kind: "refuse" },
    { kind: "cut" },
    { kind: "halve" },
    { kind: "status", status: 502 },
    { kind: "status", status: 503 },
  ] as const)("is STORE_UNREACHABLE for a read ($kind)", async (fault) => {
    const server = await served();
    server.fault = () => fault;
    const register = opened(server.url);
    await expect(register.read(KEY)).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
    await expect(register.keys()).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
    server.fault = () => undefined;
    expect((await register.read(KEY)).version).toBeNull();
  });

  it("is STORE_UNREACHABLE for a read where git itself stopped in the middle", async () => {
    const server = await served();
    await put(opened(server.url), KEY, null, "1");
    const headers = { "content-type": "application/x-git-upload-pack-result" };
    for (const [kind, body] of [
      ["list", ""],
      ["list", "0040"],
      ["fetch", ""],
      ["fetch", "000dpackfile\n"],
    ] as const) {
      server.fault = (asked) =>
        asked === kind ? { kind: "status", status: 200, headers, body } : undefined;
      await expect(opened(server.url).read(KEY)).rejects.toMatchObject({
        code: "STORE_UNREACHABLE",
        message: expect.stringContaining("did not answer to the end"),
      });
    }
  });

  it("sends a read again where a kept connection was closed, and never a push", async () => {
    const server = await served();
    const register = opened(server.url);
    await register.read(KEY);
    server.failNext("list", { kind: "refuse" });
    expect((await register.read(KEY)).version).toBeNull();
    expect(server.counts.list).toBe(3);
    server.failNext("push", { kind: "refuse" });
    expect(await register.swap(KEY, null, "1")).toMatchObject({ outcome: "unknown" });
    expect(server.counts.push).toBe(1);
  });
});

describe("a server that is not there", () => {
  it("is STORE_UNREACHABLE for swaps too: nothing was sent", async () => {
    const server = await served();
    const register = opened(server.url);
    const version = await put(register, KEY, null, "1");
    await server.stop();
    for (const call of [
      () => register.read(KEY),
      () => register.read(KEY, { strong: true }),
      () => register.swap(KEY, version, "2"),
      () => register.keys(),
    ]) {
      await expect(call()).rejects.toMatchObject({
        code: "STORE_UNREACHABLE",
        message: expect.stringContaining("nothing listens on that port"),
      });
    }
    await server.listen();
    await put(register, KEY, version, "2");
  });

  it("is told when the name is not known", async () => {
    await expect(opened("git+http://no.such.host.invalid/r.git").read(KEY)).rejects.toMatchObject({
      code: "STORE_UNREACHABLE",
      message: expect.stringMatching(/host name/),
    });
  });

  it("is told when something else listens", async () => {
    const other = createServer((socket) => {
      socket.on("error", () => {}).resume();
      socket.end("SSH-2.0-OpenSSH_9\r\n");
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    onEnd(() => new Promise((resolve) => other.close(() => resolve())));
    const { port } = other.address() as { port: number };
    await expect(opened(`git+http://127.0.0.1:${port}/r.git`).read(KEY)).rejects.toMatchObject({
      code: "STORE_UNREACHABLE",
      message: expect.stringContaining("does not speak HTTP"),
    });
  });

  it("is told when it is a web server that knows no git", async () => {
    const server = await served();
    const headers = { "content-type": "text/html" };
    server.fault = () => ({ kind: "status", status: 200, headers, body: "<title>Welcome</title>" });
    await expect(opened(server.url).read(KEY)).rejects.toMatchObject({
      code: "STORE_REFUSED",
      message: expect.stringContaining("Welcome"),
    });
  });

  it("is told without a search through a page that is made of half titles", async () => {
    const server = await served();
    const headers = { "content-type": "text/html" };
    // Looked for in all of it, the title would take minutes.
    const body = `Welcome ${"<title".repeat(170_000)}`;
    server.fault = () => ({ kind: "status", status: 200, headers, body });
    await expect(opened(server.url).read(KEY)).rejects.toMatchObject({
      code: "STORE_REFUSED",
      message: expect.stringContaining("Welcome"),
    });
  });
});

describe("a server that is rate-limiting requests", () => {
  it.each([
    [429, "1"],
    [503, "1"],
    [403, "1"],
    [429, new Date(Date.now() + 1_500).toUTCString()],
  ])("gets it, and the log says so (%i, %s)", async (status, after) => {
    const server = await served();
    const register = opened(server.url);
    const said: string[] = [];
    server.failNext("push", { kind: "status", status, headers: { "retry-after": after } });
    const begin = performance.now();
    const onTrouble = (sentence: string) => said.push(sentence);
    expect(await register.swap(KEY, null, "1", { onTrouble })).toMatchObject({ outcome: "done" });
    if (after === "1") expect(performance.now() - begin).toBeGreaterThan(950);
    expect(said).toEqual([
      expect.stringMatching(new RegExp(`is rate-limiting requests \\(${status}\\)`)),
    ]);
    expect(server.counts.push).toBe(2);
  });

  it("does not take its own first try for another's, where the server had carried it out", async () => {
    const server = await served();
    const register = opened(server.url);
    const headers = { "retry-after": "0" };
    server.failNext("push", { kind: "status", status: 503, headers, after: true });
    expect(await register.swap(KEY, null, "1")).toMatchObject({ outcome: "unknown" });
    expect((await register.read(KEY)).text).toBe("1");
  });

  it("is a lost race where it was 429, which carries nothing out", async () => {
    const server = await served();
    const register = opened(server.url);
    await put(opened(server.url), KEY, null, "another's");
    server.failNext("push", { kind: "status", status: 429, headers: { "retry-after": "0" } });
    expect(await register.swap(KEY, null, "1")).toEqual({ outcome: "conflict" });
  });

  it("is left with the caller's signal and reason", async () => {
    const server = await served();
    const register = opened(server.url);
    server.fault = () => ({ kind: "status", status: 429, headers: { "retry-after": "50" } });
    const controller = new AbortController();
    const reason = new Error("enough");
    const onTrouble = () => setTimeout(() => controller.abort(reason), 10);
    const reading = register.read(KEY, { signal: controller.signal, onTrouble });
    await expect(reading).rejects.toBe(reason);
  });
});

describe("a caller that gives up", () => {
  it("ends a call that waits for an answer, with its reason", async () => {
    const server = await served();
    const register = opened(server.url);
    server.fault = () => ({ kind: "delay", before: 1_000 });
    const reason = new Error("enough");
    for (const call of [
      (signal: AbortSignal) => register.read(KEY, { signal }),
      (signal: AbortSignal) => register.read(KEY, { signal, strong: true }),
      (signal: AbortSignal) => register.swap(KEY, null, "1", { signal }),
      (signal: AbortSignal) => register.keys({ signal }),
    ]) {
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 100);
      await expect(call(controller.signal)).rejects.toBe(reason);
      await expect(call(AbortSignal.abort(reason))).rejects.toBe(reason);
    }
  });
});
