import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { makeCertificate } from "../../../helpers/server/certificate.ts";
import { HttpClient } from "../../../helpers/server/http-client.ts";
import { openRaw, received } from "../../../helpers/server/http-raw.ts";
import { adopt, startHttp } from "../../../helpers/server/http-server.ts";
import { startServer } from "../../../helpers/server/server.ts";
import { PATIENT } from "../../../helpers/waiting.ts";

const directory = mkdtempSync(join(tmpdir(), "holdfast-http-"));
afterAll(() => rmSync(directory, { recursive: true }));

describe("a server with a token", () => {
  it("opens sessions for those who show it; with a session nothing more is asked", async () => {
    const { session } = await startHttp({ "auth-token": "s3cret word" }, { token: "s3cret word" });
    const one = await session();
    expect((await one.acquire("/k")).status).toBe(200);
    expect((await one.put("/k", "x")).status).toBe(201);
  });

  it.each([
    ["none", {}],
    ["a wrong one", { authorization: "Bearer wrong" }],
    ["an empty one", { authorization: "Bearer " }],
    ["the right one by another scheme", { authorization: "Basic right" }],
    ["the right one as a cookie", { cookie: "hengdang_session=right" }],
  ])("answers 401 to %s, a little later, and says nothing of it in the log", async (_, headers) => {
    const { port, server } = await startHttp({ "auth-token": "right" });
    const client = adopt(new HttpClient(port, headers));
    for (const [path, method] of [
      ["/auth/session", "POST"],
      ["/admin/locks", "GET"],
      ["/admin/locks/k?reason=x", "DELETE"],
      ["/admin/events", "GET"],
      ["/metrics", "GET"],
    ] as const) {
      const start = performance.now();
      const answer = await client.ask(path, { method });
      expect([path, answer.status]).toEqual([path, 401]);
      expect(answer.json).toEqual({ error: "Unauthorized", message: expect.any(String) });
      expect(performance.now() - start).toBeGreaterThan(90);
    }
    expect(server.printed.log).toContain("authentication failed");
    expect(server.printed.log).not.toContain("right");
    expect((await client.ask("/healthz")).status).toBe(200);
  });

  it("does not take its token for a session, nor a session for its token", async () => {
    const { plain, session } = await startHttp({ "auth-token": "right" }, { token: "right" });
    expect((await plain.acquire("/k")).status).toBe(401);
    const one = await session();
    expect((await one.ask("/admin/locks")).status).toBe(401);
    expect((await one.ask("/auth/session", { method: "POST" })).status).toBe(401);
    expect((await plain.ask("/admin/locks")).status).toBe(200);
  });
});

describe("a server with a certificate", () => {
  function certificate() {
    const { cert, key } = makeCertificate();
    const files = {
      "tls-cert": join(directory, "cert.pem"),
      "tls-key": join(directory, "key.pem"),
    };
    writeFileSync(files["tls-cert"], cert);
    writeFileSync(files["tls-key"], key);
    return { cert, files };
  }

  it("serves HTTPS on the same options as TCP, with a Secure cookie", async () => {
    const { cert, files } = certificate();
    const { plain, session, server, port } = await startHttp(files, { ca: cert });
    expect(server.printed.stdout).toContain(`listening https 127.0.0.1:${port}\n`);
    const [one, other] = [await session(), await session()];
    expect((await one.acquire("/k")).status).toBe(200);
    expect((await other.put("/k", "x")).status).toBe(423);
    expect((await one.put("/k", "x")).status).toBe(201);
    const { headers } = await plain.ask("/auth/session", { method: "POST" });
    expect(headers["set-cookie"]?.[0]).toMatch(/; Secure$/);
  });

  it("is not fooled by plain text, and cuts off who never shakes hands", async () => {
    const { cert, files } = certificate();
    const { session, server, port } = await startHttp(
      { ...files, "read-timeout": "0.5" },
      { ca: cert },
    );
    const plain = await openRaw(port);
    plain.write("GET /k HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(await received(plain)).not.toContain("HTTP/1.1 2");
    await expect.poll(() => server.printed.log, PATIENT).toContain("TLS handshake failed");
    await received(await openRaw(port));
    expect((await (await session()).acquire("/k")).status).toBe(200);
  });

  it("stops though somebody is still shaking hands", async () => {
    const { files } = certificate();
    const { server, port } = await startHttp({ ...files, "shutdown-timeout": "0.2" });
    const stuck = received(await openRaw(port));
    await server.running.stop();
    await stuck;
  });
});

describe("a server that cannot listen for HTTP", () => {
  it("does not start, and leaves nothing open", async () => {
    const { port } = await startHttp();
    await expect(startServer({ "http-port": String(port) })).rejects.toThrow(
      /cannot listen for HTTP on 127\.0\.0\.1:\d+: something else listens there.*--http-port/,
    );
  });
});
