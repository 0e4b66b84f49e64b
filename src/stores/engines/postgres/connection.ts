import { connect, type Socket } from "node:net";
import { userInfo } from "node:os";
import postgres from "postgres";
import { formatDuration } from "../../../lock/duration.ts";
import { isLockError, type LockError } from "../../../lock/errors.ts";
import type { StoreOptions } from "../../options.ts";
import { AnswerLost, closed, refused, unreachable } from "../../remote/trouble.ts";
import type { Credentials } from "../credentials.ts";
import { endWith, happens, type Opening, openTls, Silence, type Unanswered } from "../socket.ts";
import type { PostgresAddress } from "./address.ts";
import { explainSql, isCertain } from "./refusal.ts";
import { WHO_ANSWERS } from "./sql.ts";

export type Row = Readonly<Record<string, string | null>>;

export interface ConnectionEvents {
  readonly notification: (channel: string, text: string) => void;
  /** The connection is over; no event follows. */
  readonly over: () => void;
}

interface Pending extends Unanswered {
  readonly lose: (why: LockError) => void;
}

/**
 * How long an answer may take. A commit waits for the disk and for standbys; a server that is silent for longer
 * is stuck or cut off.
 */
const ANSWER_MS = 10_000;
/** How long to wait for a good-bye that nobody may hear. */
const END_S = 1;

/**
 * One connection to a PostgreSQL server. The client library (38 kB minified, 9 ms to load, and only if this
 * store is used) speaks the protocol with its ways to log in. This class keeps it to one connection that the
 * library never opens again by itself: so an answer that got lost can be told from a statement that was never
 * sent.
 */
export class Connection {
  readonly #address: PostgresAddress;
  readonly #credentials: Credentials;
  readonly #socket: Socket;
  readonly #sql: postgres.Sql;
  readonly #over: () => void;
  readonly #pending = new Set<Pending>();
  readonly #silence: Silence;
  #end: LockError | null = null;
  #isPooled = false;

  private constructor(
    address: PostgresAddress,
    credentials: Credentials,
    socket: Socket,
    events: ConnectionEvents,
  ) {
    this.#address = address;
    this.#credentials = credentials;
    this.#socket = socket;
    this.#over = events.over;
    this.#silence = new Silence(this.#pending, (silence) => this.fail(silent(address, silence)));
    socket.on("data", () => {
      this.#silence.heard();
      this.#silence.watch();
    });
    socket.on("error", (error) => this.fail(explainSql(address, error, credentials)));
    socket.on("close", () => this.fail(closed(address)));
    this.#sql = postgres(settings(address, credentials, socket, events.notification));
  }

  static async open(
    address: PostgresAddress,
    credentials: Credentials,
    options: StoreOptions,
    events: ConnectionEvents,
    { patience, closing }: Pick<Opening, "patience" | "closing">,
  ): Promise<Connection> {
    const socket = await dial(address, options, patience, closing);
    const connection = new Connection(address, credentials, socket, events);
    try {
      await connection.#greet(patience);
      return connection;
    } catch (error) {
      connection.fail(closed(address));
      if (error instanceof AnswerLost) throw error.why;
      throw explainSql(address, error, credentials);
    }
  }

  /** A pooler is in between: it may give each statement to another session, so this connection cannot listen. */
  get isPooled(): boolean {
    return this.#isPooled;
  }

  get isOver(): boolean {
    return this.#end !== null;
  }

