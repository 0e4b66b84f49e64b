import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Exchange, type WholeReply } from "../../../../../src/server/http/exchange.ts";
import { createHealth } from "../../../../../src/server/http/panel/health.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import { breakPath, startPanel } from "../../../../helpers/panel/panel.ts";
import { open, request } from "../../../../helpers/tcp/support.ts";

describe("access", () => {
  const token = "a-token-of-the-server";

  it("needs the server's token where it has one", async () => {
    const server = await startPanel({ "auth-token": token });
    const paths = [
      "/admin/locks",
      "/admin/locks/k",
      "/admin/history/k",
      "/admin/events",
      "/metrics",
    ];
    for (const path of paths) {
      expect((await server.ask(path)).status, path).toBe(401);
      const wrong = { headers: { authorization: "Bearer wrong" } };
      expect((await server.ask(path, wrong)).status, path).toBe(401);
      const right = { headers: { authorization: `Bearer ${token}` } };
      const response = await server.ask(path, right);
      expect(response.status, path).toBe(200);
      await response.body?.cancel();
    }
  });

  it("with the token for looking shows everything, and changes nothing", async () => {
    const file = join(temporaryDirectory(), "read-token");
    writeFileSync(file, "for-looking\n", { mode: 0o600 });
    const server = await startPanel({ "auth-token": token, "read-token-file": file }, token);
    const client = await server.keeper("ci-1");
    await client.take("k");
    const headers = { authorization: "Bearer for-looking" };
    const paths = ["locks", "locks/k", "history/k", "recent", "timeline", "events"];
    for (const path of [...paths.map((name) => `/admin/${name}`), "/metrics"]) {
      const response = await server.ask(path, { headers });
      expect(response.status, path).toBe(200);
      await response.body?.cancel();
    }
    const { server: about } = (await (await server.ask("/admin/locks", { headers })).json()) as {
      server: { access: string };
    };
    expect(about.access).toBe("read");
    for (const [method, path] of [
      ["DELETE", breakPath("k", { reason: "x" })],
      ["PUT", "/admin/freezes/k?reason=x"],
      ["DELETE", "/admin/freezes/k"],
      ["POST", "/auth/session"],
    ] as const) {
      const response = await server.ask(path, { method, headers });
      expect(response.status, path).toBe(403);
      expect(await response.json()).toMatchObject({ error: "Read-only" });
    }
    expect(await server.key("k")).toMatchObject({ holders: [{ owner: "ci-1" }] });
    // Nor at the other door.
    const tcp = await server.connect();
    expect(await tcp.ask("auth\n_\nfor-looking\n")).toBe("error_auth_read_only");
    const store = await open(server.address, { token: "for-looking" });
    expect(await store.inspect("k")).toMatchObject({ holders: [{ owner: "ci-1" }] });
    const denied = { code: "STORE_DENIED", message: expect.stringContaining("may only look") };
    await expect(store.claim(request("me"), { timeout: 0 })).rejects.toMatchObject(denied);
    await expect(store.break("k", { reason: "x", owner: "me" })).rejects.toMatchObject(denied);
    const freeze = { reason: "x", owner: "me", duration: null };
    await expect(store.freeze?.("k", freeze)).rejects.toMatchObject(denied);
    await expect(store.thaw?.("k", freeze)).rejects.toMatchObject(denied);
  });

  it("by a session's id is refused: a session may lock, not break", async () => {
    const server = await startPanel({ "auth-token": token }, token);
    const session = await server.session();
    await server.lock(session, "k", "acquire");
    const headers = { authorization: `Bearer ${session}` };
    const path = breakPath("k", { reason: "mine" });
    expect((await server.ask(path, { method: "DELETE", headers })).status).toBe(401);
    expect((await server.key("k")).holders).toHaveLength(1);
  });

  it("for pages of other sites is refused, also on a server without a token", async () => {
    const server = await startPanel();
    await (await server.connect()).take("k");
    const path = breakPath("k", { reason: "csrf" });
    const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    const response = await server.ask(path, { method: "DELETE", headers });
    expect(response.status).toBe(403);
    expect((await server.key("k")).holders).toHaveLength(1);
  });

  it("by other methods, and to what is not there, is answered in a sentence", async () => {
    const server = await startPanel();
    const requests = [
      ["POST", "/admin/locks", 405],
      ["PUT", "/admin/locks/k", 405],
      ["DELETE", "/admin/history/k", 405],
      ["POST", "/admin/events", 405],
      ["POST", "/metrics", 405],
      ["POST", "/healthz", 405],
      ["POST", "/", 405],
      ["GET", "/admin/", 404],
      ["GET", "/admin/lock", 404],
      ["GET", "/admin/locksmith", 404],
      ["GET", "/admin/events/x", 404],
    ] as const;
    const sentence = { error: expect.any(String), message: expect.stringMatching(/\.$/) };
    for (const [method, path, status] of requests) {
      const response = await server.ask(path, { method });
      expect(response.status, `${method} ${path}`).toBe(status);
      expect(await response.json()).toEqual(sentence);
    }
  });
});

describe("GET /healthz", () => {
  it("says that all is well to whoever asks, and nothing about locks", async () => {
    const server = await startPanel({ "auth-token": "secret-of-the-server" });
    const response = await server.ask("/healthz");
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: "ok", version: "1.2.3" });
  });

  it("says what is wrong while changes cannot be written", async () => {
    const health = createHealth({ version: "1.2.3", trouble: () => "the disk is full" });
    const server = createServer((request, response) => {
      const exchange = new Exchange(request, response, "/healthz", "healthz", "");
      const { status, body } = health(exchange) as WholeReply;
      response.writeHead(status).end(JSON.stringify(body));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/healthz`);
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ status: "trouble", message: "the disk is full" });
    server.close();
  });
});
