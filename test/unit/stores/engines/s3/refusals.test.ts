import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { serverClock } from "../../../../../src/cli/commands/doctor/server-clock.ts";
import { isLockError, type LockError } from "../../../../../src/lock/errors.ts";
import { openS3Register } from "../../../../../src/stores/engines/s3/register.ts";
import type { StoreOptions } from "../../../../../src/stores/options.ts";
import {
  ACCESS_KEY,
  BUCKET,
  hasMinio,
  type Minio,
  SECRET_KEY,
  startMinio,
  TOKEN,
} from "../../../../helpers/engines/minio.ts";
import { unusedPort } from "../../../../helpers/ports.ts";

/** All that a claim asks of a register: what fails first is the answer; null: nothing. */
async function failure(
  url: string,
  options: StoreOptions = { token: TOKEN },
  env: Record<string, string> = {},
): Promise<LockError | null> {
  const register = openS3Register(url, options, { env });
  try {
    const session = register.session("b", 3_000);
    await session.renew();
    await register.alive(["b"]);
    const { version } = await register.read("k");
    await register.swap("k", version, JSON.stringify({ time: performance.now() }));
    await register.keys();
    await session.end();
    return null;
  } catch (error) {
    if (!isLockError(error)) throw error;
    expect(error.message).not.toContain(SECRET_KEY);
    expect(error.message).toMatch(/^The S3 store s3:[^\n]*\.$/);
    return error;
  } finally {
    await register.close();
  }
}

describe.skipIf(!hasMinio)("a MinIO that refuses", () => {
  let minio: Minio;
  beforeAll(async () => {
    minio = await startMinio();
  });
  afterAll(() => minio?.stop());
  afterEach(() => {
    vi.useRealTimers();
  });

  it("takes keys from the token and from Amazon's variables", async () => {
    const variables = { AWS_ACCESS_KEY_ID: ACCESS_KEY, AWS_SECRET_ACCESS_KEY: SECRET_KEY };
    expect(await failure(await minio.fresh())).toBeNull();
    expect(await failure(await minio.fresh(), {}, variables)).toBeNull();
    const endpoint = `http://127.0.0.1:${minio.port}`;
    const env = { ...variables, AWS_ENDPOINT_URL_S3: endpoint, AWS_REGION: "us-east-1" };
    expect(await failure(`s3://${BUCKET}/by-variables`, {}, env)).toBeNull();
  });

  it.each([
    [`${ACCESS_KEY}:${SECRET_KEY}-wrong`, /does not accept the secret key: check AWS_ACCESS/],
    [`somebody:${SECRET_KEY}`, /does not know the access key: check AWS_ACCESS_KEY_ID/],
  ])("%s", async (token, sentence) => {
    const error = await failure(await minio.fresh(), { token });
    expect(error?.code).toBe("STORE_REFUSED");
    expect(error?.message).toMatch(sentence);
  });

  it("does not accept a session token that is none of its own", async () => {
    const env = {
      AWS_ACCESS_KEY_ID: ACCESS_KEY,
      AWS_SECRET_ACCESS_KEY: SECRET_KEY,
      AWS_SESSION_TOKEN: "made up",
    };
    const error = await failure(await minio.fresh(), {}, env);
    expect(error?.code).toBe("STORE_REFUSED");
    expect(error?.message).toMatch(/does not accept the session token: check AWS_SESSION_TOKEN/);
  });

  it("has no such bucket", async () => {
    const error = await failure((await minio.fresh()).replace(BUCKET, "no-such-bucket"));
    expect(error?.code).toBe("STORE_REFUSED");
    expect(error?.message).toMatch(/has no bucket no-such-bucket: create it/);
  });

  it("finds a clock wrong that is an hour late: it is told, and its locks work all the same", async () => {
    const url = await minio.fresh();
    vi.useFakeTimers({ now: Date.now() - 3_600_000, toFake: ["Date"] });
    const told: string[] = [];
    const register = openS3Register(url, { token: TOKEN }, { env: {} });
    const onTrouble = (sentence: string) => told.push(sentence);
    await register.read("k", { onTrouble });
    expect((await register.swap("k", null, "{}", { onTrouble })).outcome).toBe("done");
    await register.close();
    expect(told).toEqual([
      expect.stringMatching(
        /finds the clock of this machine wrong by about 1h: set it right, best/,
      ),
    ]);
  });

  it("tells doctor its time", async () => {
    const url = await minio.fresh();
    expect(await serverClock(url, {}, {})).toBe(0);
    vi.useFakeTimers({ now: Date.now() - 3_600_000, toFake: ["Date"] });
    expect(await serverClock(url, {}, {})).toBeGreaterThan(3_500_000);
  });

  it("gives the rights of docs/engines.md all that is needed, and says what others lack", async () => {
    const docs = readFileSync(new URL("../../../../../docs/engines.md", import.meta.url), "utf8");
    const text = /```json\n(\{\n {2}"Version": "2012-10-17".*?)```/s.exec(docs)?.[1] ?? "";
    const url = await minio.fresh();
    const prefix = new URL(url).pathname.slice(1);
    const own = text.replaceAll("BUCKET", BUCKET).replaceAll("deploys", prefix);
    const policy = JSON.parse(own) as { Statement: { Action: string[] }[] };
    expect(await failure(url, {}, await minio.session(policy))).toBeNull();
    // Another prefix is another team's.
    expect((await failure(await minio.fresh(), {}, await minio.session(policy)))?.message).toMatch(
      /does not let these credentials use the bucket, here to PUT/,
    );
    for (const action of ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:ListBucket"]) {
      const less = structuredClone(policy);
      for (const statement of less.Statement)
        statement.Action = statement.Action.filter((each) => each !== action);
      less.Statement = less.Statement.filter(({ Action }) => Action.length > 0);
      const error = await failure(url, {}, await minio.session(less));
      expect(error?.code).toBe("STORE_REFUSED");
      expect(error?.message).toMatch(/they need s3:GetObject, s3:PutObject and s3:DeleteObject on/);
    }
  });

  it("is in another region", async () => {
    const elsewhere = await startMinio({ region: "eu-central-1" });
    try {
      const url = await elsewhere.fresh();
      const error = await failure(url);
      expect(error?.code).toBe("STORE_REFUSED");
      expect(error?.message).toMatch(
        /bucket in the region eu-central-1: write \?region=eu-central-1/,
      );
      expect(await failure(`${url}&region=eu-central-1`)).toBeNull();
    } finally {
      await elsewhere.stop();
    }
  });

  it("is not there", async () => {
    const error = await failure(await minio.fresh(await unusedPort()));
    expect(error?.code).toBe("STORE_UNREACHABLE");
    expect(error?.message).toMatch(/nothing listens on that port/);
  });

  it("speaks no TLS", async () => {
    const error = await failure((await minio.fresh()).replace("http://", "https://"));
    expect(error?.code).toBe("STORE_UNREACHABLE");
    expect(error?.message).toMatch(
      /cannot be spoken to with TLS .* use an endpoint with http:\/\//,
    );
  });
});
