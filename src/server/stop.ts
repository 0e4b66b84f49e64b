import type { ServerOptions } from "./options.ts";
import type { Parts } from "./serve.ts";

/** What the TCP and the HTTP door have in common, once they are open. */
interface OpenDoor {
  readonly connections: number;
  drain(): Promise<void>;
  cutOff(): void;
}

/** Ends a server in good order; asked a second time, at once. */
export function createStop(
  { shutdownTimeout }: ServerOptions,
  { table, log, keeping, storage, panel }: Parts,
  doors: readonly OpenDoor[],
  timers: readonly NodeJS.Timeout[],
): () => Promise<void> {
  let stopped: Promise<void> | null = null;

  function connections(): number {
    return doors.reduce((sum, door) => sum + door.connections, 0);
  }

  async function stop(): Promise<void> {
    const { held, waiting } = table;
    log.write("info", "stopping", { connections: connections(), held, waiting });
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
