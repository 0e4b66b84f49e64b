import { afterAll, beforeAll, describe } from "vitest";
import { openS3Register } from "../../../src/stores/engines/s3/register.ts";
import { LosingNetwork } from "../../helpers/engines/losing-network.ts";
import { hasMinio, type Minio, startMinio, TOKEN } from "../../helpers/engines/minio.ts";
import { registerSuite } from "./suite.ts";

/** A document is written, and the server answers that it was. */
const SIGNS = { request: "/locks/", answer: "200 OK" };

describe.skipIf(!hasMinio)("S3", () => {
  let server: Minio;
  beforeAll(async () => {
    server = await startMinio();
  });
  afterAll(() => server?.stop());

  registerSuite("a bucket on MinIO", {
    traits: { push: false },
    signs: true,
    watched: true,
    contention: { registers: 4, rounds: 10 },
    loses: true,
    async create() {
      const network = await LosingNetwork.start(server.port, SIGNS);
      const url = await server.fresh(network.port);
      return {
        open: async () => openS3Register(url, { token: TOKEN }, { env: {} }),
        loseNext: (how) => network.loseNext(how),
        cleanup: async () => {},
      };
    },
  });
});
