import { afterAll, beforeAll, describe } from "vitest";
import { hasMinio, type Minio, startMinio, TOKEN } from "../helpers/engines/minio.ts";
import { contractSuite, ENGINE_LIMITS } from "./suite.ts";

describe.skipIf(!hasMinio)("with a real MinIO", () => {
  let minio: Minio;
  beforeAll(async () => {
    minio = await startMinio();
  });
  afterAll(() => minio?.stop());

  contractSuite("the document store on S3", {
    limits: { ...ENGINE_LIMITS, promises: { ...ENGINE_LIMITS.promises, push: false } },
    async create() {
      const url = await minio.fresh();
      const prefix = new URL(url).pathname.slice(1);
      return {
        url,
        options: { token: TOKEN },
        opener: new URL("../helpers/engines/opener.ts", import.meta.url).href,
        async traces() {
          const names = await minio.names(`${prefix}/locks/`);
          const texts = names.map(async (name) => (await minio.ask(`/${name}`)).text());
          return [names, await Promise.all(texts)];
        },
      };
    },
  });
});
