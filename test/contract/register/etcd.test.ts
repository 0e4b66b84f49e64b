import { createServer, request as send } from "node:http";
import { afterAll, beforeAll, describe } from "vitest";
import { openEtcdRegister } from "../../../src/stores/engines/etcd/register.ts";
import { type Etcd, hasEtcd, startEtcd } from "../../helpers/engines/etcd.ts";
import { listen } from "../../helpers/ports.ts";
import { registerSuite } from "./suite.ts";

describe.skipIf(!hasEtcd)("with a real etcd", () => {
  let etcd: Etcd;
  beforeAll(async () => {
    etcd = await startEtcd();
  });
  afterAll(() => etcd.stop());

  registerSuite("etcd", {
    traits: { push: true },
    signs: true,
    wakesFew: true,
    loses: true,
    async create() {
      const relay = await startRelay(etcd.port);
      const url = await etcd.fresh(relay.port);
      return {
        open: async () => openEtcdRegister(url),
        loseNext: (how) => {
          relay.loses = how;
        },
        cleanup: () => relay.close(),
      };
    },
  });
});

/** A way to etcd on which the answer of a transaction gets lost. Streams pass as they come. */
async function startRelay(target: number) {
  const relay = {
    port: 0,
    loses: null as "stands" | "never" | null,
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
  const server = createServer((request, response) => {
    const loses = request.url === "/v3/kv/txn" ? relay.loses : null;
    if (loses !== null) relay.loses = null;
    if (loses === "never") return void request.on("end", () => response.destroy()).resume();
    const { method, url: path, headers } = request;
    const onward = send({ host: "127.0.0.1", port: target, method, path, headers }, (answer) => {
      if (loses === "stands") return void answer.on("end", () => response.destroy()).resume();
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
      answer.on("error", () => response.destroy());
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  });
  relay.port = await listen(server);
  return relay;
}
