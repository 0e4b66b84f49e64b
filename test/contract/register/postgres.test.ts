import { afterAll, beforeAll, describe } from "vitest";
import { openPostgresRegister } from "../../../src/stores/engines/postgres/register.ts";
import type { EngineProcess } from "../../helpers/engines/engine.ts";
import { LosingNetwork } from "../../helpers/engines/losing-network.ts";
import {
  hasPgBouncer,
  hasPostgres,
  type Postgres,
  startPostgres,
} from "../../helpers/engines/postgres.ts";
import { registerSuite } from "./suite.ts";

/** A swap that stands selects one row. */
const SIGNS = { request: "with put", answer: "SELECT 1" };

describe.skipIf(!hasPostgres)("PostgreSQL", () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.stop());

  registerSuite("a PostgreSQL server", {
    traits: { push: true },
    signs: true,
    wakesFew: true,
    loses: true,
    async create() {
      const { port, loseNext } = await losing(server.port);
      const url = await server.fresh(port);
      return {
        open: async () => openPostgresRegister(url, {}, {}),
        loseNext,
        cleanup: async () => {},
      };
    },
  });

  describe.skipIf(!hasPgBouncer)("behind PgBouncer", () => {
    let pooler: EngineProcess;
    beforeAll(async () => {
      pooler = await server.pooler();
    });
    afterAll(() => pooler?.stop());

    registerSuite("a PostgreSQL server behind a pooler in transaction mode", {
      traits: { push: true },
      signs: true,
      loses: true,
      async create() {
        const { port, loseNext } = await losing(pooler.port);
        const url = await server.fresh(port);
        return {
          open: async () => openPostgresRegister(url, {}, {}),
          loseNext,
          cleanup: async () => {},
        };
      },
    });
  });
});

async function losing(target: number) {
  const network = await LosingNetwork.start(target, SIGNS);
  return { port: network.port, loseNext: (how: "stands" | "never") => network.loseNext(how) };
}
