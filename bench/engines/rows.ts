import { openEtcdRegister } from "../../src/stores/engines/etcd/register.ts";
import { openPostgresRegister } from "../../src/stores/engines/postgres/register.ts";
import { openRedisRegister } from "../../src/stores/engines/redis/register.ts";
import type { Register } from "../../src/stores/engines/register.ts";
import { openS3Register } from "../../src/stores/engines/s3/register.ts";
import type { Engine } from "../../test/helpers/engines/engine.ts";
import { hasEtcd, startEtcd } from "../../test/helpers/engines/etcd.ts";
import { hasMinio, startMinio } from "../../test/helpers/engines/minio.ts";
import { hasPostgres, startPostgres } from "../../test/helpers/engines/postgres.ts";
import { hasRedis, startRedis } from "../../test/helpers/engines/redis.ts";

/** An engine that is measured. */
export interface Row {
  readonly name: string;
  readonly isInstalled: boolean;
  /** It tells of changes. Else it is asked again and again, and only its round trips say something. */
  readonly notifies: boolean;
  start(): Promise<Engine>;
  /** The engine without any lock: what it costs by itself. */
  open(url: string): Register;
}

let documents = 0;

/** About as long as the document of a key with a history; as there, no two of them are the same. */
export function newDocument(): string {
  const nonce = `${process.pid}-${documents++}`;
  return JSON.stringify({ nonce, text: "x".repeat(9_000) });
}

export interface RunningRow extends Row {
  readonly engine: Engine;
}

export const ROWS: readonly Row[] = [
  {
    name: "etcd",
    isInstalled: hasEtcd,
    notifies: true,
    start: () => startEtcd(),
    open: (url) => openEtcdRegister(url),
  },
  {
    name: "Redis",
    isInstalled: hasRedis,
    notifies: true,
    start: () => startRedis(),
    open: (url) => openRedisRegister(url),
  },
  {
    name: "PostgreSQL",
    isInstalled: hasPostgres,
    notifies: true,
    // Each waiter has a connection.
    start: () => startPostgres({ settings: ["max_connections=300", "fsync=on"] }),
    open: (url) => openPostgresRegister(url),
  },
  {
    name: "S3 (MinIO)",
    isInstalled: hasMinio,
    notifies: false,
    start: () => startMinio(),
    open: (url) => openS3Register(url),
  },
];
