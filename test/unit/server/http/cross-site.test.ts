import { describe, expect, it } from "vitest";
import { HttpClient } from "../../../helpers/server/http-client.ts";
import { openDoor } from "../../../helpers/server/http-door.ts";
import { adopt, startHttp } from "../../../helpers/server/http-server.ts";

const FOREIGN = [
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "same-site" },
  { "sec-fetch-site": "nonsense" },
  { origin: "https://evil.example" },
  { origin: "null" },
  { origin: "http://127.0.0.1.evil.example" },
  { origin: "http://127.0.0.1:1" },
  { "sec-fetch-site": "same-origin", origin: "https://evil.example" },
];

describe("a page of another site", () => {
  it.each(FOREIGN)("with %j cannot use its reader's cookie", async (headers) => {
    const { session, plain, table } = await openDoor();
    const { id } = await session();
    const victim = adopt(plain.with({ cookie: `hengdang_session=${id}`, ...headers }));
    const answers = [
      await victim.acquire("/k"),
      await victim.release("/k"),
      await victim.refresh("/k"),
      await victim.status("/k"),
      await victim.put("/k", "x"),
      await victim.remove("/k"),
      await victim.ask("/k"),
      await victim.remove("/auth/session"),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(403);
      expect(answer.json).toEqual({ error: "Forbidden", message: expect.any(String) });
    }
    expect(table.keys).toBe(0);
    expect(
      (await adopt(plain.with({ cookie: `hengdang_session=${id}` })).ask("/auth/session")).status,
    ).toBe(200);
  });

  it.each(FOREIGN)(
    "with %j cannot open sessions, nor reach the operator's side",
    async (headers) => {
      const { port } = await startHttp();
      const page = adopt(new HttpClient(port, headers));
      expect((await page.ask("/auth/session", { method: "POST" })).status).toBe(403);
      expect((await page.ask("/admin/locks")).status).toBe(403);
      expect((await page.ask("/admin/locks/k?reason=x", { method: "DELETE" })).status).toBe(403);
      expect((await page.ask("/metrics")).status).toBe(403);
    },
  );

  it("may link to the page and to healthz, where there is nothing to take", async () => {
    const { port } = await startHttp();
    const page = adopt(new HttpClient(port, { "sec-fetch-site": "cross-site" }));
    expect((await page.ask("/")).status).toBe(200);
    expect((await page.ask("/healthz")).status).toBe(200);
  });

  it("does not get the cookie to begin with: it is Strict and HttpOnly", async () => {
    const { plain } = await startHttp();
    const { headers } = await plain.ask("/auth/session", { method: "POST" });
    expect(headers["set-cookie"]?.[0]).toMatch(/; HttpOnly; SameSite=Strict$/);
  });

  it("gets no CORS headers, and its preflight no yes", async () => {
    const { port, session } = await startHttp();
    const one = await session();
    const asked = { origin: "https://evil.example", "access-control-request-method": "PUT" };
    const preflight = await adopt(new HttpClient(port, asked)).ask("/k", { method: "OPTIONS" });
    const answer = await adopt(one.with({ origin: "https://evil.example" })).acquire("/k");
    expect(preflight.status).toBe(405);
    expect(answer.status).toBe(200);
    for (const { headers } of [preflight, answer]) {
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  });
});

describe("the server's own page", () => {
  it.each([{ "sec-fetch-site": "same-origin" }, { "sec-fetch-site": "none" }, {}])(
    "with %j may use the cookie",
    async (headers) => {
      const { session, plain } = await startHttp();
      const { id } = await session();
      const page = adopt(plain.with({ cookie: `hengdang_session=${id}`, ...headers }));
      expect((await page.acquire("/k")).status).toBe(200);
    },
  );

  it("is known by the host of its Origin, behind a proxy with TLS too", async () => {
    const { port, session, plain } = await startHttp();
    const { id } = await session();
    const cookie = `hengdang_session=${id}`;
    for (const scheme of ["http", "https"]) {
      const page = adopt(plain.with({ cookie, origin: `${scheme}://127.0.0.1:${port}` }));
      expect((await page.acquire("/k")).status).toBe(200);
    }
  });
});

describe("the Host of a request to a server without a token", () => {
  it.each([
    "127.0.0.1",
    "127.0.0.1:8080",
    "[::1]:8080",
    "[::1]",
    "192.0.2.7",
    "localhost",
    "LOCALHOST:99",
    "holdfast:8080",
  ])("may be %s", async (host) => {
    const { port } = await startHttp();
    const client = adopt(new HttpClient(port, { host }));
    expect((await client.ask("/auth/session", { method: "POST" })).status).toBe(201);
  });

  it.each([
    "evil.example",
    "evil.example:8080",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "1.2.3.4.5",
    "evil.example.",
    "[evil.example]",
  ])("is not %s, a name that a foreign page made lead here", async (host) => {
    const { port } = await startHttp();
    const client = adopt(new HttpClient(port, { host }));
    for (const path of ["/auth/session", "/k", "/admin/locks", "/healthz", "/"]) {
      const answer = await client.ask(path, { method: "POST" });
      expect(answer.status).toBe(403);
      expect(answer.json.error).toBe("Forbidden");
    }
  });

  it("does not matter where a token is asked for", async () => {
    const { port } = await startHttp({ "auth-token": "t" });
    const client = adopt(
      new HttpClient(port, { host: "locks.example", authorization: "Bearer t" }),
    );
    expect((await client.ask("/auth/session", { method: "POST" })).status).toBe(201);
  });
});
