import { readFile, stat } from "node:fs/promises";
import { isIP } from "node:net";
import type { Clock } from "../lock/clock.ts";
import { LockError, messageOf, systemCode } from "../lock/errors.ts";
import { quote } from "../lock/text.ts";
import { createTokenMaker } from "../wire/token.ts";
import { createJournal } from "./journal.ts";
import { createLogger, type Logger } from "./log.ts";
import { checkToken, type ServerOptions } from "./options.ts";
import { Secret } from "./secret.ts";
import { LockTable } from "./table.ts";
import { openTcpDoor, type TcpDoor } from "./tcp.ts";

export interface ServerIo {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** Told to clients in `stats`. */
  readonly version?: string;
}

export interface RunningServer {
  readonly host: string;
  readonly port: number;
  /**
   * Stops listening, sends home who waits, and gives holders until the shutdown timeout. Resolves
   * when the last connection is gone. A second call does not wait any longer.
   */
  stop(): Promise<void>;
}

/** `performance.now` costs a tenth of the system clock's nanoseconds, and one process reads it. */
const serverClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/** Starts the server. Throws BAD_OPTION where it cannot run like that; nothing is left open then. */
export async function serve(options: ServerOptions, io: ServerIo): Promise<RunningServer> {
  const version = io.version ?? "0";
  const log = createLogger({
    level: options.logLevel,
    format: options.logFormat,
    now: serverClock.now,
    output: (line) => io.stderr.write(line),
  });
  for (const warning of options.warnings) log.write("warn", warning);
  const secret = await readSecret(options, log);
  refuseStrangers(options, secret);
  const table = new LockTable({
    clock: serverClock,
    makeToken: createTokenMaker(),
    maxLocks: options.maxLocks,
    maxWaiters: options.maxWaiters,
    observer: createJournal(log),
  });
  const door = await openTcpDoor(
    {
      ...options,
      tls: await readCertificate(options),
      secret,
      defaultLease: options.defaultLeaseSeconds * 1_000,
      autoRelease: options.autoReleaseOnDisconnect,
    },
    { table, clock: serverClock, log, version },
  );
  const timers = [
    setInterval(() => table.sweep(), options.leaseSweepInterval),
    setInterval(() => table.collect(options.gcMaxIdle), options.gcInterval),
  ];
  const scheme = options.tls === null ? "tcp" : "tls";
  const host = isIP(door.host) === 6 ? `[${door.host}]` : door.host;
  log.write("info", "started", {
    version,
    address: `${scheme}://${host}:${door.port}`,
    auth: secret !== null,
  });
  io.stdout.write(`listening ${scheme} ${host}:${door.port}\n`);

  return { host: door.host, port: door.port, stop: createStop(options, table, door, log, timers) };
}

function createStop(
  options: ServerOptions,
  table: LockTable,
  door: TcpDoor,
  log: Logger,
  timers: NodeJS.Timeout[],
): () => Promise<void> {
  let stopped: Promise<void> | null = null;

  async function stop(): Promise<void> {
    const { shutdownTimeout } = options;
    log.write("info", "stopping", {
      connections: door.connections,
      held: table.held,
      waiting: table.waiting,
    });
    table.close();
    const drained = door.drain();
    const patience = shutdownTimeout === 0 ? undefined : setTimeout(cutOff, shutdownTimeout);
    await drained;
    clearTimeout(patience);
    for (const timer of timers) clearInterval(timer);
    log.write("info", "stopped");
  }

  function cutOff(): void {
    log.write("warn", "closing connections that still hold locks", {
      connections: door.connections,
    });
    door.cutOff();
  }

  return () => {
    if (stopped === null) stopped = stop();
    else cutOff();
    return stopped;
  };
}

async function readSecret(options: ServerOptions, log: Logger): Promise<Secret | null> {
  const { authToken, authTokenFile } = options;
  if (authToken !== null) return new Secret(authToken);
  if (authTokenFile === null) return null;
  const text = (await readNamedFile("auth-token-file", authTokenFile)).toString("utf8");
  const { mode } = await stat(authTokenFile);
  if (process.platform !== "win32" && (mode & 0o007) !== 0) {
    log.write("warn", "the token file can be read by every user of this machine: chmod 600", {
      file: authTokenFile,
    });
  }
  return new Secret(checkToken(text, `--auth-token-file ${quote(authTokenFile)}`));
}

async function readCertificate({
  tls,
}: ServerOptions): Promise<{ cert: Buffer; key: Buffer } | null> {
  if (tls === null) return null;
  const cert = await readNamedFile("tls-cert", tls.certFile);
  return { cert, key: await readNamedFile("tls-key", tls.keyFile) };
}

async function readNamedFile(option: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const why = systemCode(error) === "ENOENT" ? "it is not there" : messageOf(error);
    const message = `The file ${quote(path)} of --${option} cannot be read: ${why}.`;
    throw new LockError("BAD_OPTION", message, { cause: error });
  }
}

function refuseStrangers({ host, insecure }: ServerOptions, secret: Secret | null): void {
  if (secret !== null || insecure || isLoopback(host)) return;
  throw new LockError(
    "BAD_OPTION",
    `The address ${quote(host)} can be reached from other machines, and anybody could take or free locks: give --auth-token-file, or say --insecure.`,
  );
}

/** By the address as written: a name other than localhost may lead anywhere. */
function isLoopback(host: string): boolean {
  if (host === "localhost" || host === "::1") return true;
  const plain = host.toLowerCase().startsWith("::ffff:") ? host.slice(7) : host;
  return isIP(plain) === 4 && plain.startsWith("127.");
}
