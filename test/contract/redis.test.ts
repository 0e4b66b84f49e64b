import { afterAll, beforeAll, describe } from "vitest";
import { hasRedis, type Redis, startRedis } from "../helpers/engines/redis.ts";
import { contractSuite, ENGINE_LIMITS } from "./suite.ts";

describe.skipIf(!hasRedis)("Redis", () => {
  let server: Redis;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server?.stop());

  contractSuite("the document store on a Redis server", {
    limits: ENGINE_LIMITS,
    async create() {
      const url = await server.fresh();
      const [, prefix = ""] = url.split("prefix=");
      return {
        url,
        opener: new URL("../helpers/engines/opener.ts", import.meta.url).href,
        async traces() {
          const names = (await server.cli("--scan", "--pattern", `${prefix}:lock:*`)).split("\n");
          const locks = names.filter((name) => name !== "").sort();
          return Promise.all(locks.map(async (name) => [name, await server.cli("get", name)]));
        },
      };
    },
  });
});
