import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSocketServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openEtcdRegister } from "../../../../../src/stores/engines/etcd/register.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import type { Protected } from "../../../../helpers/engines/engine.ts";
import {
  type Etcd,
  hasEtcd,
  PASSWORD,
  ROOT,
  startEtcd,
  USER,
} from "../../../../helpers/engines/etcd.ts";
import { listen, unusedPort } from "../../../../helpers/ports.ts";
import { makeCertificate } from "../../../../helpers/server/certificate.ts";
import { hold, KEY, open, request } from "../../../../helpers/tcp/support.ts";

const ENCODED = encodeURIComponent(PASSWORD);

/** What a claim is told: one sentence, and no password. */
async function refused(url: string, options: { token?: string; caFile?: string } = {}) {
  const store = await open(url, options);
  const error = await store.claim(request("tester"), { timeout: 0 }).then(
    () => ({ code: "GRANTED", message: "it was granted" }),
    (error: Error & { code: string }) => error,
  );
  expect(error.message).toMatch(/^The etcd of etcds?:[^\n]*\.$/);
  for (const form of [PASSWORD, ENCODED]) expect(error.message).not.toContain(form);
  return { code: error.code, message: error.message };
}

describe.skipIf(!hasEtcd)("an etcd with users", () => {
  let etcd: Etcd;
  let secured: Protected;
  beforeAll(async () => {
    etcd = await startEtcd({ args: ["--auth-token-ttl", "2"] });
    secured = await etcd.protect();
  });
  afterAll(() => etcd.stop());

  it("lets in by the URL, by the token, and by both", async () => {
    for (const [url, token] of [
      [await secured.fresh(true), undefined],
      [await secured.fresh(false), PASSWORD],
      [(await secured.fresh(false)).replace(`${USER}@`, ""), `${USER}:${PASSWORD}`],
    ] as const) {
      const store = await open(url, token === undefined ? {} : { token });
      expect(store.url).not.toContain("p%2Fa");
      const holding = await hold(store, "holder");
      expect(await holding.release()).toBe("released");
    }
  });

  it("gives a new token where the old one has run out, or users have changed", async () => {
    const store = await open(await secured.fresh(true));
    const holding = await hold(store, "holder", { deadAfter: 6_000 });
    const next = hold(store, "next", { deadAfter: 6_000 });
    await expect.poll(async () => (await store.inspect(KEY)).waiting).toBe(1);
    await etcd.etcdctl(["user", "add", `u${Date.now()}:x`], ROOT);
    await holding.renew();
    // A login lasts 2 s here, and whoever asks makes it last longer: nobody asks for 4 s.
    const idle = await open(await secured.fresh(true));
    await idle.inspect(KEY);
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    expect(await idle.inspect(KEY)).toMatchObject({ holders: [] });
    expect(await holding.release()).toBe("released");
    expect(await (await next).release()).toBe("released");
  });

  it("refuses a wrong password, nobody, and who has no right, and says what to do", async () => {
    const url = await secured.fresh(false);
    expect(await refused(url, { token: `${PASSWORD}x` })).toEqual({
      code: "STORE_REFUSED",
      message: expect.stringContaining(`the password of "${USER}"`),
    });
    expect(await refused(url)).toEqual({
      code: "STORE_REFUSED",
      message: expect.stringContaining("user:password"),
    });
    const allowed = openEtcdRegister(url, { token: PASSWORD });
    await allowed.mayWrite?.();
    expect(await allowed.keys()).toEqual([]);
    await allowed.close();
    const elsewhere = url.replace("/secret/", "/other/");
    const denied = openEtcdRegister(elsewhere, { token: PASSWORD });
    await expect(denied.mayWrite?.()).rejects.toMatchObject({ code: "STORE_REFUSED" });
    await denied.close();
    expect(await refused(elsewhere, { token: PASSWORD })).toEqual({
      code: "STORE_REFUSED",
      message: expect.stringMatching(/role grant-permission ROLE readwrite --prefix=true other\/t/),
    });
  });
});

describe.skipIf(!hasEtcd)("an etcd without users", () => {
  it("does not mind a password", async () => {
    const etcd = await startEtcd();
    onTestFinished(() => etcd.stop());
    const store = await open(await etcd.fresh(), { token: "ci:secret" });
    expect(await (await hold(store, "holder")).release()).toBe("released");
    const secure = (await etcd.fresh()).replace("etcd:", "etcds:");
    expect((await refused(secure)).message).toContain("use etcd://");
  });
});

describe.skipIf(!hasEtcd)("an etcd with TLS", () => {
  it("is trusted by the authority's file, and by no other, and a watch wakes there too", async () => {
    const directory = temporaryDirectory();
    const ca = makeCertificate({ name: "Holdfast test authority" });
    const own = makeCertificate({ issuer: { ...ca, name: "Holdfast test authority" } });
    const file = (name: string, text: string) => {
      writeFileSync(join(directory, name), text);
      return join(directory, name);
    };
    const caFile = file("ca.pem", ca.cert);
    const tls = { certFile: file("cert.pem", own.cert), keyFile: file("key.pem", own.key) };
    const etcd = await startEtcd({ tls });
    onTestFinished(() => etcd.stop());
    const url = (await etcd.fresh()).replace("etcd:", "etcds:");
    const store = await open(url, { caFile });
    const holding = await hold(store, "holder");
    const next = hold(store, "next");
    await expect.poll(async () => (await store.inspect(KEY)).waiting).toBe(1);
    expect(await holding.release()).toBe("released");
    expect(await (await next).release()).toBe("released");
    expect(await refused(url)).toEqual({
      code: "STORE_UNSAFE",
      message: expect.stringContaining("HOLDFAST_CA_FILE"),
    });
    expect((await refused(url.replace("etcds:", "etcd:"))).message).toContain("etcds:");
  });
});

describe("what is no etcd", () => {
  it("nobody listens: STORE_UNREACHABLE, and each endpoint was tried", async () => {
    const [one, other] = [await unusedPort(), await unusedPort()];
    expect(await refused(`etcd://127.0.0.1:${one},127.0.0.1:${other}`)).toEqual({
      code: "STORE_UNREACHABLE",
      message: expect.stringMatching(/nothing listens on that port.*and 1 more of its endpoints/),
    });
  });

  it("another web server: STORE_REFUSED", async () => {
    const server = createServer((_, response) => response.end("<title>Welcome!</title>"));
    onTestFinished(() => void server.close());
    expect(await refused(`etcd://127.0.0.1:${await listen(server)}`)).toEqual({
      code: "STORE_REFUSED",
      message: expect.stringMatching(/does not answer as etcd does.*Welcome.*3\.4 or later/),
    });
  });

  it("a server that is silent: STORE_UNREACHABLE, and soon", async () => {
    const server = createSocketServer((socket) => void socket.on("error", () => {}).resume());
    const port = await listen(server);
    onTestFinished(() => void server.close());
    const began = performance.now();
    expect(await refused(`etcd://127.0.0.1:${port}`)).toEqual({
      code: "STORE_UNREACHABLE",
      message: expect.stringContaining("did not answer on 127.0.0.1:"),
    });
    expect(performance.now() - began).toBeLessThan(60_000);
  });
});
