import type { IncomingMessage } from "node:http";
import { requireSecret } from "./auth.ts";
import type { DoorState } from "./context.ts";
import {
  badRequest,
  type Dispatch,
  type Exchange,
  type Handler,
  Problem,
  type Reply,
  type Routes,
} from "./exchange.ts";
import { serveFile } from "./locks/files.ts";
import { serveLock } from "./locks/operations.ts";
import { lockWord } from "./locks/query.ts";
import { refuseForeign, refuseRebinding, requireHost } from "./origin.ts";
import { serveSession } from "./sessions/operations.ts";
import { areaOf, readExchange } from "./target.ts";

/** Where GitHub delivers its events; on a server that is no gate, a key as any other. */
const WEBHOOK_PATH = "/github/webhook";

/** Makes the function that finds the handler of a request. It throws Problem; `host` is what --host named. */
export function createDispatch(state: DoorState, routes: Routes, host: string): Dispatch {
  /** The last good Host header: clients send the same one for ever. */
  let knownHost = "";

  function checkHost(request: IncomingMessage): void {
    if (request.headers.host === knownHost && knownHost !== "") return;
    const name = requireHost(request);
    if (state.secret === null) refuseRebinding(name, host);
    knownHost = name;
  }

  function guarded(exchange: Exchange, handler: Handler | undefined): Reply | Promise<Reply> {
    refuseForeign(exchange.request);
    const denied = requireSecret(exchange, state);
    if (denied !== null) return denied.then(() => call(exchange, handler));
    return call(exchange, handler);
  }

  return (request, response) => {
    const isWebhook = state.gate !== null && request.url?.split("?", 1)[0] === WEBHOOK_PATH;
    // Its signature proves who sent it, whatever name this server has for GitHub.
    if (!isWebhook) checkHost(request);
    const exchange = readExchange(request, response);
    if (isWebhook && state.gate !== null) return state.gate.receive(exchange, state);
    const area = areaOf(exchange.path);
    if (area === "file") {
      const word = lockWord(exchange);
      return word === null ? serveFile(exchange, state) : serveLock(exchange, word, state);
    }
    if (exchange.rawQuery !== "" && exchange.query.has("lock")) {
      throw badRequest(`The path ${exchange.rawPath} is the server's own and cannot be locked.`);
    }
    switch (area) {
      case "session":
        return serveSession(exchange, state);
      case "admin":
        return guarded(exchange, routes.admin);
      case "metrics":
        return guarded(exchange, routes.metrics);
      case "health":
        return call(exchange, routes.health);
      case "page":
        return call(exchange, routes.page);
      case "reserved":
        return call(exchange, undefined);
    }
  };
}

/** Asks a handler; 404 where there is none. */
export function call(exchange: Exchange, handler: Handler | undefined): Reply | Promise<Reply> {
  if (handler !== undefined) return handler(exchange);
  throw new Problem(404, "Not found", `There is nothing at ${exchange.rawPath}.`);
}
