import { afterAll, beforeAll, describe } from "vitest";
import { openRedisRegister } from "../../../src/stores/engines/redis/register.ts";
import { LosingNetwork } from "../../helpers/engines/losing-network.ts";
import { hasRedis, type Redis, startRedis } from "../../helpers/engines/redis.ts";
import { registerSuite } from "./suite.ts";

/** The script answers 1 where the swap stands. */
const SIGNS = { request: "EVAL", answer: ":1" };

describe.skipIf(!hasRedis)("Redis", () => {
  let server: Redis;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server?.stop());

  registerSuite("a Redis server", {
    traits: { push: true },
    signs: true,
    wakesFew: true,
    loses: true,
    async create() {
      const network = await LosingNetwork.start(server.port, SIGNS);
      const url = await server.fresh(network.port);
      return {
        open: async () => openRedisRegister(url, {}, {}),
        loseNext: (how) => network.loseNext(how),
        cleanup: async () => {},
      };
    },
  });
});
