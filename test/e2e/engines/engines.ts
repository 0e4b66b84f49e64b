import { afterAll, beforeAll, describe } from "vitest";
import type { Engine } from "../../helpers/engines/engine.ts";
import { hasEtcd, startEtcd } from "../../helpers/engines/etcd.ts";
import { hasMinio, startMinio } from "../../helpers/engines/minio.ts";
import { hasPostgres, startPostgres } from "../../helpers/engines/postgres.ts";
import { hasRedis, startRedis } from "../../helpers/engines/redis.ts";

/** An engine of which every fault of this folder is tried. */
interface Row {
  readonly name: string;
  readonly isInstalled: boolean;
  start(): Promise<Engine>;
}

/** One row an engine. What its helper starts must do what `Engine` says, and nothing else is needed. */
const ROWS: readonly Row[] = [
  { name: "etcd", isInstalled: hasEtcd, start: () => startEtcd() },
  { name: "Redis", isInstalled: hasRedis, start: () => startRedis() },
  { name: "PostgreSQL", isInstalled: hasPostgres, start: () => startPostgres() },
  { name: "MinIO", isInstalled: hasMinio, start: () => startMinio() },
];

/** Runs tests on every engine that is installed; those of the others count as skipped. */
export function onEveryEngine(what: string, tests: (engine: () => Engine) => void): void {
  for (const { name, isInstalled, start } of ROWS) {
    describe.skipIf(!isInstalled)(`${name}: ${what}`, () => {
      let engine: Engine | null = null;
      beforeAll(async () => {
        engine = await start();
      });
      afterAll(() => engine?.stop());
      tests(() => engine as Engine);
    });
  }
}
