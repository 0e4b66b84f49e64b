import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { makeCertificate } from "../../../../helpers/server/certificate.ts";
import { trusting } from "../../remote/trust.ts";
import { KEY, opened, put, served } from "./kit.ts";

const ca = makeCertificate({ name: "Holdfast test authority" });
const issuer = { ...ca, name: "Holdfast test authority" };

/** A proxy that opens ways by CONNECT, or does not. */
async function startProxy(allows: boolean) {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const proxy = createServer();
  proxy.on("connection", (socket) => sockets.add(socket));
  proxy.on("connect", (request, socket: Socket) => {
    seen.push(`${request.method} ${request.url}`);
    if (!allows) return void socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    const [host, port] = (request.url ?? "").split(":");
    const onward = connect({ host: host as string, port: Number(port) }, () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      socket.pipe(onward).pipe(socket);
    });
    sockets.add(onward);
    for (const end of [socket, onward]) end.on("error", () => end.destroy());
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    vi.unstubAllEnvs();
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as { port: number }).port}`, seen };
}

describe("a git server with TLS", () => {
  it("is trusted by the file of its authority", async () => {
    const server = await served({ tls: makeCertificate({ issuer }) });
    const register = opened(server.url, trusting(ca));
    const version = await put(register, KEY, null, "1");
    expect(await register.read(KEY, { strong: true })).toEqual({ version, text: "1" });
    expect(server.connections).toBe(1);
  });

  it("is not spoken to where it is not trusted: a swap was not sent", async () => {
    const server = await served({ tls: makeCertificate() });
    const register = opened(server.url, trusting(ca), {});
    for (const call of [() => register.swap(KEY, null, "1"), () => register.read(KEY)]) {
      await expect(call()).rejects.toMatchObject({
        code: "STORE_UNSAFE",
        message: expect.stringContaining("HOLDFAST_CA_FILE"),
      });
    }
    expect(server.total).toBe(0);
  });

  it("is told from one without", async () => {
    const server = await served();
    const register = opened(server.url.replace("git+http:", "git+https:"));
    await expect(register.swap(KEY, null, "1")).rejects.toMatchObject({
      code: "STORE_UNREACHABLE",
      message: expect.stringContaining("git+http://"),
    });
  });
});

describe("a proxy", () => {
  it("is gone through, as HTTPS_PROXY says", async () => {
    const server = await served({ tls: makeCertificate({ issuer }) });
    const proxy = await startProxy(true);
    vi.stubEnv("HTTPS_PROXY", proxy.url);
    const register = opened(server.url, trusting(ca));
    const version = await put(register, KEY, null, "1");
    expect((await register.read(KEY)).version).toBe(version);
    expect(proxy.seen).toEqual([`CONNECT ${new URL(server.origin).host}`]);
  });

  it("that opens no way: a swap was not sent", async () => {
    const server = await served({ tls: makeCertificate({ issuer }) });
    const proxy = await startProxy(false);
    vi.stubEnv("HTTPS_PROXY", proxy.url);
    await expect(opened(server.url, trusting(ca)).swap(KEY, null, "1")).rejects.toMatchObject({
      code: "STORE_UNREACHABLE",
      message: expect.stringMatching(/proxy .*403.*NO_PROXY/),
    });
  });

  it("that is not there: a swap was not sent", async () => {
    const server = await served({ tls: makeCertificate({ issuer }) });
    vi.stubEnv("HTTPS_PROXY", "http://127.0.0.1:1");
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(opened(server.url, trusting(ca)).swap(KEY, null, "1")).rejects.toMatchObject({
      code: "STORE_UNREACHABLE",
      message: expect.stringContaining("HTTPS_PROXY"),
    });
  });
});
