import type { Socket } from "node:net";
import type { Hold } from "../../lock/history.ts";
import type { Clock } from "../../lock/time.ts";
import type { Secret } from "../access.ts";
import type { Identities } from "../identity/identities.ts";
import type { Logger } from "../log.ts";
import type { Storage } from "../storage/types.ts";
import type { Claim } from "../table/claim.ts";
import type { LockTable } from "../table/table.ts";
import type { BodyRoom } from "./body.ts";
import type { Exchange, Reply } from "./exchange.ts";
import type { Session } from "./sessions/session.ts";
import type { Sessions } from "./sessions/sessions.ts";

/** A run at whose gate this server stands, as far as its jobs' requests are concerned. */
export interface GatedRun {
  /** As its claims name it. */
  readonly id: string;
  /** How long it holds the key at most, in milliseconds. */
  readonly ttl: number;
}

/** What the door asks of the gate: see src/server/gate. */
export interface Gate {
  /** A delivery of GitHub's. */
  receive(exchange: Exchange, state: DoorState): Promise<Reply>;
  /** The run of a session's job, where the gate holds the key for it or waits for it; null: it does not. */
  runOf(session: Pick<Session, "identity" | "introduction">, key: string): GatedRun | null;
  /** Takes note of a claim that a job made as one of its run, only because the gate does so, too. */
  lend(claim: Claim): void;
  /** A job of the run wants the key to be held until the run is over. */
  keep(run: string, key: string): void;
}

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
  /** Null: this server is no gate. */
  readonly gate: Gate | null;
  /** What became of holds that are over, the newest first. */
  readonly history: { of(key: string): readonly Hold[] };
  /** Whether cookies travel over TLS alone. */
  readonly secure: boolean;
  /** Bytes. */
  readonly maxBody: number;
  readonly bodies: BodyRoom;
}
