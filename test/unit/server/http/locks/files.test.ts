import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { openDoor } from "../../../../helpers/server/http-door.ts";
import { startHttp } from "../../../../helpers/server/http-server.ts";
import { PATIENT } from "../../../../helpers/waiting.ts";

const TAG = /^"[0-9a-f]{32}"$/;

describe("PUT", () => {
  it("creates a file with 201 and updates it with 200", async () => {
    const { session } = await startHttp();
    const one = await session();
    const created = await one.put("/docs/a.txt", "first", { "content-type": "text/plain" });
    expect(created.status).toBe(201);
    expect(created.json).toEqual({
      message: "File created",
      path: "/docs/a.txt",
      size: 5,
      etag: expect.stringMatching(TAG),
      fence: null,
    });
    expect(created.headers.etag).toBe(created.json.etag);
    const updated = await one.put("/docs/a.txt", "second");
    expect(updated.status).toBe(200);
    expect(updated.json).toMatchObject({ message: "File updated", size: 6 });
    expect(updated.json.etag).not.toBe(created.json.etag);
  });

  it("under an explicit lock carries the lock's fence", async () => {
    const { session } = await startHttp();
    const one = await session();
    const { fence } = (await one.acquire("/f")).json;
    expect((await one.put("/f", "x")).json.fence).toBe(fence);
    expect((await one.ask("/f")).headers["holdfast-fence"]).toBe(String(fence));
  });

  it("keeps every byte, and an empty file too", async () => {
    const { port, session } = await startHttp();
    const one = await session();
    const bytes = randomBytes(300_000);
    await one.put("/bytes", bytes);
    const response = await fetch(`http://127.0.0.1:${port}/bytes`, {
      headers: { authorization: `Bearer ${one.id}` },
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    expect((await one.put("/empty", "")).status).toBe(201);
    expect(await one.ask("/empty")).toMatchObject({ status: 200, text: "" });
  });

  it("by the same session at the same time: both succeed, and the lock is free afterwards", async () => {
    const { session, table } = await openDoor();
    const one = await session();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => one.put("/f", `content ${index}`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
    expect(table.held).toBe(0);
  });

  it("by two sessions at the same time: one writes, or both one after the other", async () => {
    const { session, table } = await openDoor();
    const [one, other] = [await session(), await session()];
    for (let round = 0; round < 50; round += 1) {
      const answers = await Promise.all([one.put("/f", "1"), other.put("/f", "2")]);
      const good = answers.filter(({ status }) => status === 200 || status === 201);
      const locked = answers.filter(({ status }) => status === 423);
      expect(good.length).toBeGreaterThan(0);
      expect(good.length + locked.length).toBe(2);
    }
    expect(table.held).toBe(0);
  });

  it("lets an acquire of the same session come after it", async () => {
    const { session } = await openDoor();
    const one = await session();
    for (let round = 0; round < 20; round += 1) {
      const [, acquired] = await Promise.all([
        one.put("/f", "x".repeat(50_000)),
        one.acquire("/f"),
      ]);
      expect(acquired.status).toBe(200);
      await one.release("/f");
    }
  });

  it("gives the lock to the first in line when it lets go", async () => {
    const { session, table } = await openDoor();
    const [one, other] = [await session(), await session()];
    await one.acquire("/f");
    const waiting = other.acquire("/f", "&wait=60");
    await expect.poll(() => table.waiting, PATIENT).toBe(1);
    await one.put("/f", "x");
    expect((await waiting).status).toBe(200);
  });

  it.each([
    ["a Content-Encoding", { "content-encoding": "gzip" }, 415],
    ["a Content-Range", { "content-range": "bytes 0-1/5" }, 400],
    ["a Content-Type beyond measure", { "content-type": "x".repeat(256) }, 400],
    ["an If-Match without quotes", { "if-match": "abc" }, 400],
    ["a fence that is no number", { "holdfast-fence": "abc" }, 400],
    ["a negative fence", { "holdfast-fence": "-1" }, 400],
    ["a fence of the far future", { "holdfast-fence": "9007199254740991" }, 400],
    ["a fence beyond safe integers", { "holdfast-fence": "9999999999999999" }, 400],
  ])("refuses %s", async (_, headers, status) => {
    const { session } = await startHttp();
    const one = await session();
    const answer = await one.put("/f", "x", headers);
    expect(answer.status).toBe(status);
    expect(Object.keys(answer.json)).toEqual(["error", "message"]);
    expect((await one.ask("/f")).status).toBe(404);
  });
});

describe("GET and HEAD", () => {
  it("give the file with its type, tag and date, and nothing that could act on this server", async () => {
    const { session } = await startHttp();
    const one = await session();
    const { etag } = (
      await one.put("/a.html", "<script>1</script>", { "content-type": "text/html" })
    ).json;
    const got = await one.ask("/a.html");
    expect(got.text).toBe("<script>1</script>");
    expect(got.headers).toMatchObject({
      "content-type": "text/html",
      "content-length": "18",
      etag,
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      "cross-origin-resource-policy": "same-origin",
    });
    expect(Date.parse(got.headers["last-modified"] as string)).toBeGreaterThan(Date.now() - 60_000);
    const head = await one.ask("/a.html", { method: "HEAD" });
    expect(head.text).toBe("");
    const { date: _, ...expected } = got.headers;
    expect(head.headers).toMatchObject(expected);
  });

  it("of a file without a type say that it is bytes", async () => {
    const { session } = await startHttp();
    const one = await session();
    await one.put("/f", "x");
    expect((await one.ask("/f")).headers["content-type"]).toBe("application/octet-stream");
  });

  it.each(["GET", "HEAD"])("%s of a file that is not there is 404", async (method) => {
    const { session } = await startHttp();
    const answer = await (await session()).ask("/nothing", { method });
    expect(answer.status).toBe(404);
    if (method === "GET")
      expect(answer.json).toEqual({
        error: "File not found",
        message: "There is no file at /nothing.",
      });
  });

  it("work while another session holds the lock", async () => {
    const { session } = await startHttp();
    const [one, other] = [await session(), await session()];
    await one.put("/f", "x");
    await one.acquire("/f");
    expect((await other.ask("/f")).text).toBe("x");
  });

  it("answer 304 to If-None-Match with the tag that the file has", async () => {
    const { session } = await startHttp();
    const one = await session();
    const { etag } = (await one.put("/f", "x")).json;
    for (const tags of [etag, `"other", ${etag}`, `W/${etag}`, "*"]) {
      const answer = await one.ask("/f", { headers: { "if-none-match": tags } });
      expect(answer).toMatchObject({ status: 304, text: "" });
      expect(answer.headers.etag).toBe(etag);
    }
    expect((await one.ask("/f", { headers: { "if-none-match": '"other"' } })).status).toBe(200);
    expect((await one.ask("/f", { headers: { "if-match": '"other"' } })).status).toBe(412);
    expect((await one.ask("/f", { headers: { "if-match": etag } })).status).toBe(200);
  });
});

describe("DELETE", () => {
  it("removes a file, and says 404 when it is gone", async () => {
    const { session } = await startHttp();
    const one = await session();
    await one.put("/f", "x");
    expect(await one.remove("/f")).toMatchObject({ status: 204, text: "" });
    expect((await one.ask("/f")).status).toBe(404);
    const again = await one.remove("/f");
    expect(again.status).toBe(404);
    expect(again.json.error).toBe("File not found");
  });

  it("of a file that another holds is 423 with all five fields, and the file stays", async () => {
    const { session } = await startHttp();
    const [one, other] = [await session(), await session()];
    await one.put("/f", "x");
    const { lockedAt, expiresAt } = (await one.acquire("/f")).json;
    const answer = await other.remove("/f");
    expect(answer.status).toBe(423);
    expect(answer.json).toMatchObject({
      error: "File is locked",
      message: "This file is currently being edited by another session",
      lockedBy: one.name,
      lockedAt,
      expiresAt,
    });
    expect((await one.ask("/f")).text).toBe("x");
  });

  it("keeps an explicit lock, and leaves none of its own", async () => {
    const { session, table } = await openDoor();
    const one = await session();
    await one.put("/f", "x");
    await one.acquire("/f");
    expect((await one.remove("/f")).status).toBe(204);
    expect((await one.status("/f")).json.ownedByThisSession).toBe(true);
    await one.release("/f");
    await one.put("/f", "x");
    await one.remove("/f");
    expect(table.held).toBe(0);
  });

  it("checks If-Match", async () => {
    const { session } = await startHttp();
    const one = await session();
    const { etag } = (await one.put("/f", "x")).json;
    const remove = (tag: string) =>
      one.ask("/f", { method: "DELETE", headers: { "if-match": tag } });
    expect((await remove('"other"')).status).toBe(412);
    expect((await remove(etag)).status).toBe(204);
  });
});
