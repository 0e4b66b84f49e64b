import { describe, expect, it, onTestFinished } from "vitest";
import { program, startCli, UNTIL_INPUT_ENDS } from "../../helpers/cli/cli.ts";
import { storeOfKind } from "../../helpers/cli/stores.ts";
import { hasEtcd, startEtcd } from "../../helpers/engines/etcd.ts";
import { PlainS3 } from "../../helpers/engines/plain-s3.ts";
import { hasPostgres, startPostgres } from "../../helpers/engines/postgres.ts";
import { hasRedis, startRedis } from "../../helpers/engines/redis.ts";
import type { Running } from "../../helpers/processes.ts";
import { Restartable } from "../../helpers/server/restartable.ts";
import { Network } from "../../helpers/tcp/network.ts";
import { until } from "../../helpers/waiting.ts";

/**
 * A runner kills a cancelled job 10 s after its first signal. The bounds of a claim's end sum to 7 s;
 * a busy machine takes its time beside them. Before they were bounded together it was 40 s.
 */
const LIMIT_MS = 20_000;

async function ofEngine(
  start: () => Promise<{ fresh(): Promise<string>; stop(): Promise<unknown> }>,
) {
  const engine = await start();
  onTestFinished(() => void engine.stop());
  return engine.fresh();
}

async function ofServer(door: "tcp" | "http") {
  const server = await Restartable.start(["--http-port", "0"]);
  return `${door}://127.0.0.1:${door === "tcp" ? server.port : server.httpPort}`;
}

/** Every kind of store that is at an address. */
const STORES: readonly (readonly [string, boolean, () => Promise<string>])[] = [
  ["TCP", true, () => ofServer("tcp")],
  ["HTTP", true, () => ofServer("http")],
  ["git", true, () => storeOfKind("repository")],
  ["etcd", hasEtcd, () => ofEngine(startEtcd)],
  ["Redis", hasRedis, () => ofEngine(startRedis)],
  ["PostgreSQL", hasPostgres, () => ofEngine(startPostgres)],
  ["S3", true, async () => (await PlainS3.start()).url],
];

/** S3 answers nobody without a name; the others need none. */
const LOGIN = { AWS_ACCESS_KEY_ID: "ci", AWS_SECRET_ACCESS_KEY: "secret" };

describe.each(STORES)("a cancelled claim whose store has fallen silent: %s", (_, isThere, open) => {
  it.skipIf(!isThere)("ends before its runner kills it", async () => {
    const near = await open();
    const [, port] = /:(\d+)(?=[/?]|$)/.exec(near) ?? [];
    const network = await Network.start(() => Number(port));
    const env = { ...LOGIN, HOLDFAST_STORE: near.replace(`:${port}`, `:${network.port}`) };
    const claim = () => startCli(["run", "k", "--timeout", "10m", "--", ...program("")], { env });
    const endsSoon = async (claim: Running) => {
      const began = performance.now();
      claim.process.kill("SIGTERM");
      expect((await claim.ended).code).toBe(128 + 15);
      expect(performance.now() - began).toBeLessThan(LIMIT_MS);
    };
    const holder = startCli(["run", "k", "--", ...UNTIL_INPUT_ENDS], {
      env: { ...LOGIN, HOLDFAST_STORE: near },
    });
    await holder.prints(/ready/);
    const waiter = claim();
    await waiter.prints(/in line/, "stderr");
    network.cut();
    await endsSoon(waiter);
    const before = network.accepted;
    const newcomer = claim();
    await until(() => network.accepted > before);
    await endsSoon(newcomer);
  });
});
