import type { Clock } from "../../lock/time.ts";
import type { Logger } from "../log.ts";
import type { Secret } from "../secret.ts";
import type { LockTable } from "../table/table.ts";
import type { Connection } from "./connection.ts";
import type { StatsSource } from "./stats.ts";

/** What all connections of the TCP door share. Times are in milliseconds. */
export interface Door {
  readonly table: LockTable;
  readonly clock: Clock;
  readonly log: Logger;
  readonly stats: StatsSource;
  /** For what must be on the disk before its client is told of it; see `Storage`. */
  readonly settled: () => Promise<void> | null;
  /** Null: whoever can connect may lock. */
  readonly secret: Secret | null;
  readonly defaultLease: number;
  readonly readTimeout: number;
  /** 0: none. */
  readonly writeTimeout: number;
  readonly closing: boolean;
  /** The connection has no more business here: what it held is freed. May be called twice. */
  dismiss(connection: Connection): void;
  /** Its socket is closed. */
  forget(connection: Connection): void;
}
