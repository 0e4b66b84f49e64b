import { connect, type Socket } from "node:net";
import { formatDuration } from "../../../lock/duration.ts";
import { type LockError, systemCode } from "../../../lock/errors.ts";
import type { StoreOptions } from "../../options.ts";
import { AnswerLost, closed, explainSocket, unreachable } from "../../remote/trouble.ts";
import type { Credentials } from "../credentials.ts";
import { endWith, happens, type Opening, openTls, Silence, type Unanswered } from "../socket.ts";
import type { RedisAddress } from "./address.ts";
import { checkServer, explainReply, notRedis, otherwise, wantsAnother } from "./refusal.ts";
import {
  isList,
  isText,
  NotResp,
  Push,
  RedisError,
  type Reply,
  RespReader,
  type Shape,
  writeCommand,
} from "./resp.ts";

interface Pending extends Unanswered {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

export interface ConnectionEvents {
  /** A message on a channel. */
  readonly message: (channel: string, text: string) => void;
  /** The connection is over; no event follows. */
  readonly over: () => void;
}

/**
 * How long an answer may take. A server that is well answers within milliseconds; one that is silent for longer
 * is stuck or cut off.
 */
const ANSWER_MS = 5_000;
const KEEP_ALIVE_MS = 15_000;

/**
 * One connection to a Redis server. Commands are sent at once and answered in their order.
 *
 * It is written here, in 400 lines with its codec. The official client (@redis/client 6.3) is 420 kB minified in
 * each bundle that can open a store, and takes 41 ms to load; this whole register is 13 kB and takes 2 ms.
 * Nothing is needed of that client's pools, clusters and methods for each command. And it does not tell an
 * answer that got lost from a command that was never sent, which is needed.
 */
export class Connection {
  readonly #address: RedisAddress;
  readonly #credentials: Credentials;
  readonly #socket: Socket;
  readonly #events: ConnectionEvents;
  readonly #reader = new RespReader();
  readonly #pending: Pending[] = [];
  readonly #silence: Silence;
  #end: LockError | null = null;

