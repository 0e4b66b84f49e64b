import { isIP } from "node:net";
import type { Clock } from "../lock/time.ts";
import { createTokenMaker } from "../wire/token.ts";
import { type Access, isLoopback, readAccess } from "./access.ts";
import { Admission, admissionLimits, descriptorLimit } from "./admission.ts";
import type { Gate, GateContext } from "./gate/gate.ts";
import type { HttpDoor } from "./http/door.ts";
import type { Panel } from "./http/panel/panel.ts";
import { createJournal } from "./journal.ts";
import { createLogger, type Logger } from "./log.ts";
import { History } from "./memory/history.ts";
import { createKeeping, type Keeping } from "./memory/keeping.ts";
import { restore } from "./memory/restore.ts";
import type { ServerOptions } from "./options.ts";
import { createStop } from "./stop.ts";
import { NO_STORAGE } from "./storage/none.ts";
import type { Storage } from "./storage/types.ts";
import type { Party } from "./table/claim.ts";
import { together } from "./table/observers.ts";
import { LockTable } from "./table/table.ts";
import { openTcpDoor, type TcpDoor } from "./tcp/door.ts";

export interface ServerIo {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** Told to clients in `stats`. */
  readonly version?: string;
}

export interface RunningServer {
  readonly host: string;
  readonly port: number;
  /** Null: no HTTP. */
  readonly httpPort: number | null;
  /**
   * Stops listening, refuses all waiters, and gives holders until the shutdown timeout. Resolves
   * when the last connection is gone. A second call does not wait any longer.
   */
  stop(): Promise<void>;
  /** Reads the file of --policy anew. A bad one changes nothing, and the log says so. */
  reload(): Promise<void>;
}

/** The server's clock. `performance.now` costs a tenth of `hrtime`, and one process alone reads it. */
const serverClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/** The parts of a running server, put together before its doors open. */
interface Parts {
  readonly version: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly access: Access;
  readonly admission: Admission;
  readonly storage: Storage;
  readonly keeping: Keeping;
  readonly history: History;
  readonly table: LockTable;
  readonly panel: Panel | null;
  readonly gate: Gate | null;
  /** Parties of the sessions that were open when the server last ended, by the digest of their ids. */
  readonly sessions: ReadonlyMap<string, Party>;
}

/** Starts the server. Throws BAD_OPTION where an option makes that impossible; nothing is left open then. */
export async function serve(options: ServerOptions, io: ServerIo): Promise<RunningServer> {
  const log = createLogger({
    level: options.logLevel,
    format: options.logFormat,
    now: serverClock.now,
    output: (line) => io.stderr.write(line),
  });
  for (const warning of options.warnings) log.write("warn", warning);
  const parts = await assemble(options, log, io.version ?? "0");
  const doors: { tcp: TcpDoor | null; http: HttpDoor | null } = { tcp: null, http: null };
  try {
    // Before a job can ask for a lock that its run waits for, or holds.
    parts.gate?.start();
    doors.tcp = await openTcp(options, parts);
    doors.http = await openHttp(options, parts, doors.tcp);
  } catch (error) {
    parts.gate?.stop();
    await doors.tcp?.drain();
    await parts.storage.close();
    throw error;
  }
  const { tcp, http } = doors;
  const { table } = parts;
  const timers = [
    setInterval(() => table.sweep(), options.leaseSweepInterval),
    setInterval(() => table.collect(options.gcMaxIdle), options.gcInterval),
  ];
  announce(options, parts, doors, io);
  const stop = createStop({
    ...parts,
    doors: http === null ? [tcp] : [tcp, http],
    timers,
    shutdownTimeout: options.shutdownTimeout,
  });
  const reload = async () => parts.access.identities?.reload();
  return { host: tcp.host, port: tcp.port, httpPort: http?.port ?? null, stop, reload };
}

async function assemble(options: ServerOptions, log: Logger, version: string): Promise<Parts> {
  const clock = serverClock;
  const access = await readAccess(options, clock, log);
  const limits = admissionLimits(descriptorLimit(), access.secret !== null);
  const admission = new Admission(limits, log);
  const makeGate = await readGate(options, log);
  const storage = await openStorageFor(options, log);
  const { found } = storage;
  access.identities?.keepIn(storage);
  const history = new History();
  for (const { key, hold } of found.holds) history.add(key, hold);
  for (const { key, freeze } of found.pastFreezes) history.addFreeze(key, freeze);
  const keeping = createKeeping(storage, history, clock);
  const panel = options.httpPort === null ? null : await makePanel(clock, version);
  const table = new LockTable({
    clock,
    makeToken: createTokenMaker(),
    maxLocks: options.maxLocks,
    maxWaiters: options.maxWaiters,
    observer: together([keeping, createJournal(log), ...(panel?.observers ?? [])]),
    ...(found.lastFence === null ? {} : { lastFence: found.lastFence }),
  });
  const sessions = restore(table, storage, clock);
  const base = { version, clock, log, storage, history, table };
  const gate = makeGate?.(base) ?? null;
  return {
    ...base,
    access,
    admission,
    keeping,
    panel,
    gate,
    sessions,
  };
}

