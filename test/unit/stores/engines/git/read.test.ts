import { describe, expect, it } from "vitest";
import { KEY, opened, put, served } from "./kit.ts";

const REF = "refs/holdfast/v1/production";

describe("a read of a git repository", () => {
  it("is one request, and a second where the ref has moved", async () => {
    const server = await served();
    const writer = opened(server.url);
    const reader = opened(server.url);
    const first = await put(writer, KEY, null, "1");
    await put(writer, `${KEY}2`, null, "another that begins the same");
    server.resetCounts();
    expect(await reader.read(KEY)).toEqual({ version: first, text: "1" });
    expect(server.counts).toEqual({ list: 1, fetch: 1, push: 0, other: 0 });
    await reader.read(KEY);
    await reader.read(KEY);
    expect(server.counts).toEqual({ list: 3, fetch: 1, push: 0, other: 0 });
    await put(writer, KEY, first, "2");
    expect((await reader.read(KEY)).text).toBe("2");
    expect(server.counts).toEqual({ list: 4, fetch: 2, push: 1, other: 0 });
  });

  it("needs no fetch of what it wrote itself", async () => {
    const server = await served();
    const register = opened(server.url);
    await put(register, KEY, null, "1");
    server.resetCounts();
    expect((await register.read(KEY)).text).toBe("1");
    expect(server.counts).toEqual({ list: 1, fetch: 0, push: 0, other: 0 });
  });

  it("keeps its connection", async () => {
    const server = await served();
    const register = opened(server.url);
    const version = await put(register, KEY, null, "1");
    await register.read(KEY);
    await put(register, KEY, version, "2");
    await register.read(KEY, { strong: true });
    expect(server.connections).toBe(1);
  });

  it("reads a commit that another tool has put there", async () => {
    const server = await served();
    const register = opened(server.url);
    await put(register, "other", null, "{}");
    const tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    const who = ["-c", "user.name=x", "-c", "user.email=x@x"];
    const id = (await server.git(...who, "commit-tree", tree, "-m", "by hand")).trim();
    await server.git("update-ref", REF, id);
    expect(await register.read(KEY)).toEqual({ version: id, text: "by hand\n" });
    await put(register, KEY, id, "over it");
    expect((await opened(server.url).read(KEY)).text).toBe("over it");
  });

  it("says what a ref is that is no commit", async () => {
    const server = await served();
    const { writeFileSync } = process.getBuiltinModule("node:fs");
    writeFileSync(`${server.repository}/file`, "a blob");
    const id = (await server.git("hash-object", "-w", "file")).trim();
    await server.git("update-ref", REF, id);
    expect(await opened(server.url).read(KEY)).toMatchObject({ version: id, foreign: "a blob" });
  });

  it("does not read packs of other things without end", async () => {
    const server = await served();
    const { writeFileSync } = process.getBuiltinModule("node:fs");
    const { randomBytes } = process.getBuiltinModule("node:crypto");
    writeFileSync(`${server.repository}/file`, randomBytes(3_000_000));
    const id = (await server.git("hash-object", "-w", "file")).trim();
    await server.git("update-ref", REF, id);
    const foreign = "an object without end";
    expect(await opened(server.url).read(KEY)).toMatchObject({ version: id, foreign });
  });
});

