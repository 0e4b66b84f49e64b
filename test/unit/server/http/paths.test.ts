import { describe, expect, it } from "vitest";
import { decodePath } from "../../../../src/server/http/target.ts";
import { openDoor } from "../../../helpers/server/http-door.ts";
import { bodyOf, get, sendRaw, statusOf } from "../../../helpers/server/http-raw.ts";
import { startHttp } from "../../../helpers/server/http-server.ts";

const TRAVERSALS = [
  "/..",
  "/.",
  "/../etc/passwd",
  "/a/../b",
  "/a/./b",
  "/a/..",
  "/a/.",
  "/%2e%2e/etc/passwd",
  "/%2E%2e/x",
  "/.%2e/x",
  "/%2e./x",
  "/a/%2e%2e",
  "/a/%2e",
  "/..%2fetc%2fpasswd",
  "/%2e%2e%2fetc",
  "/a%2f..%2f..%2fb",
  "/..%5c..%5cwindows",
  "/..\\..\\windows",
  "/a%5c..%5cb",
  "/%c0%ae%c0%ae/etc",
  "/%e0%80%ae%e0%80%ae/etc",
  "/..%c0%af..%c0%afetc",
  "/%u002e%u002e/etc",
  "/%uff0e%uff0e/etc",
  "//etc/passwd",
  "/a//b",
  "/a%2f%2fb",
  "/%2fa",
  "/%2f",
  "/a/",
  "/a%2f",
  "/a/b/",
];

const BROKEN = [
  "/%",
  "/%4",
  "/%zz",
  "/a%",
  "/%ff",
  "/%c3",
  "/%c3%28",
  "/%ed%a0%80",
  "/%f5%80%80%80",
  "/a%00b",
  "/%00",
  "/a%00.txt",
  "/a%0ab",
  "/a%0d%0aSet-Cookie:x",
  "/a%1bb",
  "/a%7fb",
  "/a%c2%85b",
  "/a#b",
  "*",
  "http://127.0.0.1/a",
  "a",
];

describe.each([
  ["traversal", TRAVERSALS],
  ["broken", BROKEN],
] as const)("a path that is %s", (_, paths) => {
  it("is refused with 400 and a sentence, whatever is asked", async () => {
    const { port, session, table } = await openDoor();
    const { id } = await session();
    const authorization = `Authorization: Bearer ${id}`;
    for (const path of paths) {
      for (const target of [path, `${path}?lock=acquire`]) {
        const answer = await sendRaw(port, get(target, authorization));
        expect([target, statusOf(answer)]).toEqual([target, 400]);
        expect(bodyOf(answer)).toEqual({ error: "Bad request", message: expect.any(String) });
      }
      const put = get(path, authorization, "Content-Length: 1").replace("GET", "PUT");
      expect([path, statusOf(await sendRaw(port, `${put}x`))]).toEqual([path, 400]);
    }
    expect(table.keys).toBe(0);
  });
});

