import { afterAll, beforeAll, describe } from "vitest";
import { hasPostgres, type Postgres, startPostgres } from "../helpers/engines/postgres.ts";
import { contractSuite, ENGINE_LIMITS } from "./suite.ts";

describe.skipIf(!hasPostgres)("PostgreSQL", () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.stop());

  contractSuite("the document store on a PostgreSQL server", {
    limits: ENGINE_LIMITS,
    async create() {
      const url = await server.fresh();
      const [, table = ""] = url.split("table=");
      return {
        url,
        opener: new URL("../helpers/engines/opener.ts", import.meta.url).href,
        async traces() {
          const isThere = await server.sql(`select to_regclass('public.${table}') is not null`);
          return isThere === "t\n" ? server.sql(`select * from ${table} where kind = 'lock'`) : "";
        },
      };
    },
  });
});
