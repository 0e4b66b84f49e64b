import { once } from "node:events";
import { createServer, request as send } from "node:http";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { served } from "../../../helpers/http/served.ts";
import { makeCertificate } from "../../../helpers/server/certificate.ts";
import { hold, open, refused, SECRET } from "../../../helpers/tcp/support.ts";
import { showing, trusting } from "../remote/trust.ts";

/** A proxy as companies have them: absolute URLs for http, CONNECT for https. */
async function startProxy(allows = true) {
  const seen: string[] = [];
  const credentials: (string | undefined)[] = [];
  const sockets = new Set<Socket>();
  const proxy = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    credentials.push(request.headers["proxy-authorization"]);
    const { method = "GET", url = "", headers } = request;
    const onward = send(url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  proxy.on("connection", (socket) => sockets.add(socket));
  proxy.on("connect", (request, socket: Socket) => {
    seen.push(`CONNECT ${request.url}`);
    credentials.push(request.headers["proxy-authorization"]);
    if (!allows) {
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
      return;
    }
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
  const address = `127.0.0.1:${(proxy.address() as { port: number }).port}`;
  return { url: `http://${address}`, address, seen, credentials };
}

describe("proxies of the environment", () => {
  it("HTTP_PROXY: every request goes through it, with its own password and not with ours", async () => {
    const { url } = await served({ "auth-token": SECRET });
    const proxy = await startProxy();
    vi.stubEnv("HTTP_PROXY", `http://me:pass@${proxy.address}`);
    const store = await open(url, { token: SECRET });
    const holding = await hold(store, "holder");
    await holding.renew();
    expect((await store.list()).length).toBe(1);
    expect(await holding.release()).toBe("released");
    expect(proxy.seen).toContain(`POST ${url}/auth/session`);
    expect(proxy.seen).toContain(`GET ${url}/production?lock=release`);
    const basic = `Basic ${Buffer.from("me:pass").toString("base64")}`;
    expect(new Set(proxy.credentials)).toEqual(new Set([basic]));
  });

  it("HTTPS_PROXY: a tunnel, in which the certificate is checked as always", async () => {
    const ca = makeCertificate({ name: "Holdfast test authority" });
    const issuer = { ...ca, name: "Holdfast test authority" };
    const { httpPort } = await served(showing(makeCertificate({ issuer })));
    const proxy = await startProxy();
    vi.stubEnv("HTTPS_PROXY", proxy.url);
    const url = `https://127.0.0.1:${httpPort}`;
    const holding = await hold(await open(url, trusting(ca)), "holder");
    await holding.renew();
    expect(await holding.release()).toBe("released");
    expect(new Set(proxy.seen)).toEqual(new Set([`CONNECT 127.0.0.1:${httpPort}`]));
    expect(await refused(url)).toMatchObject({ code: "STORE_UNSAFE" });
  });

  it("NO_PROXY: the server is asked directly", async () => {
    const { url } = await served();
    const proxy = await startProxy();
    vi.stubEnv("HTTP_PROXY", proxy.url);
    vi.stubEnv("NO_PROXY", "127.0.0.1");
    expect(await (await hold(await open(url), "holder")).release()).toBe("released");
    expect(proxy.seen).toEqual([]);
  });

  it("one that refuses to open a way, and one that is not there: the sentences name it", async () => {
    const proxy = await startProxy(false);
    vi.stubEnv("HTTPS_PROXY", `http://me:pass@${proxy.address}`);
    const forbidden = await refused("https://locks.example");
    expect(forbidden).toMatchObject({ code: "STORE_UNREACHABLE" });
    expect(forbidden.message).toContain(
      `through the proxy ${proxy.url} (HTTPS_PROXY), which refused`,
    );
    expect(forbidden.message).not.toContain("pass");
    vi.stubEnv("HTTPS_PROXY", "http://127.0.0.1:1");
    vi.stubEnv("HTTP_PROXY", "http://127.0.0.1:1");
    for (const url of ["https://locks.example", "http://locks.example"]) {
      const away = await refused(url);
      expect(away).toMatchObject({ code: "STORE_UNREACHABLE" });
      expect(away.message).toContain("proxy http://127.0.0.1:1, which cannot be reached");
      expect(away.message).toContain("NO_PROXY");
    }
  });
});
