import type { Socket } from "node:net";
import type { Hold } from "../../lock/history.ts";
import type { Clock } from "../../lock/time.ts";
import type { Secret } from "../access.ts";
import type { Identities } from "../identity/identities.ts";
import type { Logger } from "../log.ts";
import type { Storage } from "../storage/types.ts";
import type { LockTable } from "../table/table.ts";
import type { BodyRoom } from "./body.ts";
import type { Sessions } from "./sessions/sessions.ts";

/** What all requests of the HTTP door share. */
export interface DoorState {
  readonly table: LockTable;
  readonly clock: Clock;
  readonly log: Logger;
  readonly storage: Storage;
  readonly sessions: Sessions;
  /** Null: every client that can connect may open a session. */
  readonly secret: Secret | null;
  /** With this one may look, and change nothing. */
  readonly readSecret: Secret | null;
  /** Lets jobs in by their ID tokens; null: there is no policy. */
  readonly identities: Identities | null;
  /** Takes note that the connection has authenticated. */
  prove(socket: Socket): void;
  /** What became of holds that are over, the newest first. */
  readonly history: { of(key: string): readonly Hold[] };
  /** Whether cookies travel over TLS alone. */
  readonly secure: boolean;
  /** Bytes. */
  readonly maxBody: number;
  readonly bodies: BodyRoom;
}
