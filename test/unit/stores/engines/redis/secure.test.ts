import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRedisRegister } from "../../../../../src/stores/engines/redis/register.ts";
import type { Swap } from "../../../../../src/stores/engines/register.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import { hasRedis, PASSWORD, type Redis, startRedis } from "../../../../helpers/engines/redis.ts";
import { makeCertificate } from "../../../../helpers/server/certificate.ts";

describe.skipIf(!hasRedis)("a Redis server with TLS", () => {
  const authority = { ...makeCertificate({ name: "Authority" }), name: "Authority" };
  const { cert, key } = makeCertificate({ issuer: authority });
  let server: Redis;
  beforeAll(async () => {
    server = await startRedis({
      files: { "cert.pem": cert, "key.pem": key, "ca.pem": authority.cert },
      settings: [
        ...["--port", "0", "--tls-port", "PORT", "--tls-auth-clients", "no"],
        ...["--tls-cert-file", "DIRECTORY/cert.pem", "--tls-key-file", "DIRECTORY/key.pem"],
        ...["--tls-ca-cert-file", "DIRECTORY/ca.pem", "--requirepass", PASSWORD],
      ],
      cli: ["--tls", "--insecure"],
    });
  });
  afterAll(() => server?.stop());

  function caFile(text: string): string {
    const path = join(temporaryDirectory(), "ca.pem");
    writeFileSync(path, text);
    return path;
  }

  async function swap(url: string, ca?: string): Promise<Swap> {
    const options = ca === undefined ? {} : { caFile: caFile(ca) };
    const register = openRedisRegister(url, { token: PASSWORD, ...options }, {});
    try {
      const { version } = await register.read("k");
      return await register.swap("k", version, `{"n":"${version}"}`);
    } finally {
      await register.close();
    }
  }

  it("is trusted by the file of its authority, by name and by address", async () => {
    for (const host of ["127.0.0.1", "localhost"]) {
      const done = await swap(`rediss://default@${host}:${server.port}`, authority.cert);
      expect(done.outcome).toBe("done");
    }
  });

  it("is not trusted without it, nor by another one", async () => {
    for (const ca of [undefined, makeCertificate().cert]) {
      await expect(swap(`rediss://127.0.0.1:${server.port}`, ca)).rejects.toMatchObject({
        code: "STORE_UNSAFE",
        message: expect.stringMatching(/not trusted here: name the file of its authority/),
      });
    }
  });

  it("says so when it is spoken to without TLS", async () => {
    await expect(swap(`redis://127.0.0.1:${server.port}`)).rejects.toMatchObject({
      code: "STORE_UNREACHABLE",
      message: expect.stringMatching(
        /without an answer: it was stopped, it wants TLS \(rediss:\/\/\)/,
      ),
    });
  });

  it("is not there: a server without TLS", async () => {
    const plain = await startRedis();
    try {
      await expect(swap(`rediss://127.0.0.1:${plain.port}`)).rejects.toMatchObject({
        code: "STORE_UNREACHABLE",
        message: expect.stringMatching(/within 5s: .*; if it has no TLS, use redis:\/\//),
      });
    } finally {
      await plain.stop();
    }
  });
});
