import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPostgresRegister } from "../../../../../src/stores/engines/postgres/register.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import { hasPostgres, type Postgres, startPostgres } from "../../../../helpers/engines/postgres.ts";
import { makeCertificate } from "../../../../helpers/server/certificate.ts";

describe.skipIf(!hasPostgres)("a PostgreSQL server with TLS", () => {
  const authority = { ...makeCertificate({ name: "Authority" }), name: "Authority" };
  const certificate = makeCertificate({
    issuer: authority,
    hosts: { names: ["localhost"], addresses: [] },
  });
  let server: Postgres;
  beforeAll(async () => {
    server = await startPostgres({
      files: { "cert.pem": certificate.cert, "key.pem": certificate.key },
      settings: ["ssl=on", "ssl_cert_file=DIRECTORY/cert.pem", "ssl_key_file=DIRECTORY/key.pem"],
    });
  });
  afterAll(() => server?.stop());

  /** Whether the server saw TLS; what it ends in otherwise. */
  async function visit(host: string, mode: string, ca?: string): Promise<string> {
    const url = (await server.fresh()).replace("127.0.0.1", host) + mode;
    const options: { caFile?: string } = {};
    if (ca !== undefined) {
      options.caFile = join(temporaryDirectory(), "ca.pem");
      writeFileSync(options.caFile, ca);
    }
    const register = openPostgresRegister(url, options, {});
    try {
      await register.read("k");
      const seen = await server.sql(
        "select ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'holdfast'",
      );
      return seen.trim() === "t" ? "secure" : "plain";
    } catch (error) {
      return (error as { code: string }).code;
    } finally {
      await register.close();
      // Its session ends a moment after its connection.
      const left = "select count(*) from pg_stat_activity where application_name = 'holdfast'";
      await expect.poll(() => server.sql(left)).toBe("0\n");
    }
  }

  it("is spoken to as sslmode says", async () => {
    const other = makeCertificate().cert;
    const visits: [string, string, string | undefined, string][] = [
      ["127.0.0.1", "", undefined, "secure"],
      ["127.0.0.1", "&sslmode=disable", undefined, "plain"],
      ["127.0.0.1", "&sslmode=require", undefined, "secure"],
      ["127.0.0.1", "&sslmode=require", authority.cert, "secure"],
      ["127.0.0.1", "&sslmode=require", other, "STORE_UNSAFE"],
      ["127.0.0.1", "&sslmode=verify-ca", authority.cert, "secure"],
      ["127.0.0.1", "&sslmode=verify-full", authority.cert, "STORE_UNSAFE"],
      ["localhost", "&sslmode=verify-full", authority.cert, "secure"],
      ["localhost", "&sslmode=verify-full", undefined, "STORE_UNSAFE"],
    ];
    for (const [host, mode, ca, expected] of visits)
      expect(await visit(host, mode, ca), `${host} ${mode} ${ca?.length}`).toBe(expected);
  });

  it("is refused where TLS is asked for and there is none", async () => {
    const plain = await startPostgres();
    try {
      const register = openPostgresRegister(`${await plain.fresh()}&sslmode=require`, {}, {});
      await expect(register.read("k")).rejects.toMatchObject({
        code: "STORE_REFUSED",
        message: expect.stringMatching(/has no TLS, and sslmode=require asks for it/),
      });
      await register.close();
    } finally {
      await plain.stop();
    }
  });
});