describe("a strong read", () => {
  it("is one push that changes nothing while the ref is where it was seen", async () => {
    const server = await served();
    const register = opened(server.url);
    const version = await put(register, KEY, null, "1");
    server.resetCounts();
    expect(await register.read(KEY, { strong: true })).toEqual({ version, text: "1" });
    expect(server.counts).toEqual({ list: 0, fetch: 0, push: 1, other: 0 });
    expect((await server.git("rev-list", "--count", REF)).trim()).toBe("1");
    const fresh = opened(server.url);
    server.resetCounts();
    expect(await fresh.read(KEY, { strong: true })).toEqual({ version, text: "1" });
    expect(server.counts).toEqual({ list: 1, fetch: 1, push: 1, other: 0 });
  });

  it("sees at once what another has written", async () => {
    const server = await served();
    const [one, other] = [opened(server.url), opened(server.url)];
    const first = await put(one, KEY, null, "1");
    await other.read(KEY);
    const second = await put(one, KEY, first, "2");
    server.resetCounts();
    expect(await other.read(KEY, { strong: true })).toEqual({ version: second, text: "2" });
    // git itself says where the ref is now.
    expect(server.counts).toEqual({ list: 0, fetch: 1, push: 1, other: 0 });
  });

  it("sees it also where lists lag on and on, since git says where the ref is", async () => {
    const server = await served();
    const [one, other] = [opened(server.url), opened(server.url)];
    const first = await put(one, KEY, null, "1");
    server.lag();
    const second = await put(one, KEY, first, "2");
    expect((await other.read(KEY)).text).toBe("1");
    expect(await other.read(KEY, { strong: true })).toEqual({ version: second, text: "2" });
  });

  it("is not held up by a key that never rests, also where the server says nothing", async () => {
    const server = await served();
    server.isMute = true;
    const [busy, other] = [opened(server.url), opened(server.url)];
    let version = await put(busy, KEY, null, "0");
    const moving = (async () => {
      for (let n = 1; n <= 40; n++) version = await put(busy, KEY, version, String(n));
    })();
    const seen: number[] = [];
    for (let reads = 0; reads < 3; reads++) {
      seen.push(Number((await other.read(KEY, { strong: true })).text));
    }
    await moving;
    expect(seen).toEqual([...seen].sort((one, another) => one - another));
    expect((await other.read(KEY, { strong: true })).text).toBe("40");
  });

  it("does not believe a list that lags behind", async () => {
    const server = await served();
    server.isMute = true;
    const [one, other] = [opened(server.url), opened(server.url)];
    const first = await put(one, KEY, null, "1");
    server.lag();
    const second = await put(one, KEY, first, "2");
    expect((await other.read(KEY)).text).toBe("1");
    const strong = other.read(KEY, { strong: true });
    const early = await Promise.race([
      strong,
      new Promise((next) => setTimeout(next, 1_000, "none")),
    ]);
    expect(early).toBe("none");
    server.catchUp();
    expect(await strong).toEqual({ version: second, text: "2" });
  });

  it("says so where the lists lag on and on", async () => {
    const server = await served();
    server.isMute = true;
    const [one, other] = [opened(server.url), opened(server.url)];
    const first = await put(one, KEY, null, "1");
    server.lag();
    await put(one, KEY, first, "2");
    await expect(other.read(KEY, { strong: true })).rejects.toMatchObject({
      code: "STORE_UNREACHABLE",
      message: expect.stringContaining("lag"),
    });
  });

  it("knows its own writes whatever the list says", async () => {
    const server = await served();
    const register = opened(server.url);
    const first = await put(register, KEY, null, "1");
    server.lag();
    const second = await put(register, KEY, first, "2");
    server.resetCounts();
    // A plain read may lag; but what this register itself has replaced is not news.
    expect(await register.read(KEY)).toEqual({ version: second, text: "2" });
    expect(await register.read(KEY, { strong: true })).toEqual({ version: second, text: "2" });
    expect(server.counts).toEqual({ list: 1, fetch: 0, push: 1, other: 0 });
  });

  it("sees a ref that was put back by hand, also to what it had replaced itself", async () => {
    const server = await served();
    const register = opened(server.url);
    const first = await put(register, KEY, null, "1");
    await put(register, KEY, first, "2");
    await server.git("update-ref", REF, first);
    expect(await register.read(KEY, { strong: true })).toEqual({ version: first, text: "1" });
  });

  it("finds a ref missing only where several reads agree", async () => {
    const server = await served();
    const register = opened(server.url);
    expect((await register.read(KEY, { strong: true })).version).toBeNull();
    expect(server.counts).toEqual({ list: 3, fetch: 0, push: 0, other: 0 });
    server.lag();
    const version = await put(opened(server.url), KEY, null, "1");
    const strong = register.read(KEY, { strong: true });
    await expect.poll(() => server.counts.list).toBeGreaterThanOrEqual(4);
    server.catchUp();
    expect((await strong).version).toBe(version);
  });

  it("notices a ref that was deleted, and never deletes one itself", async () => {
    const server = await served();
    const register = opened(server.url);
    await put(register, KEY, null, "1");
    await server.git("update-ref", "-d", REF);
    expect((await register.read(KEY, { strong: true })).version).toBeNull();
    expect((await register.read(KEY)).version).toBeNull();
    await server.git("config", "receive.denyDeletes", "true");
    await put(register, KEY, null, "2");
    expect((await register.read(KEY, { strong: true })).text).toBe("2");
  });
});

describe("waiting for a change", () => {
  it("ends by the pause, a little early and never late", async () => {
    const server = await served();
    const register = opened(server.url);
    const begin = performance.now();
    await register.changed(KEY, null, { pause: 200 });
    const took = performance.now() - begin;
    expect(took).toBeGreaterThan(175);
    expect(server.total).toBe(0);
  });

  it("ends with the signal and its reason", async () => {
    const register = opened("git+http://127.0.0.1:1/repo.git");
    const reason = new Error("enough");
    await expect(
      register.changed(KEY, null, { pause: 60_000, signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
    const controller = new AbortController();
    const waiting = register.changed(KEY, null, { pause: 60_000, signal: controller.signal });
    setTimeout(() => controller.abort(reason), 20);
    await expect(waiting).rejects.toBe(reason);
  });
});
