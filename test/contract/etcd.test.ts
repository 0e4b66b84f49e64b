import { afterAll, beforeAll, describe } from "vitest";
import { type Etcd, hasEtcd, startEtcd } from "../helpers/engines/etcd.ts";
import { contractSuite, ENGINE_LIMITS } from "./suite.ts";

describe.skipIf(!hasEtcd)("with a real etcd", () => {
  let etcd: Etcd;
  beforeAll(async () => {
    etcd = await startEtcd();
  });
  afterAll(() => etcd.stop());

  contractSuite("the document store on etcd", {
    // The shortest that etcd's register keeps.
    limits: { ...ENGINE_LIMITS, deadAfter: 8_000 },
    async create() {
      const url = await etcd.fresh();
      const prefix = `${new URL(url).pathname.slice(1)}/`;
      return {
        url,
        opener: new URL("../helpers/engines/opener.ts", import.meta.url).href,
        traces: () => etcd.etcdctl(["get", "--prefix", `${prefix}locks/`]),
      };
    },
  });
});