describe("bytes that are no HTTP path", () => {
  it.each([
    ["a raw NUL", Buffer.from("GET /a\0b HTTP/1.1\r\nHost: x\r\n\r\n")],
    ["a raw control character", Buffer.from("GET /a\x01b HTTP/1.1\r\nHost: x\r\n\r\n")],
    [
      "raw UTF-8",
      Buffer.from("GET /gr\u00f6\u00dfe HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
    ],
    ["a raw space", Buffer.from("GET /a b HTTP/1.1\r\nHost: x\r\n\r\n")],
    ["another protocol", Buffer.from("l\nkey\n0\n\n\n")],
    ["TLS", Buffer.from([0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0])],
    ["nonsense", Buffer.from("\r\n\r\nfoo\r\n\r\n")],
    ["a header without a colon", Buffer.from("GET /a HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n")],
    ["a NUL in a header", Buffer.from("GET /a HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n")],
    [
      "two lengths",
      Buffer.from("PUT /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx"),
    ],
    [
      "a length and chunks",
      Buffer.from(
        "PUT /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      ),
    ],
    ["no Host", Buffer.from("GET /a HTTP/1.1\r\nConnection: close\r\n\r\n")],
    ["a negative length", Buffer.from("PUT /a HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n")],
  ])("%s: 400 with a sentence, and the server goes on", async (_, bytes) => {
    const { port, session } = await startHttp();
    const answer = await sendRaw(port, bytes);
    expect(statusOf(answer)).toBe(400);
    expect(bodyOf(answer)).toEqual({ error: "Bad request", message: expect.any(String) });
    expect((await (await session()).acquire("/k")).status).toBe(200);
  });
});

describe("a path that is allowed", () => {
  it("is percent-decoded once", () => {
    expect(decodePath("/locks/x")).toBe("locks/x");
    expect(decodePath("/a%2Fb")).toBe("a/b");
    expect(decodePath("/%67r%C3%B6%C3%9Fe%20%F0%9F%94%92")).toBe("größe 🔒");
    expect(decodePath("/.well-known/...x/a..b")).toBe(".well-known/...x/a..b");
    expect(decodePath("/a+b;c=d@e:f,g!h$i&j'k(l)m*n~o_p-q.r")).toBe(
      "a+b;c=d@e:f,g!h$i&j'k(l)m*n~o_p-q.r",
    );
  });

  it("may be encoded twice: then it is the key with the signs in it, and no way up", () => {
    expect(decodePath("/%252e%252e/x")).toBe("%2e%2e/x");
    expect(decodePath("/%252e%252e%252fx")).toBe("%2e%2e%2fx");
    expect(decodePath("/100%25")).toBe("100%");
  });

  it("is the key that TCP clients know", async () => {
    const { session, server } = await startHttp();
    const one = await session();
    await one.acquire("/locks/gr%C3%B6%C3%9Fe%20x");
    const tcp = await server.connect();
    expect((await tcp.stats()).locks[0]?.key).toBe("locks/größe%20x");
    expect(await tcp.ask("l\nlocks/größe%20x\n0\n")).toBe("timeout");
  });

  it("has up to 4,096 characters", async () => {
    const { session } = await startHttp();
    const [one, other] = [await session(), await session()];
    const long = `/${"k".repeat(4_096)}`;
    expect((await one.acquire(long)).status).toBe(200);
    expect((await other.acquire(long)).status).toBe(423);
    expect((await other.acquire(`/${"k".repeat(4_095)}j`)).status).toBe(200);
    const longer = await one.acquire(`${long}k`);
    expect(longer.status).toBe(400);
    expect(longer.json.message).toMatch(/4097 characters/);
    expect((await one.put(long, "x")).status).toBe(201);
    expect((await one.ask(long)).text).toBe("x");
  });
});

describe("a path of the server's own", () => {
  it.each([
    "/",
    "/auth/session",
    "/auth/x",
    "/auth",
    "/admin",
    "/admin/locks",
    "/healthz",
    "/metrics",
    "/%61uth/x",
    "/auth%2Fx",
    "/admin%2Flocks",
  ])("%s is neither file nor key", async (path) => {
    const { session, server } = await startHttp();
    const one = await session();
    const acquired = await one.acquire(path);
    expect(acquired.status).toBe(400);
    expect(acquired.json.message).toMatch(/server's own/);
    expect([404, 405]).toContain((await one.put(path, "x")).status);
    expect((await (await server.connect()).stats()).locks).toEqual([]);
  });

  it.each([
    "/admin/page/../locks",
    "/admin/page/%2e%2e/locks",
    "/admin/page/..%2flocks",
    "/admin/page/./scripts/main.js",
    "/admin/page//scripts/main.js",
    "/admin/./locks",
    "/admin//locks",
    "/admin/../metrics",
  ])("%s has a dot or an empty segment: 400", async (path) => {
    const { port } = await startHttp();
    const answer = await sendRaw(
      port,
      Buffer.from(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
    );
    expect(statusOf(answer)).toBe(400);
  });

  it.each([
    ["/admin/locks/..", ".."],
    ["/admin/locks/%2e%2e/x/", "../x/"],
    ["/admin/history/a//b", "a//b"],
  ])("%s names the key %s: an operator may name any", async (path, key) => {
    const { port } = await startHttp();
    const answer = await sendRaw(
      port,
      Buffer.from(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
    );
    expect(statusOf(answer)).toBe(200);
    expect(bodyOf(answer)).toMatchObject({ key });
  });

  it("is known by its exact spelling: others are files", async () => {
    const { session } = await startHttp();
    const one = await session();
    for (const path of [
      "/Admin/locks",
      "/healthz2",
      "/authx",
      "/administration",
      "/x/admin/locks",
    ]) {
      expect((await one.put(path, "x")).status).toBe(201);
    }
  });
});
