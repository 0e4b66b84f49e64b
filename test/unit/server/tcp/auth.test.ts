import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Secret } from "../../../../src/server/access.ts";
import { makeCertificate } from "../../../helpers/server/certificate.ts";
import { Client } from "../../../helpers/server/client.ts";
import { adopt, startServer } from "../../../helpers/server/server.ts";
import { PATIENT } from "../../../helpers/waiting.ts";

const GRANT = /^ok [0-9a-f]{32} 33$/;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "holdfast-auth-"));
});
afterAll(() => rm(directory, { recursive: true }));

async function file(name: string, content: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, content, { mode: 0o600 });
  return path;
}

describe("a server with a token", () => {
  it("lets in who shows it first, white space around it or not", async () => {
    const server = await startServer({ "auth-token-file": await file("token", "s3cret word\n") });
    for (const line of ["s3cret word", "  s3cret word \r"]) {
      const client = await server.connect();
      expect(await client.ask(`auth\n_\n${line}\n`)).toBe("ok");
      expect(await client.ask("l\nk\n0\n")).toMatch(GRANT);
      expect(await client.ask("auth\n_\ns3cret word\n")).toBe("ok");
      client.hangUp();
    }
  });

  it.each([
    ["a wrong token", "auth\n_\nwrong\n"],
    ["an empty token", "auth\n_\n\n"],
    ["another command", "l\nk\n0\n"],
    ["stats", "stats\n_\n\n"],
    ["a violation", "x\n\n\n"],
    ["a line too long", "x".repeat(300)],
  ])("answers error_auth to %s, closes a little later, and serves nothing", async (_, bytes) => {
    const server = await startServer({ "auth-token": "right" });
    const client = await server.connect();
    const start = performance.now();
    client.send(bytes);
    client.send("auth\n_\nright\nl\nk\n0\n");
    expect(await client.line()).toBe("error_auth");
    await client.untilClosed();
    expect(performance.now() - start).toBeGreaterThan(90);
    expect(client.lines).toEqual([]);
    expect(server.printed.log).toContain("authentication failed");
    expect(server.printed.log).not.toContain("right");
  });

  it("cuts off who says nothing", async () => {
    const client = await (
      await startServer({ "auth-token": "x", "read-timeout": "0.3" })
    ).connect();
    expect(await client.line()).toBe("error_auth");
    await client.untilClosed();
  });

  it("compares whole tokens, of any length", () => {
    const secret = new Secret("abc");
    expect(["abc", "ab", "abcd", "", "ABC"].map((text) => secret.matches(text))).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});

describe("a server with a certificate", () => {
  async function startTls(flags: Record<string, string> = {}) {
    const certificate = makeCertificate();
    const server = await startServer({
      "tls-cert": await file("cert.pem", certificate.cert),
      "tls-key": await file("key.pem", certificate.key),
      ...flags,
    });
    return { server, ca: certificate.cert };
  }

  it("speaks the protocol over TLS, and says so", async () => {
    const { server, ca } = await startTls();
    expect(server.printed.stdout).toBe(`listening tls 127.0.0.1:${server.port}\n`);
    const [first, second] = [
      adopt(await Client.openTls(server.port, { ca })),
      adopt(await Client.openTls(server.port, { ca })),
    ];
    await first.take("k");
    second.send("l\nk\n60\n");
    await expect.poll(async () => (await first.stats()).locks[0]?.waiters, PATIENT).toBe(1);
    first.hangUp();
    expect(await second.line()).toMatch(GRANT);
    expect(await second.ask("x\n\n\n")).toBe("error");
    await second.untilClosed();
  });

  it("answers a request that is followed by the end of the connection", async () => {
    const { server, ca } = await startTls();
    const client = adopt(await Client.openTls(server.port, { ca, allowHalfOpen: true } as object));
    client.send("l\nk\n10\n");
    client.finish();
    expect(await client.line()).toMatch(GRANT);
    await client.untilClosed();
  });

  it("is not fooled by plain text, and goes on", async () => {
    const { server, ca } = await startTls();
    const plain = await server.connect();
    plain.send("l\nk\n0\n");
    await plain.untilClosed();
    await expect.poll(() => server.printed.log, PATIENT).toContain("TLS handshake failed");
    await adopt(await Client.openTls(server.port, { ca })).take("k");
  });

  it("is not accepted by a client that trusts another authority", async () => {
    const { server } = await startTls();
    const socket = connectTls({ port: server.port, host: "127.0.0.1", ca: makeCertificate().cert });
    const error = await new Promise<NodeJS.ErrnoException>((resolve) =>
      socket.once("error", resolve),
    );
    expect(error.code).toBe("DEPTH_ZERO_SELF_SIGNED_CERT");
  });

  it("counts and cuts off those who never finish the handshake", async () => {
    const { server } = await startTls({ "read-timeout": "0.5", "max-connections": "1" });
    const stuck = await server.connect();
    const refused = await server.connect();
    await refused.untilClosed();
    await stuck.untilClosed();
  });

  it("stops though somebody is still shaking hands", async () => {
    const { server } = await startTls({ "shutdown-timeout": "0.2" });
    const stuck = await server.connect();
    await server.running.stop();
    await stuck.untilClosed();
  });

  it("frees the sockets of clients that have gone", async () => {
    const { server, ca } = await startTls({ "max-connections": "2" });
    for (let round = 0; round < 5; round += 1) {
      const client = adopt(await Client.openTls(server.port, { ca }));
      await client.take("k", { timeout: 30 });
      client.hangUp();
    }
  });
});
