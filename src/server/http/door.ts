import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isBadInput, isLockError, messageOf } from "../../lock/errors.ts";
import type { Secret } from "../access.ts";
import type { Admission } from "../admission.ts";
import type { Identities } from "../identity/identities.ts";
import { listen } from "../listening.ts";
import type { Storage } from "../storage/types.ts";
import { Watch } from "../watch.ts";
import { BodyRoom } from "./body.ts";
import type { DoorState } from "./context.ts";
import { createDispatch } from "./dispatch.ts";
import { Problem, problem, type Reply, type Routes, type WholeReply } from "./exchange.ts";
import { createListener, type ListenerOptions } from "./listener.ts";
import { send } from "./send.ts";
import { Sessions, type SessionsContext } from "./sessions/sessions.ts";

const PATROL_MS = 1_000;
/** How many requests of one connection are served at once. A client that sends more ahead fills memory. */
const AHEAD_LIMIT = 100;

/** Times are in milliseconds, sizes in bytes. */
export interface HttpOptions extends ListenerOptions {
  readonly secret: Secret | null;
  /** Null or absent: there is no secret for looking alone. */
  readonly readSecret?: Secret | null;
  /** Null or absent: there is no policy. */
  readonly identities?: Identities | null;
  /** 0: none. */
  readonly writeTimeout: number;
  readonly maxBody: number;
  /** 0: no limit. */
  readonly maxSessions: number;
}

export interface HttpContext extends Omit<SessionsContext, "storage"> {
  readonly admission: Admission;
  readonly storage: Storage;
  readonly history: DoorState["history"];
  /** Null or absent: this server is no gate. */
  readonly gate?: DoorState["gate"];
  readonly routes?: (counts: Counts) => Routes;
}

/** What the metrics ask of the door. */
export interface Counts {
  readonly connections: number;
  readonly sessions: number;
}

export interface HttpDoor extends Counts {
  readonly host: string;
  readonly port: number;
  /** Stops listening and closes connections as they fall idle. Resolves when the last has gone. */
  drain(): Promise<void>;
  /** Closes the connections that are left. */
  cutOff(): void;
}

/** One connection, as the patrol sees it. */
interface Peer {
  readonly watch: Watch;
  /** Requests that are being served. */
  pending: number;
  /** Its connection has authenticated, where that is asked for: see `Admission`. */
  proven: boolean;
}

/** Listens for HTTP. Throws BAD_OPTION where the address or certificate is no good. */
export async function openHttpDoor(options: HttpOptions, context: HttpContext): Promise<HttpDoor> {
  const { log, clock, admission } = context;
  /** Sockets, not connections: one that is still shaking hands has to be closed too. */
  const sockets = new Set<Socket>();
  const peers = new Map<Socket, Peer>();
  const streams = new Set<ServerResponse>();
  let closing = false;

  const server = createListener(options, log, admission);
  const sessions = new Sessions(options.maxSessions, context);
  const state: DoorState = {
    ...context,
    gate: context.gate ?? null,
    sessions,
    secret: options.secret,
    readSecret: options.readSecret ?? null,
    identities: options.identities ?? null,
    prove,
    secure: options.tls !== null,
    maxBody: options.maxBody,
    bodies: new BodyRoom(options.maxBody),
  };
  const counts: Counts = {
    get connections() {
      return peers.size;
    },
    get sessions() {
      return sessions.size;
    },
  };
  const dispatch = createDispatch(state, context.routes?.(counts) ?? {}, options.host);

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const peer = peers.get(request.socket);
    if (peer === undefined || peer.pending >= AHEAD_LIMIT) {
      request.socket.destroy();
      return;
    }
    peer.pending += 1;
    if (options.secret === null) prove(request.socket);
    try {
      const reply = dispatch(request, response);
      if (reply instanceof Promise) reply.then(answer, (error) => answer(explain(error)));
      else answer(reply);
    } catch (error) {
      answer(explain(error));
    }

    function answer(reply: Reply): void {
      (peer as Peer).pending -= 1;
      if ("stream" in reply) stream(request, response, reply.stream);
      else {
        if (log.enabled("debug")) note(request, reply);
        send(request, response, reply, closing);
      }
    }
  }

  function prove(socket: Socket): void {
    const peer = peers.get(socket);
    if (peer === undefined || peer.proven) return;
    peer.proven = true;
    admission.prove(socket);
  }

  function stream(
    request: IncomingMessage,
    response: ServerResponse,
    write: (response: ServerResponse) => void,
  ): void {
    if (closing) {
      const closed = problem(503, "Server closing", "The server is being stopped.");
      send(request, response, closed, true);
      return;
    }
    streams.add(response);
    response.once("close", () => streams.delete(response));
    response.setHeader("x-content-type-options", "nosniff");
    write(response);
  }

  function note(request: IncomingMessage, { status }: WholeReply): void {
    const path = request.url?.split("?")[0];
    log.write("debug", "request", { method: request.method, path, status });
  }

  function explain(error: unknown): WholeReply {
    if (error instanceof Problem) return error.reply;
    if (isLockError(error) && isBadInput(error)) return problem(400, "Bad request", error.message);
    log.limited("error", "request failed", { reason: messageOf(error) });
    return problem(500, "Internal error", "The server failed to answer this; its log says why.");
  }

  function patrol(): void {
    const now = clock.monotonic();
    for (const [socket, { watch }] of peers) {
      if (!watch.isStuck(socket, now, options.writeTimeout)) continue;
      log.limited("info", "client does not read", { peer: socket.remoteAddress });
      socket.destroy();
    }
  }

  function cutOff(): void {
    for (const socket of sockets) socket.destroy();
  }

  server.on("connection", (socket: Socket) => {
    if (!admission.admit(socket)) return;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on(options.tls === null ? "connection" : "secureConnection", (socket: Socket) => {
    peers.set(socket, { watch: new Watch(clock.monotonic()), pending: 0, proven: false });
    socket.once("close", () => peers.delete(socket));
  });
  server.on("request", serve);
  // The body is asked for when it is wanted, and not before.
  server.on("checkContinue", serve);
  server.on("checkExpectation", (request, response) => {
    const message = "The header Expect asks for what this server does not know: leave it out.";
    send(request, response, problem(417, "Expectation failed", message), true);
  });
  try {
    await listen(server, options, { what: "for HTTP ", option: "--http-port" });
  } catch (error) {
    sessions.close();
    throw error;
  }
  server.on("error", (error) => log.limited("error", "accept failed", { reason: error.message }));
  const timer =
    options.writeTimeout === 0
      ? undefined
      : setInterval(patrol, Math.min(PATROL_MS, Math.ceil(options.writeTimeout / 4)));
  const { address, port } = server.address() as { address: string; port: number };

  return {
    host: address,
    port,
    get connections() {
      return counts.connections;
    },
    get sessions() {
      return counts.sessions;
    },
    async drain() {
      closing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const response of streams) response.end();
      for (const [socket, { pending }] of peers) if (pending === 0) socket.destroySoon();
      // Node no longer looks for requests that are late, and no lock depends on a connection here.
      const patience = setTimeout(cutOff, options.readTimeout);
      await closed;
      clearTimeout(patience);
      clearInterval(timer);
      sessions.close();
    },
    cutOff,
  };
}
