import { describe, expect, it } from "vitest";
import { CHAIN_LIMIT } from "../../../../../src/stores/engines/git/protocol/objects.ts";
import { KEY, opened, put, served } from "./kit.ts";

const REF = "refs/holdfast/v1/production";

describe("a swap in a git repository", () => {
  it("creates, moves, and refuses what is old, in one request each", async () => {
    const server = await served();
    const register = opened(server.url);
    expect(await register.read(KEY)).toEqual({ version: null, text: null });
    server.resetCounts();
    const first = await put(register, KEY, null, '{"n":1}');
    const second = await put(register, KEY, first, '{"n":2}');
    expect(await register.swap(KEY, first, '{"n":3}')).toEqual({ outcome: "conflict" });
    expect(await register.swap(KEY, null, '{"n":3}')).toEqual({ outcome: "conflict" });
    expect(await register.swap(KEY, `${"0".repeat(39)}1`, "{}")).toEqual({ outcome: "conflict" });
    expect(server.counts).toEqual({ list: 0, fetch: 0, push: 5, other: 0 });
    expect(await register.read(KEY)).toEqual({ version: second, text: '{"n":2}' });
  });

  it("writes what git itself finds sane, with the states before as its log", async () => {
    const server = await served();
    const register = opened(server.url);
    const texts = ['{"n":1}', '\n\n{"n":2}\n', "äö 🔒 {}", ""];
    let version: string | null = null;
    for (const text of texts) version = await put(register, "Team/Prod uction", version, text);
    const ref = "refs/holdfast/v1/%54eam%2f%50rod%20uction";
    expect(await server.git("for-each-ref", "--format=%(refname) %(objectname)")).toBe(
      `${ref} ${version}\n`,
    );
    expect(await server.git("fsck", "--strict", "--full")).toBe("");
    const log = await server.git("log", "--reverse", "--format=%an|%T|%B%x00", ref);
    const bodies = log.split("\0\n").slice(0, -1);
    expect(bodies.map((body) => body.split("|").slice(0, 2))).toEqual(
      texts.map(() => ["holdfast", "4b825dc642cb6eb9a060e54bf8d69288fbee4904"]),
    );
    const raw = await server.git("cat-file", "commit", `${ref}~1`);
    expect(raw.slice(raw.indexOf("\n\n") + 2)).toBe("äö 🔒 {}");
    // git's own client takes it too, and checks each object that it gets.
    const source = server.url.slice("git+".length);
    await server.git("-c", "fetch.fsckObjects=true", "fetch", "-q", source, `${ref}:refs/copy`);
    expect((await server.git("rev-parse", "refs/copy")).trim()).toBe(version);
  });

  it("has one winner a round among eight contenders", async () => {
    const server = await served();
    const contenders = Array.from({ length: 8 }, () => opened(server.url));
    let version: string | null = null;
    for (let round = 0; round < 10; round++) {
      const swaps = await Promise.all(
        // The same text on purpose: the commits must differ nevertheless.
        contenders.map((register) => register.swap(KEY, version, `{"round":${round}}`)),
      );
      const won = swaps.flatMap((swap) => (swap.outcome === "done" ? [swap.version] : []));
      expect(won).toHaveLength(1);
      expect(swaps.filter(({ outcome }) => outcome === "conflict")).toHaveLength(7);
      version = won[0] as string;
      expect((await server.git("rev-parse", REF)).trim()).toBe(version);
    }
    expect((await server.git("rev-list", "--count", REF)).trim()).toBe("10");
  });

  it("loses nothing where eight count up together", async () => {
    const server = await served();
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const register = opened(server.url);
        for (let added = 0; added < 4; ) {
          const { version, text } = await register.read(KEY);
          const next = { n: (JSON.parse(text ?? '{"n":0}') as { n: number }).n + 1 };
          const swap = await register.swap(KEY, version, JSON.stringify(next));
          if (swap.outcome === "done") added++;
        }
      }),
    );
    expect((await opened(server.url).read(KEY)).text).toBe('{"n":32}');
  });

  it("keeps keys apart that differ in case, in a slash or beyond the cut", async () => {
    const server = await served();
    const register = opened(server.url);
    const keys = ["a", "A", "a/b", "a%2fb", "ä", "é".repeat(100), `${"é".repeat(99)}è`, "a.lock"];
    for (const key of keys) await put(register, key, null, JSON.stringify({ key }));
    const fresh = opened(server.url);
    for (const key of keys) expect((await fresh.read(key)).text).toBe(JSON.stringify({ key }));
    expect((await fresh.keys()).sort()).toEqual([...keys].sort());
  });

  it("lists only keys of its own place", async () => {
    const server = await served();
    const register = opened(`${server.url}?ref=refs/heads/locks/`);
    await put(register, KEY, null, "{}");
    const id = (await server.git("rev-parse", "refs/heads/locks/production")).trim();
    await server.git("update-ref", "refs/heads/main", id);
    await server.git("update-ref", "refs/heads/locks/Foreign", id);
    await server.git("update-ref", "refs/heads/locks/deep/er", id);
    await server.git("update-ref", `refs/heads/locks/x=${"0".repeat(64)}`, id);
    expect(await register.keys()).toEqual([KEY]);
    expect(await opened(server.url).keys()).toEqual([]);
    expect((await opened(server.url).read(KEY)).version).toBeNull();
  });

  it("begins a new chain after a hundred states, and reading one needs no other", async () => {
    const server = await served();
    const register = opened(server.url);
    let version: string | null = null;
    for (let state = 1; state <= CHAIN_LIMIT + 1; state++) {
      version = await put(register, KEY, version, `{"n":${state}}`);
      const length = Number(await server.git("rev-list", "--count", REF));
      expect(length).toBe(state > CHAIN_LIMIT ? state - CHAIN_LIMIT : state);
    }
    expect((await opened(server.url).read(KEY)).text).toBe(`{"n":${CHAIN_LIMIT + 1}}`);
  });

  it("keeps the chain where the server refuses a cut one", async () => {
    const server = await served();
    await server.git("config", "receive.denyNonFastForwards", "true");
    // git knows that rule for branches alone.
    const url = `${server.url}?ref=refs/heads/locks/`;
    const ref = "refs/heads/locks/production";
    await put(opened(url), "other", null, "{}");
    const id = (await server.git("rev-parse", "refs/heads/locks/other")).trim();
    // A commit of another tool, whose chain is not known: the next state would begin a new one.
    const who = ["-c", "user.name=x", "-c", "user.email=x@x"];
    const first = (await server.git(...who, "commit-tree", `${id}^{tree}`, "-m", "by hand")).trim();
    await server.git("update-ref", ref, first);
    const register = opened(url);
    await register.read(KEY);
    server.resetCounts();
    const second = await put(register, KEY, first, "2");
    expect(server.counts.push).toBe(2);
    const third = await put(register, KEY, second, "3");
    expect(server.counts.push).toBe(3);
    expect((await server.git("rev-list", "--parents", "-1", ref)).trim()).toBe(
      `${third} ${second}`,
    );
    expect((await server.git("rev-list", "--count", ref)).trim()).toBe("3");
  });

  it("carries a document of 64 KiB, and refuses a larger one before it is sent", async () => {
    const server = await served();
    const register = opened(server.url);
    const { randomBytes } = process.getBuiltinModule("node:crypto");
    const text = randomBytes(32 * 1024).toString("hex");
    const version = await put(register, KEY, null, text);
    expect((await opened(server.url).read(KEY)).text).toBe(text);
    server.resetCounts();
    await expect(register.swap(KEY, version, `${text}x`)).rejects.toMatchObject({
      code: "STORE_FULL",
    });
    expect(server.total).toBe(0);
  });
});
