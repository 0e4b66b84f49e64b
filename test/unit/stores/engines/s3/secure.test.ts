import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createServer } from "node:tls";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Swap } from "../../../../../src/stores/engines/register.ts";
import { openS3Register } from "../../../../../src/stores/engines/s3/register.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import { hasMinio, type Minio, startMinio, TOKEN } from "../../../../helpers/engines/minio.ts";
import { listen } from "../../../../helpers/ports.ts";
import { makeCertificate } from "../../../../helpers/server/certificate.ts";

const authority = { ...makeCertificate({ name: "Authority" }), name: "Authority" };

/** What stands before many a MinIO: it ends TLS, and passes everything else on. */
async function startFront(target: number): Promise<number> {
  const front = createServer(makeCertificate({ issuer: authority }), (client) => {
    const server = connect(target, "127.0.0.1");
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on("error", () => {});
      from.on("close", () => to.destroy());
      from.pipe(to);
    }
  });
  onTestFinished(() => void front.close());
  return listen(front);
}

describe.skipIf(!hasMinio)("a MinIO behind TLS", () => {
  let minio: Minio;
  beforeAll(async () => {
    minio = await startMinio();
  });
  afterAll(() => minio?.stop());

  async function swap(url: string, ca?: string): Promise<Swap> {
    const caFile = join(temporaryDirectory(), "ca.pem");
    if (ca !== undefined) writeFileSync(caFile, ca);
    const options = ca === undefined ? {} : { caFile };
    const register = openS3Register(url, { token: TOKEN, ...options }, { env: {} });
    try {
      const { version } = await register.read("k");
      return await register.swap("k", version, `{"n":"${performance.now()}"}`);
    } finally {
      await register.close();
    }
  }

  it("is trusted by the file of its authority, by name and by address, and else not", async () => {
    const url = (await minio.fresh(await startFront(minio.port))).replace("http:", "https:");
    for (const host of ["127.0.0.1", "localhost"]) {
      const there = url.replace("127.0.0.1", host);
      expect((await swap(there, authority.cert)).outcome).toBe("done");
    }
    for (const ca of [undefined, makeCertificate().cert]) {
      await expect(swap(url, ca)).rejects.toMatchObject({
        code: "STORE_UNSAFE",
        message: expect.stringMatching(/not trusted here: name the file of its authority/),
      });
    }
  });
});