/** The gate's code, and the library that signs its tokens, are loaded only where it is one. */
async function readGate({ githubAppFile }: ServerOptions, log: Logger) {
  if (githubAppFile === null) return null;
  const { readGateConfig } = await import("./gate/config.ts");
  const config = await readGateConfig(githubAppFile);
  const { appId: app, api, rules } = config;
  log.write("info", "gate", { file: githubAppFile, app, api, environments: rules.length });
  const { Gate } = await import("./gate/gate.ts");
  return (context: GateContext): Gate => new Gate(config, context);
}

/** Opens the storage. It is loaded only where HTTP or --data needs it: SQLite takes its time to load. */
async function openStorageFor({ data, httpPort }: ServerOptions, log: Logger): Promise<Storage> {
  if (data === null && httpPort === null) return NO_STORAGE;
  const { openStorage } = await import("./storage/open.ts");
  const storage = await openStorage({
    file: data,
    onTrouble(message) {
      if (message === null) log.write("info", "the data file can be written again", { file: data });
      else log.write("error", "the data file cannot be written", { file: data, reason: message });
    },
    onEnd(error) {
      log.write("error", "the storage failed, the server ends", { reason: error.message });
      process.exit(1);
    },
  });
  const { leases, line, sessions } = storage.found;
  if (data !== null) {
    const counts = { leases: leases.length, waiting: line.length, sessions: sessions.length };
    log.write("info", "data", { file: data, ...counts });
  }
  return storage;
}

async function makePanel(clock: Clock, version: string): Promise<Panel> {
  const { createPanel } = await import("./http/panel/panel.ts");
  return createPanel({ clock, version });
}

function openTcp(options: ServerOptions, parts: Parts): Promise<TcpDoor> {
  const { table, clock, log, admission, version, storage, access, history, gate } = parts;
  return openTcpDoor(
    {
      ...options,
      ...access,
      defaultLease: options.defaultLeaseSeconds * 1_000,
      autoRelease: options.autoReleaseOnDisconnect,
    },
    { table, clock, log, admission, version, history, gate, settled: () => storage.settled() },
  );
}

async function openHttp(
  options: ServerOptions,
  parts: Parts,
  tcp: TcpDoor,
): Promise<HttpDoor | null> {
  const { panel, access, storage } = parts;
  const { httpPort: port } = options;
  if (port === null || panel === null) return null;
  const { openHttpDoor } = await import("./http/door.ts");
  return openHttpDoor(
    { ...options, ...access, port },
    {
      ...parts,
      sessionParties: parts.sessions,
      routes: (http) =>
        panel.routes({
          ...parts,
          trouble: () => storage.trouble,
          tcpConnections: () => tcp.connections,
          httpConnections: () => http.connections,
          sessions: () => http.sessions,
        }),
    },
  );
}

function announce(
  options: ServerOptions,
  { log, version, access }: Parts,
  { tcp, http }: { tcp: TcpDoor | null; http: HttpDoor | null },
  io: ServerIo,
): void {
  const secure = options.tls !== null;
  const doors = [
    { scheme: secure ? "tls" : "tcp", door: tcp },
    { scheme: secure ? "https" : "http", door: http },
  ];
  for (const { scheme, door } of doors) {
    if (door === null) continue;
    const host = isIP(door.host) === 6 ? `[${door.host}]` : door.host;
    const address = `${scheme}://${host}:${door.port}`;
    log.write("info", "started", { version, address, auth: access.secret !== null });
    io.stdout.write(`listening ${scheme} ${host}:${door.port}\n`);
  }
  if (!secure && !isLoopback(options.host)) {
    const risk = "the token and all locks can be read on the way";
    log.write(
      "warn",
      `listening beyond this machine without TLS, ${risk}: give --tls-cert and --tls-key`,
    );
  }
  if (options.data === null) {
    log.write(
      "info",
      "no --data: a restart forgets locks, who waits for them, freezes, sessions and files",
    );
  }
}
