import type { Clock } from "../../lock/time.ts";
import type { Secret } from "../access.ts";
import type { Admission } from "../admission.ts";
import type { Gate } from "../http/context.ts";
import type { Logger } from "../log.ts";
import type { LockTable } from "../table/table.ts";
import type { StatsSource } from "./stats.ts";

/** What all connections of the TCP door share. Times are in milliseconds. */
export interface Door {
  readonly table: LockTable;
  readonly clock: Clock;
  readonly log: Logger;
  readonly admission: Admission;
  readonly stats: StatsSource;
  /** Null: this server is no gate. */
  readonly gate: Pick<Gate, "runOf" | "lend"> | null;
  /** For what must be on the disk before its client is told of it; see `Storage`. */
  readonly settled: () => Promise<void> | null;
  /** Null: every client that can connect may lock. */
  readonly secret: Secret | null;
  /** The secret for looking over HTTP: a client that shows it here is told so. */
  readonly readSecret: Secret | null;
  readonly defaultLease: number;
  readonly readTimeout: number;
  /** 0: none. */
  readonly writeTimeout: number;
  /** Whether a closed connection's locks are released at once, or end with their leases. */
  readonly autoRelease: boolean;
  readonly closing: boolean;
}
