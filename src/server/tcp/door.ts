import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { Clock } from "../../lock/time.ts";
import type { Secret } from "../access.ts";
import type { Admission } from "../admission.ts";
import { listen, tlsOptions, withTls } from "../listening.ts";
import type { Logger } from "../log.ts";
import type { History } from "../memory/history.ts";
import type { LockTable } from "../table/table.ts";
import { Connection } from "./connection.ts";
import type { Door } from "./context.ts";
import type { StatsSource } from "./stats.ts";

/** How often connections are checked; a timeout is noticed late by at most this, or a quarter of itself. */
const PATROL_MS = 1_000;
/**
 * How long a connection is silent before TCP probes it, then ten times a second apart. The probes
 * find a peer that vanished while its request waits; any other peer has to send something anyway.
 */
const KEEP_ALIVE_MS = 10_000;

/** Times are in milliseconds. */
export interface TcpOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | null;
  readonly secret: Secret | null;
  readonly readSecret: Secret | null;
  readonly defaultLease: number;
  readonly maxConnections: number;
  readonly readTimeout: number;
  readonly writeTimeout: number;
  readonly autoRelease: boolean;
}

export interface TcpContext {
  readonly table: LockTable;
  readonly clock: Clock;
  readonly log: Logger;
  readonly admission: Admission;
  readonly version: string;
  readonly history: History;
  readonly gate?: Door["gate"];
  readonly settled: () => Promise<void> | null;
}

export interface TcpDoor {
  readonly host: string;
  readonly port: number;
  readonly connections: number;
  /** Stops listening and closes connections that hold nothing. Resolves when the last is gone. */
  drain(): Promise<void>;
  /** Closes the connections that are left. */
  cutOff(): void;
}

/** Listens for dflockd's protocol. Throws BAD_OPTION where the address or certificate is no good. */
export async function openTcpDoor(options: TcpOptions, context: TcpContext): Promise<TcpDoor> {
  const { clock, log, admission } = context;
  /** Sockets, not connections: one that is still shaking hands counts and has to be closed too. */
  const sockets = new Set<Socket>();
  const connections = new Set<Connection>();
  let closing = false;

  const { readTimeout } = options;
  const stats: StatsSource = { ...context, readTimeout, connections: () => connections.size };
  const door: Door = {
    ...context,
    ...options,
    gate: context.gate ?? null,
    stats,
    get closing() {
      return closing;
    },
  };

  function welcome(socket: Socket): void {
    // A client may send its request and close its side at once: it still gets its reply. Not set
    // for the listener: TLS would then not notice a client that leaves in the middle of the handshake.
    socket.allowHalfOpen = true;
    const connection = new Connection(socket, door);
    connections.add(connection);
    socket.once("close", () => connections.delete(connection));
    if (!log.enabled("debug")) return;
    const { id } = connection.party;
    log.write("debug", "connected", { connection: id, peer: socket.remoteAddress });
    socket.once("close", () => log.write("debug", "disconnected", { connection: id }));
  }

  const server = createListener(options, log);
  server.on("connection", (socket: Socket) => {
    if (!admission.admit(socket)) return;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    if (options.tls === null) welcome(socket);
  });
  server.on("secureConnection", welcome);
  server.on("drop", () => admission.refuse("max-connections", { limit: options.maxConnections }));
  await listen(server, options, { what: "", option: "--port" });
  // Such as no file descriptor left for a new connection: the connections that are open go on.
  server.on("error", (error) => log.limited("error", "accept failed", { reason: error.message }));

  const shortest = Math.min(options.readTimeout, options.writeTimeout || options.readTimeout);
  const patrol = setInterval(
    () => {
      const now = clock.monotonic();
      for (const connection of connections) connection.patrol(now);
    },
    Math.min(PATROL_MS, Math.ceil(shortest / 4)),
  );
  const address = server.address() as { address: string; port: number };

  return {
    host: address.address,
    port: address.port,
    get connections() {
      return connections.size;
    },
    drain() {
      closing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const connection of connections) connection.leaveIfIdle();
      return closed.finally(() => clearInterval(patrol));
    },
    cutOff() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function createListener(options: TcpOptions, log: Logger): Server {
  const common = {
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
  };
  const server =
    options.tls === null
      ? createServer(common)
      : withTls(() => createTlsServer({ ...common, ...tlsOptions(options) }), log);
  if (options.maxConnections > 0) server.maxConnections = options.maxConnections;
  return server;
}
