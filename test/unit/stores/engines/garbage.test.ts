import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDocumentStore } from "../../../../src/stores/document/store.ts";
import { openEtcdRegister } from "../../../../src/stores/engines/etcd/register.ts";
import { openPostgresRegister } from "../../../../src/stores/engines/postgres/register.ts";
import { openRedisRegister } from "../../../../src/stores/engines/redis/register.ts";
import type { Engine } from "../../../helpers/engines/engine.ts";
import { hasEtcd, startEtcd } from "../../../helpers/engines/etcd.ts";
import { hasPostgres, type Postgres, startPostgres } from "../../../helpers/engines/postgres.ts";
import { hasRedis, type Redis, startRedis } from "../../../helpers/engines/redis.ts";

const BY = { owner: "admin", reason: "garbage" };

function requestOf(key: string) {
  return { key, owner: { id: "a", metadata: {} } };
}

describe.each([
  ["etcd", hasEtcd, startEtcd, openEtcdRegister],
  ["Redis", hasRedis, startRedis, openRedisRegister],
  ["PostgreSQL", hasPostgres, startPostgres, openPostgresRegister],
] as const)("garbage in %s", (_, isThere, start, openRegister) => {
  let engine: Engine;
  beforeAll(async () => {
    if (isThere) engine = await start();
  });
  afterAll(() => engine?.stop());

  test.skipIf(!isThere)(
    "is named by list, and replaced by break",
    async () => {
      const register = openRegister(await engine.fresh());
      const store = openDocumentStore(register);
      const holding = await store.claim(requestOf("sound"));
      const fence = (Date.now() + 86_400_000) * 1_000;
      await register.swap("cut", null, `{"v":1,"key":"cut","fence":${fence},"holders":[`);
      await register.swap("empty", null, "");
      await register.swap("other", null, "[1,2,3]");
      const found = await store.list();
      expect(found.map(({ key, error }) => [key, error?.code])).toEqual([
        ["cut", "BAD_LOCK_FILE"],
        ["empty", "BAD_LOCK_FILE"],
        ["other", "BAD_LOCK_FILE"],
        ["sound", undefined],
      ]);
      await expect(store.claim(requestOf("cut"))).rejects.toMatchObject({ code: "BAD_LOCK_FILE" });
      await expect(store.break("cut", { ...BY, slot: 1 })).rejects.toThrow("leave --slot out");
      for (const key of ["cut", "empty", "other"]) {
        expect((await store.break(key, BY)).broken).toMatchObject([{ owner: "unknown" }]);
        const { lease } = await store.claim(requestOf(key), { timeout: 0 });
        expect(lease.fence).toBeGreaterThan(key === "cut" ? fence : 0);
      }
      expect(holding.lost.aborted).toBe(false);
      await store.close();
    },
    60_000,
  );
});

describe.skipIf(!hasRedis)("in Redis", () => {
  let redis: Redis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  test("what is no text, or has a name that is no key, is named; a break replaces the first", async () => {
    const store = openDocumentStore(openRedisRegister(`redis://127.0.0.1:${redis.port}`));
    await redis.cli("HSET", "holdfast:lock:k", "a", "b");
    await redis.cli("SET", `holdfast:lock:${"x".repeat(300)}`, "{}");
    const found = await store.list();
    expect(found.map(({ error }) => error?.code)).toEqual(["BAD_LOCK_FILE", "BAD_KEY"]);
    await expect(store.claim(requestOf("k"))).rejects.toThrow("holdfast break k --reason TEXT");
    expect((await store.break("k", BY)).broken).toHaveLength(1);
    const holding = await store.claim(requestOf("k"), { timeout: 0 });
    expect(await holding.release()).toBe("released");
    await store.close();
  });
});

describe.skipIf(!hasPostgres)("in PostgreSQL", () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  test("a table of the same name with columns of other types is told as such", async () => {
    const url = await postgres.fresh();
    const store = openDocumentStore(openPostgresRegister(url));
    await (await store.claim(requestOf("k"))).release();
    const table = new URL(url.replace(/^postgres/, "http")).searchParams.get("table");
    const name = table ?? "public.holdfast";
    await postgres.sql(`alter table ${name} alter column document type json using document::json`);
    await expect(store.inspect("k")).rejects.toMatchObject({
      code: "STORE_REFUSED",
      message: expect.stringContaining("columns are of other types"),
    });
    await store.close();
  });
});
