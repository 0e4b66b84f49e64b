import { describe, expect, it } from "vitest";
import { fenceOf } from "../../../../../src/wire/token.ts";
import { type Broken, breakPath, startPanel } from "../../../../helpers/panel/panel.ts";
import { PATIENT } from "../../../../helpers/waiting.ts";

describe("DELETE /admin/locks/KEY", () => {
  it("takes the lock from its holder, hands it on, and logs who and why", async () => {
    const server = await startPanel();
    const [holder, next] = [await server.keeper("ci-1"), await server.keeper("ci-2")];
    await holder.take("production", { lease: 600 });
    next.send("l\nproduction\n60\n");
    await expect.poll(async () => (await server.key("production")).waiting, PATIENT).toBe(1);
    const query = { reason: "runner died\nforged=line", owner: "maria" };
    const reply = await server.json<Broken>(breakPath("production", query), { method: "DELETE" });
    expect(reply.broken).toMatchObject([{ owner: "ci-1", slot: 0 }]);
    expect(await next.line()).toMatch(/^ok /);
    expect((await server.key("production")).holders).toMatchObject([{ owner: "ci-2" }]);
    const line = server.printed.log.split("\n").find((text) => text.includes("break asked for"));
    expect(line).toMatch(/warn .*key=production .*by=maria .*reason="runner died forged=line"/);
    expect(line).toContain("peer=127.0.0.1");
    expect(line).toContain("from=ci-1");
  });

  it("of a free key breaks nothing, and says so", async () => {
    const server = await startPanel();
    const path = breakPath("free", { reason: "just in case" });
    expect(await server.json(path, { method: "DELETE" })).toEqual({ broken: [] });
  });

  it("takes one slot where it is named", async () => {
    const server = await startPanel();
    const holders = [await server.keeper("a"), await server.keeper("b"), await server.keeper("c")];
    for (const holder of holders) await holder.take("farm", { limit: 3 });
    const path = breakPath("farm", { reason: "stuck", slot: "1" });
    const { broken } = await server.json<Broken>(path, { method: "DELETE" });
    expect(broken.map(({ owner }) => owner)).toEqual(["b"]);
    expect((await server.key("farm")).holders.map(({ owner }) => owner)).toEqual(["a", "c"]);
  });

  it("with a fence breaks that hold alone, and not the one that followed it", async () => {
    const server = await startPanel();
    const [first, second] = [await server.keeper("first"), await server.keeper("second")];
    const token = await first.take("k");
    const fence = String(fenceOf(token));
    await first.free("k", token);
    await second.take("k");
    const path = breakPath("k", { reason: "looked at the first", fence });
    const response = await server.ask(path, { method: "DELETE" });
    expect(response.status).toBe(409);
    expect((await server.key("k")).holders).toMatchObject([{ owner: "second" }]);
    const now = String((await server.key("k")).holders[0]?.fence);
    const again = breakPath("k", { reason: "looked again", fence: now });
    expect(await server.json(again, { method: "DELETE" })).toMatchObject({
      broken: [{ owner: "second" }],
    });
  });

  it("is refused without what it needs", async () => {
    const server = await startPanel();
    await (await server.connect()).take("k");
    const requests = [
      ["/admin/locks/k", "reason"],
      ["/admin/locks/k?reason=", "reason"],
      ["/admin/locks/k?reason=%20%09", "reason"],
      [`/admin/locks/k?reason=${"x".repeat(1_001)}`, "1001 bytes"],
      ["/admin/locks/k?reason=x&slot=-1", "slot"],
      ["/admin/locks/k?reason=x&slot=one", "slot"],
      ["/admin/locks/k?reason=x&fence=abc", "fence"],
      ["/admin/locks?reason=x", "Name one"],
    ] as const;
    for (const [path, words] of requests) {
      const response = await server.ask(path, { method: "DELETE" });
      expect(response.status, path).toBe(400);
      expect(((await response.json()) as { message: string }).message).toContain(words);
    }
    expect((await server.key("k")).holders).toHaveLength(1);
  });

  it("of an HTTP session's lock lets the session know at its next refresh", async () => {
    const server = await startPanel();
    const session = await server.session("by-hand");
    await server.lock(session, "k", "acquire");
    await server.json(breakPath("k", { reason: "test" }), { method: "DELETE" });
    expect((await server.lock(session, "k", "refresh")).status).toBe(404);
  });
});

describe("GET /admin/history/KEY", () => {
  it("tells the last holds, the newest first, and how they ended", async () => {
    const server = await startPanel();
    const one = await server.keeper("one", null, { run_url: "https://ci.example/1" });
    await one.free("k", await one.take("k"));
    const two = await server.keeper("two");
    await two.take("k");
    await server.json(breakPath("k", { reason: "test" }), { method: "DELETE" });
    const { key, holds } = await server.json<{ key: string; holds: object[] }>("/admin/history/k");
    expect(key).toBe("k");
    expect(holds).toMatchObject([
      { owner: "two", end: "broken" },
      { owner: "one", end: "released", metadata: { run_url: "https://ci.example/1" } },
    ]);
    const newest = await server.json<{ holds: object[] }>("/admin/history/k?limit=1");
    expect(newest.holds).toMatchObject([{ owner: "two" }]);
  });

  it("of an unknown key is empty", async () => {
    const server = await startPanel();
    expect(await server.json("/admin/history/none")).toEqual({
      key: "none",
      holds: [],
      freezes: [],
    });
  });
});
