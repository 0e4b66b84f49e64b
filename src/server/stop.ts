import type { Logger } from "./log.ts";
import type { Keeping } from "./memory/keeping.ts";
import type { Storage } from "./storage/types.ts";
import type { LockTable } from "./table/table.ts";

/** A door is where clients come in, by TCP or HTTP. This is what stopping needs of an open one. */
export interface OpenDoor {
  readonly connections: number;
  /** Stops listening and closes idle connections. Resolves when the last connection is gone. */
  drain(): Promise<void>;
  /** Closes the connections that are left. */
  cutOff(): void;
}

/** The parts of a running server that are stopped, in the order in which that has to happen. */
interface Stoppable {
  readonly table: LockTable;
  readonly log: Logger;
  readonly panel: { close(): void } | null;
  /** Decides nothing any more. */
  readonly gate: { stop(): void } | null;
  readonly doors: readonly OpenDoor[];
  readonly timers: readonly NodeJS.Timeout[];
  readonly keeping: Keeping;
  readonly storage: Storage;
  /** Milliseconds that holders have to release; 0: for ever. */
  readonly shutdownTimeout: number;
}

/** Makes the function that stops a server in good order; called a second time, it does not wait. */
export function createStop(parts: Stoppable): () => Promise<void> {
  const { table, log, panel, gate, doors, timers, keeping, storage, shutdownTimeout } = parts;
  let stopped: Promise<void> | null = null;

  function connections(): number {
    return doors.reduce((sum, door) => sum + door.connections, 0);
  }

  async function stop(): Promise<void> {
    const { held, waiting } = table;
    log.write("info", "stopping", { connections: connections(), held, waiting });
    gate?.stop();
    table.close();
    panel?.close();
    const drained = Promise.all(doors.map((door) => door.drain()));
    const patience = shutdownTimeout === 0 ? undefined : setTimeout(cutOff, shutdownTimeout);
    await drained;
    clearTimeout(patience);
    for (const timer of timers) clearInterval(timer);
    keeping.flush();
    await storage.close();
    log.write("info", "stopped");
  }

  function cutOff(): void {
    keeping.retain();
    log.write("warn", "closing connections that still hold locks", { connections: connections() });
    for (const door of doors) door.cutOff();
  }

  return () => {
    if (stopped === null) stopped = stop();
    else cutOff();
    return stopped;
  };
}