  async #greet(patience: number): Promise<void> {
    const { rows, pid } = await this.#send(WHO_ANSWERS, undefined, patience);
    this.#isPooled = rows[0]?.pid !== String(pid);
    if (rows[0]?.standby === "true") {
      throw unreachable(
        this.#address,
        "is a standby, and locks are kept by the primary: name the primary, or a name that leads to it after a failover",
      );
    }
  }

  /**
   * Sends statements, and gives back the rows of the last one. Throws the server's own error if they were
   * certainly not carried out, AnswerLost if that is not known, and the signal's reason if it fires.
   */
  async query(text: string, signal?: AbortSignal, patience = ANSWER_MS): Promise<readonly Row[]> {
    signal?.throwIfAborted();
    if (this.#end !== null) throw this.#end;
    try {
      return (await this.#send(text, signal, patience)).rows;
    } catch (error) {
      const isTold = isLockError(error) || error instanceof AnswerLost || isCertain(error);
      if (signal?.aborted || isTold) throw error;
      const why = explainSql(this.#address, error, this.#credentials);
      this.fail(why);
      throw new AnswerLost(why);
    }
  }

  /** Ends the connection in good order. */
  async end(): Promise<void> {
    await this.#sql.end({ timeout: END_S });
    this.fail(closed(this.#address));
  }

  /** Ends the connection. Calls that wait for an answer will not get it. */
  fail(why: LockError): void {
    if (this.#end !== null) return;
    this.#end = why;
    this.#silence.end();
    this.#socket.destroy();
    for (const { lose } of [...this.#pending]) lose(why);
    this.#over();
  }

  #send(
    text: string,
    signal: AbortSignal | undefined,
    patience: number,
  ): Promise<{ rows: readonly Row[]; pid: number }> {
    return new Promise((resolve, reject) => {
      const sentAt = performance.now();
      const finish = () => {
        this.#pending.delete(pending);
        signal?.removeEventListener("abort", cancel);
        this.#silence.watch();
      };
      const pending: Pending = {
        sentAt,
        patience,
        lose: (why) => {
          finish();
          reject(new AnswerLost(why));
        },
      };
      const cancel = () => {
        reject(signal?.reason);
        this.#silence.givenUp(sentAt);
      };
      signal?.addEventListener("abort", cancel, { once: true });
      this.#pending.add(pending);
      this.#silence.watch();
      this.#sql.unsafe(text).then(
        (answer) => {
          finish();
          const read = readAnswer(answer);
          if (read === null) reject(notOurs(this.#address));
          else resolve(read);
        },
        (error) => {
          finish();
          reject(error);
        },
      );
    });
  }
}

function silent(address: PostgresAddress, silence: string): LockError {
  return unreachable(
    address,
    `does not answer, for ${silence} by now: it is stuck, a statement is blocked there, or the network is cut`,
  );
}

/**
 * The options of the library. All that it would otherwise take from variables is said here, so only what the URL
 * names is used. `socket` and `onnotify` are not in its types: the first is in its manual, and its own `listen`
 * is built on the second, with a connection of its own for each process.
 */
function settings(
  { host, port, database }: PostgresAddress,
  { user, password }: Credentials,
  socket: Socket,
  onnotify: ConnectionEvents["notification"],
): postgres.Options<Record<string, never>> {
  let isTaken = false;
  const options = {
    host,
    port,
    database,
    username: user ?? userInfo().username,
    // A function: in place of an empty text the client library would take PGPASSWORD by itself.
    password: () => password ?? "",
    ssl: false,
    sslnegotiation: null,
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: 0,
    keep_alive: null,
    backoff: false,
    prepare: false,
    fetch_types: false,
    debug: false,
    connection: { application_name: "holdfast" },
    onnotice: () => {},
    onnotify,
    socket: () => {
      if (isTaken) throw new Error("the connection is over");
      isTaken = true;
      return socket;
    },
  };
  return options as unknown as postgres.Options<Record<string, never>>;
}

/**
 * The rows of the last statement: several are answered by a list of answers. Null: these are no rows of texts.
 */
function readAnswer(answer: unknown): { rows: readonly Row[]; pid: number } | null {
  const last = Array.isArray(answer) && !("command" in answer) ? answer.at(-1) : answer;
  if (!Array.isArray(last) || !last.every(isRow)) return null;
  const { state } = last as { state?: { pid?: number } };
  return { rows: last, pid: state?.pid ?? 0 };
}

function isRow(value: unknown): value is Row {
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).every((each) => each === null || typeof each === "string");
}

function notOurs(address: PostgresAddress): LockError {
  return refused(
    address,
    `has a table ${address.table.sql} whose columns are of other types than text: name another one with ?table=, or drop it`,
  );
}

/** Asks for TLS: a length and a number that no version of the protocol has. */
const TLS_REQUEST = Buffer.of(0, 0, 0, 8, 4, 210, 22, 47);
const YES = 0x53;
const NO = 0x4e;
/** How a server begins to answer: authentication, an error, a notice or a hint about versions. */
const FIRST_LETTERS = [..."RENv"].map((letter) => letter.charCodeAt(0));
const CONNECT_MS = 5_000;
const KEEP_ALIVE_MS = 15_000;

/**
 * Opens a connection to a PostgreSQL server, with TLS if that is wanted. The client library is not used for
 * this, since it recognises neither another kind of server nor a bad certificate. `patience`: milliseconds for
 * the answer to a single letter.
 */
async function dial(
  address: PostgresAddress,
  options: StoreOptions,
  patience: number,
  closing: AbortSignal,
): Promise<Socket> {
  const { host, port, tls } = address;
  const socket = connect({ host, port });
  endWith(socket, closing);
  try {
    await happens(address, socket, "connect", CONNECT_MS, late("connect", CONNECT_MS));
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    const opened = tls === "disable" ? socket : await negotiate(address, socket, options, patience);
    return guarded(address, opened);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function negotiate(
  address: PostgresAddress,
  socket: Socket,
  options: StoreOptions,
  patience: number,
): Promise<Socket> {
  socket.write(TLS_REQUEST);
  const [answer] = (await happens(address, socket, "data", patience, late("data", patience))) as [
    Buffer,
  ];
  // More than the one letter would be text from somebody in between.
  if (answer.length !== 1 || (answer[0] !== YES && answer[0] !== NO)) throw notPostgres(address);
  if (answer[0] === YES) return secured(address, socket, options);
  if (address.tls === "prefer") return socket;
  throw refused(
    address,
    `has no TLS, and sslmode=${address.tls} asks for it: set ssl = on there, or leave sslmode out`,
  );
}

async function secured(
  address: PostgresAddress,
  socket: Socket,
  options: StoreOptions,
): Promise<Socket> {
  const { host, tls: mode } = address;
  const isNamed = options.caFile !== undefined;
  // As in every client of PostgreSQL, `require` looks at the certificate if an authority is named.
  const verifies = mode.startsWith("verify-") || (mode === "require" && isNamed);
  const settings = {
    ...{ socket, host, rejectUnauthorized: verifies },
    ...(mode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
  };
  const secure = await openTls(settings, verifies ? options : null);
  await happens(address, secure, "secureConnect", CONNECT_MS, late("secureConnect", CONNECT_MS));
  return secure;
}

function late(event: string, patience: number): string {
  const what = event === "connect" ? "could not be connected to" : "did not answer";
  return `${what} within ${formatDuration(patience)}: check host and port, that it is PostgreSQL, and the firewall in between`;
}

/** Ends the connection if the first letter of the answer is not PostgreSQL's. */
function guarded(address: PostgresAddress, socket: Socket): Socket {
  socket.once("data", (chunk: Buffer) => {
    if (!FIRST_LETTERS.includes(chunk[0] as number)) socket.destroy(notPostgres(address));
  });
  return socket;
}

function notPostgres(address: PostgresAddress): LockError {
  return refused(address, "does not answer as PostgreSQL does: check host and port");
}
