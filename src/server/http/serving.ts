import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isBadInput, isLockError, messageOf } from "../../lock/errors.ts";
import type { Clock } from "../../lock/time.ts";
import type { Admission } from "../admission.ts";
import { listen } from "../listening.ts";
import type { Logger } from "../log.ts";
import { Watch } from "../watch.ts";
import { type Dispatch, Problem, problem, type Reply, type WholeReply } from "./exchange.ts";
import { createListener, type ListenerOptions } from "./listener.ts";
import { send } from "./send.ts";

const PATROL_MS = 1_000;
/** How many requests of one connection are served at once. A client that sends more ahead fills memory. */
const AHEAD_LIMIT = 100;

/** Times are in milliseconds. */
export interface ServingOptions extends ListenerOptions {
  /** 0: none. */
  readonly writeTimeout: number;
  /** What is listened for, and the option that names the port: for a sentence about why that fails. */
  readonly what: string;
  readonly option: string;
}

export interface ServingContext {
  readonly log: Logger;
  readonly clock: Clock;
  readonly admission: Admission;
}

/** What listens for HTTP, whatever is answered there. */
export interface Serving {
  readonly host: string;
  readonly port: number;
  readonly connections: number;
  /** Stops listening and closes connections as they fall idle. Resolves when the last has gone. */
  drain(): Promise<void>;
  /** Closes the connections that are left. */
  cutOff(): void;
}

/** What the one who answers may ask of the connections. */
export interface Connections {
  readonly connections: number;
  /** Takes note that the connection has authenticated. */
  prove(socket: Socket): void;
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
export async function openServing(
  options: ServingOptions,
  { log, clock, admission }: ServingContext,
  makeDispatch: (connections: Connections) => Dispatch,
): Promise<Serving> {
  /** Sockets, not connections: one that is still shaking hands has to be closed too. */
  const sockets = new Set<Socket>();
  const peers = new Map<Socket, Peer>();
  const streams = new Set<ServerResponse>();
  let closing = false;

  const server = createListener(options, log, admission);
  const counts: Connections = {
    get connections() {
      return peers.size;
    },
    prove,
  };
  const dispatch = makeDispatch(counts);

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const peer = peers.get(request.socket);
    if (peer === undefined || peer.pending >= AHEAD_LIMIT) {
      request.socket.destroy();
      return;
    }
    peer.pending += 1;
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
  await listen(server, options, options);
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
    },
    cutOff,
  };
}
