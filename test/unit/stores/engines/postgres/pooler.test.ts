import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Store } from "../../../../../src/lock/store.ts";
import { openStore } from "../../../../../src/stores/open.ts";
import type { EngineProcess } from "../../../../helpers/engines/engine.ts";
import {
  hasPgBouncer,
  type Postgres,
  startPostgres,
} from "../../../../helpers/engines/postgres.ts";

const KEY = "production";

describe.skipIf(!hasPgBouncer)("PostgreSQL behind PgBouncer in transaction mode", () => {
  let server: Postgres;
  let pooler: EngineProcess;
  beforeAll(async () => {
    server = await startPostgres();
    pooler = await server.pooler();
  });
  afterAll(async () => {
    await pooler?.stop();
    await server?.stop();
  });

  it("keeps order and exclusion by polling, says so once, and meets those who come directly", async () => {
    const direct = await server.fresh();
    const pooled = direct.replace(`:${server.port}/`, `:${pooler.port}/`);
    const told: string[] = [];
    const onTrouble = (sentence: string) => told.push(sentence);
    const stores: Store[] = [];
    const open = async (url: string) => {
      const store = await openStore(url, { onTrouble });
      stores.push(store);
      return store;
    };
    try {
      const claim = (store: Store, id: string) =>
        store.claim({ key: KEY, owner: { id, metadata: {} }, deadAfter: 5_000 });
      const first = await claim(await open(direct), "first");
      const order: string[] = [];
      const waits: Promise<void>[] = [];
      for (const id of ["second", "third"]) {
        const store = await open(pooled);
        waits.push(
          claim(store, id).then(async (holding) => {
            order.push(id);
            expect((await stores[0]?.inspect(KEY))?.holders[0]).toMatchObject({
              owner: id,
              alive: true,
            });
            await holding.release();
          }),
        );
        const count = waits.length;
        await expect.poll(async () => (await stores[0]?.inspect(KEY))?.waiting).toBe(count);
      }
      expect(await first.release()).toBe("released");
      await Promise.all(waits);
      expect(order).toEqual(["second", "third"]);
      const said = told.filter((sentence) => /behind a pooler.*every second/.test(sentence));
      expect(said).toHaveLength(2);
      // Nothing listens in a session that belongs to everybody.
      const listening = "select count(*) from pg_stat_activity where query like 'listen%'";
      expect(await server.sql(listening)).toBe("0\n");
    } finally {
      for (const store of stores) await store.close();
    }
  });
});
