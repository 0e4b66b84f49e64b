import type { IncomingMessage } from "node:http";
import type { Store } from "../../lock/store.ts";
import { quote } from "../../lock/text.ts";
import { systemClock } from "../../lock/time.ts";
import { randomHex } from "../../machine/random.ts";
import { Secret } from "../access.ts";
import { Admission, admissionLimits, descriptorLimit } from "../admission.ts";
import { bearerOf, deny } from "../http/auth.ts";
import { call } from "../http/dispatch.ts";
import { type Dispatch, type Exchange, Problem, type Reply } from "../http/exchange.ts";
import { refuseForeign, requireHost } from "../http/origin.ts";
import { createAdmin } from "../http/panel/admin.ts";
import { type Connections, openServing } from "../http/serving.ts";
import { areaOf, readExchange } from "../http/target.ts";
import { createLogger } from "../log.ts";
import { Events } from "../observers/events.ts";
import { createPage } from "../page/page.ts";
import { StoreLocks } from "./locks.ts";
import type { Pace } from "./looks.ts";

const HOST = "127.0.0.1";
const READ_TIMEOUT_MS = 23_000;
const WRITE_TIMEOUT_MS = 5_000;

export interface PageOptions {
  /** 0: a free one. */
  readonly port: number;
  /** Whether readers may freeze, thaw and break. */
  readonly mayChange: boolean;
  /** In whose name, where they give none. */
  readonly by: string;
  readonly version: string;
  /** Lines for the log. */
  output(line: string): void;
  /** Only for tests: other times between two looks. */
  readonly pace?: Pace;
}

export interface RunningPage {
  /** With the token, behind the `#`: a browser keeps that part to itself. */
  readonly address: string;
  stop(): Promise<void>;
}

/**
 * Serves the live page of a store to this machine. It is the lock server's own page, and its own
 * `/admin/` behind it; what differs is where the locks are, and that one token opens it. Throws what
 * keeps the store from being looked at, and BAD_OPTION where the port cannot be had.
 */
export async function servePage(store: Store, options: PageOptions): Promise<RunningPage> {
  const { mayChange, version, output } = options;
  const { now, monotonic } = systemClock;
  const log = createLogger({ level: "warn", format: "text", now, output });
  const token = randomHex(16);
  const events = new Events({ monotonic, onReaders: (some) => locks.looks.follow(some) });
  const locks = new StoreLocks(store, {
    by: options.by,
    pace: options.pace,
    onChange: (key) => events.note(key),
    onTrouble: () => events.drop(),
  });
  // An address that is wrong is told to who typed it.
  await locks.looks.ready();
  const lacks = [
    ...(store.history === undefined ? ["past"] : []),
    ...(store.freeze === undefined ? ["freezes"] : []),
  ];
  const admin = createAdmin({
    log,
    locks,
    events,
    version,
    startedAt: now(),
    now,
    settle: (reply) => reply,
    access: () => ({ access: mayChange ? "full" : "read", store: store.url, lacks }),
  });
  const page = createPage();
  let port = options.port;

  const makeDispatch = ({ prove }: Connections): Dispatch => {
    const guarded = requireToken(new Secret(token), mayChange, log);
    return (request, response) => {
      requireOwnName(request, port);
      const exchange = readExchange(request, response);
      const area = areaOf(exchange.path);
      if (area === "page") {
        // Whoever follows a link to the page comes from elsewhere, and is shown no locks.
        if (request.headers.origin !== undefined) refuseForeign(request);
        return page(exchange);
      }
      refuseForeign(request);
      const denied = guarded(exchange);
      if (denied !== null) return denied;
      prove(request.socket);
      return call(exchange, area === "admin" ? admin : undefined);
    };
  };
  const serving = await openServing(
    {
      host: HOST,
      port,
      tls: null,
      maxConnections: 0,
      readTimeout: READ_TIMEOUT_MS,
      writeTimeout: WRITE_TIMEOUT_MS,
      what: "for the page ",
      option: "--port",
    },
    {
      log,
      clock: systemClock,
      admission: new Admission(admissionLimits(descriptorLimit(), true), log),
    },
    makeDispatch,
  );
  port = serving.port;
  return {
    address: `http://${HOST}:${port}/#token=${token}`,
    async stop() {
      events.close();
      await serving.drain();
      locks.looks.follow(false);
    },
  };
}

/**
 * Refuses a request under another name than those that lead to this machine alone: a foreign page's
 * name can be made to lead here, and the browser then sends that name.
 */
function requireOwnName(request: IncomingMessage, port: number): void {
  const host = requireHost(request).toLowerCase();
  if (host === `${HOST}:${port}` || host === `localhost:${port}`) return;
  throw new Problem(
    403,
    "Forbidden",
    `The host name ${quote(host)} is not this page's: open the address that holdfast page printed.`,
  );
}

/** Checks that a request shows the token, and that it only looks where readers may change nothing. */
function requireToken(
  secret: Secret,
  mayChange: boolean,
  log: Parameters<typeof deny>[1]["log"],
): (exchange: Exchange) => Promise<Reply> | null {
  return (exchange) => {
    const shown = bearerOf(exchange);
    if (shown === null || !secret.matches(shown)) return deny(exchange, { log }, shown !== null);
    exchange.mayChange = mayChange;
    if (mayChange || exchange.method === "GET" || exchange.method === "HEAD") return null;
    throw new Problem(
      403,
      "Read-only",
      "This page only looks: to freeze, thaw or break here, start holdfast page with --allow-changes.",
    );
  };
}