  private constructor(
    address: RedisAddress,
    credentials: Credentials,
    socket: Socket,
    events: ConnectionEvents,
  ) {
    this.#address = address;
    this.#credentials = credentials;
    this.#socket = socket;
    this.#events = events;
    this.#silence = new Silence(this.#pending, (silence) => this.fail(silent(address, silence)));
    socket.on("data", (chunk: Buffer) => this.#hear(chunk));
    socket.on("error", (error) => {
      const isCut = ["ECONNRESET", "EPIPE"].includes(systemCode(error) ?? "");
      this.fail(isCut ? this.#closed() : explainSocket(address, error));
    });
    socket.on("close", () => this.fail(this.#closed()));
  }

  /** Connects, says who asks, and checks that this server can keep locks. */
  static async open(
    address: RedisAddress,
    credentials: Credentials,
    options: StoreOptions,
    events: ConnectionEvents,
    { patience, closing }: Pick<Opening, "patience" | "closing">,
  ): Promise<Connection> {
    const socket = await openSocket(address, options, closing);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    const connection = new Connection(address, credentials, socket, events);
    try {
      await connection.#greet(patience);
      return connection;
    } catch (error) {
      connection.end();
      throw error instanceof AnswerLost ? error.why : error;
    }
  }

  get isOver(): boolean {
    return this.#end !== null;
  }

  async #greet(patience: number): Promise<void> {
    const { database } = this.#address;
    const { user, password } = this.#credentials;
    const auth = password === null ? [] : ["AUTH", user ?? "default", password];
    const greeted = this.call(["HELLO", "3", ...auth], isList, undefined, patience);
    const selected = database === 0 ? null : this.call(["SELECT", String(database)], isText);
    selected?.catch(() => {});
    // A user may not be allowed to ask this: then it is not known, and docs/engines.md says so.
    const told = this.call(["INFO", "memory"], isText).catch((error) => {
      if (error instanceof AnswerLost || this.#end !== null) throw error;
      return "";
    });
    told.catch(() => {});
    const [greeting, memory] = await Promise.all([greeted, told]);
    const fields = greeting.map(String);
    const said = (name: string) => fields[fields.indexOf(name) + 1] ?? "";
    checkServer(this.#address, {
      mode: said("mode"),
      role: said("role"),
      memory: String(memory),
    });
    await selected;
  }

  /**
   * Sends a command whose answer must have a shape. Throws a LockError if the server refuses it or answers
   * something else, or if nothing was sent; AnswerLost if the answer does not come; and the signal's reason if
   * it fires.
   */
  call<T extends Reply>(
    parts: readonly string[],
    isExpected: Shape<T>,
    signal?: AbortSignal,
    patience = ANSWER_MS,
  ): Promise<T> {
    signal?.throwIfAborted();
    if (this.#end !== null) throw this.#end;
    return new Promise((resolve, reject) => {
      const sentAt = performance.now();
      const cancel = () => {
        reject(signal?.reason);
        this.#silence.givenUp(sentAt);
      };
      signal?.addEventListener("abort", cancel, { once: true });
      const settle =
        <T>(finish: (value: T) => void) =>
        (value: T) => {
          signal?.removeEventListener("abort", cancel);
          finish(value);
        };
      this.#pending.push({
        sentAt,
        patience,
        resolve: settle((reply: Reply) => {
          if (isExpected(reply)) return resolve(reply);
          if (reply instanceof RedisError) return reject(this.#refusal(reply));
          const error = otherwise(this.#address, parts[0] as string);
          reject(error);
          this.fail(error);
        }),
        reject: settle(reject),
      });
      this.#socket.write(writeCommand(parts));
      this.#silence.watch();
    });
  }

  #closed(): LockError {
    if (this.#silence.hasHeard) return closed(this.#address);
    const hint = this.#address.secure ? "" : "it wants TLS (rediss://), ";
    return unreachable(
      this.#address,
      `closed the connection without an answer: it was stopped, ${hint}or it is no Redis server`,
    );
  }

  /** Ends the connection in good order. */
  end(): void {
    this.fail(closed(this.#address));
  }

  /** Ends the connection. Calls that wait for an answer will not get it. */
  fail(why: LockError): void {
    if (this.#end !== null) return;
    this.#end = why;
    this.#silence.end();
    this.#socket.destroy();
    for (const { reject } of this.#pending.splice(0)) reject(new AnswerLost(why));
    this.#events.over();
  }

  #hear(chunk: Buffer): void {
    this.#silence.heard();
    try {
      for (const reply of this.#reader.push(chunk)) this.#take(reply);
    } catch (error) {
      if (!(error instanceof NotResp)) throw error;
      this.fail(notRedis(this.#address, error));
    }
    this.#silence.watch();
  }

  #take(reply: Reply): void {
    if (reply instanceof Push) {
      const [kind, channel, text] = reply.parts.map(String);
      if (kind === "message") this.#events.message(channel ?? "", text ?? "");
      // The answers to SUBSCRIBE and UNSUBSCRIBE look like messages, and have their place in the order.
      if (kind !== "subscribe" && kind !== "unsubscribe") return;
    }
    this.#pending.shift()?.resolve(reply);
  }

  #refusal({ message }: RedisError): LockError {
    const error = explainReply(this.#address, message, this.#credentials);
    if (wantsAnother(message)) this.fail(error);
    return error;
  }
}

function silent(address: RedisAddress, silence: string): LockError {
  return unreachable(
    address,
    `does not answer, for ${silence} by now: it is stuck, it is no Redis server, or the network is cut`,
  );
}

async function openSocket(
  address: RedisAddress,
  options: StoreOptions,
  closing: AbortSignal,
): Promise<Socket> {
  const { host, port, secure, withoutTls } = address;
  const socket = secure ? await openTls({ host, port }, options) : connect({ host, port });
  endWith(socket, closing);
  const hint = secure ? `; if it has no TLS, use ${withoutTls}` : "";
  const late = `could not be connected to within ${formatDuration(ANSWER_MS)}: check host, port and the firewall in between${hint}`;
  try {
    await happens(address, socket, secure ? "secureConnect" : "connect", ANSWER_MS, late);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
