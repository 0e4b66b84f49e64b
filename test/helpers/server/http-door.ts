import { afterEach } from "vitest";
import type { Clock } from "../../../src/lock/time.ts";
import { Admission, admissionLimits } from "../../../src/server/admission.ts";
import { type HttpDoor, type HttpOptions, openHttpDoor } from "../../../src/server/http/door.ts";
import { createLogger } from "../../../src/server/log.ts";
import { History } from "../../../src/server/memory/history.ts";
import { createKeeping } from "../../../src/server/memory/keeping.ts";
import { openStorage } from "../../../src/server/storage/open.ts";
import type { Storage } from "../../../src/server/storage/types.ts";
import { LockTable } from "../../../src/server/table/table.ts";
import { createTokenMaker } from "../../../src/wire/token.ts";
import { HttpClient } from "./http-client.ts";
import { adopt, type HttpServer, openSession } from "./http-server.ts";

/** Time that passes when the test says so. */
export class TestClock implements Clock {
  wall = Date.UTC(2026, 10, 16, 10);
  #elapsed = 0;

  now(): number {
    return this.wall + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  pass(seconds: number): void {
    this.#elapsed += seconds * 1_000;
  }
}

export interface TestDoor extends Omit<HttpServer, "server"> {
  readonly clock: TestClock;
  readonly table: LockTable;
  readonly door: HttpDoor;
  readonly log: () => string;
}

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/**
 * The HTTP door alone, on a table and a clock that the test has in its hands. `disk` says when what
 * the storage was told is safe, as a slow or full disk would.
 */
export async function openDoor(
  options: Partial<HttpOptions> = {},
  disk: Partial<Pick<Storage, "settled" | "trouble" | "writeFile">> = {},
): Promise<TestDoor> {
  const clock = new TestClock();
  let lines = "";
  const output = (line: string) => {
    lines += line;
  };
  const log = createLogger({ level: "debug", format: "text", now: () => clock.now(), output });
  const storage = await openStorage({ file: null });
  Object.defineProperties(storage, Object.getOwnPropertyDescriptors(disk));
  const history = new History();
  const table = new LockTable({
    clock,
    makeToken: createTokenMaker(),
    maxLocks: 0,
    maxWaiters: 0,
    observer: createKeeping(storage, history, clock),
  });
  const door = await openHttpDoor(
    {
      host: "127.0.0.1",
      port: 0,
      tls: null,
      secret: null,
      maxConnections: 0,
      readTimeout: 23_000,
      writeTimeout: 5_000,
      maxBody: 65_536,
      maxSessions: 10_000,
      ...options,
    },
    {
      table,
      clock,
      log,
      storage,
      history,
      admission: new Admission(admissionLimits(1_024, false), log),
    },
  );
  ends.push(async () => {
    const drained = door.drain();
    door.cutOff();
    await drained;
    await storage.close();
  });
  const plain = adopt(new HttpClient(door.port));
  const { port } = door;
  return {
    clock,
    table,
    door,
    log: () => lines,
    port,
    plain,
    session: (wish) => openSession(plain, wish),
  };
}
