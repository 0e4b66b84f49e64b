import { hash } from "node:crypto";
import { isLockError } from "../../../lock/errors.ts";
import type { StoreOptions } from "../../options.ts";
import { ServerClock } from "../../remote/server-clock.ts";
import { AnswerLost } from "../../remote/trouble.ts";
import { type Credentials, credentialsOf } from "../credentials.ts";
import type {
  AliveSessions,
  CallOptions,
  ChangedOptions,
  ReadOptions,
  Register,
  RegisterTraits,
  Session,
  Swap,
  SwapOptions,
  Version,
} from "../register.ts";
import { isBegunBy, isOver, isWatching, type Own, sessionOn, wasSwapped } from "../sessions.ts";
import { Single } from "../socket.ts";
import { patienceOf, persist } from "../waits.ts";
import { Watches } from "../watches.ts";
import { parseRedisAddress, type RedisAddress } from "./address.ts";
import { Connection } from "./connection.ts";
import {
  areValues,
  isDocument,
  isNumber,
  isPush,
  isScan,
  isText,
  RedisError,
  type Reply,
  type Shape,
} from "./resp.ts";

/**
 * Begins a session if one is due, compares and sets, and tells those who watch, in one step. A version is the
 * digest of the document: it cannot come again for another text, and it shows that a key was deleted, or lost in
 * a failover. After the document was set the script must not fail: Redis takes nothing back, and the caller
 * would count the swap as not done.
 */
const SWAP = `if ARGV[4] ~= '' then redis.call('SET', KEYS[2], '1', 'PX', ARGV[4]) end
local now = redis.pcall('GET', KEYS[1])
local version = type(now) == 'table' and 'foreign' or now and redis.sha1hex(now) or ''
if version ~= ARGV[1] then return 0 end
for at = 3, 2 + ARGV[6] do
  if not redis.call('GET', KEYS[at]) then return 0 end
end
redis.call('SET', KEYS[1], ARGV[2])
if ARGV[5] ~= '' then redis.pcall('DEL', KEYS[#KEYS]) end
for at = 7, #ARGV do
  local told = redis.pcall('PUBLISH', ARGV[at], ARGV[3])
  if type(told) == 'table' and told.err then return 2 end
end
return 1`;

/** Needs all the rights that a swap needs, and leaves nothing behind. */
const MAY_WRITE = `redis.call('SET', KEYS[1], '1', 'PX', 1)
return redis.call('DEL', KEYS[1])`;

/** The engine's times are exact to the millisecond, but no process can keep a shorter dead-after. */
const LEAST_DEAD_AFTER_MS = 1_000;
/** How long the server's time is known well enough: in that time two clocks drift apart by little. */
const TIME_LASTS_MS = 10_000;
const SCAN_COUNT = "1000";
/** The version of anything under a lock's name that is no text. The script knows it too. */
const FOREIGN = "foreign";
/**
 * What the swap's script answers: 0, somebody else was first; 1, it stands; 2, it stands and nobody was told.
 */
const isOutcome: Shape<number> = (reply): reply is number => [0, 1, 2].includes(reply as number);

export function openRedisRegister(
  store: string,
  options: StoreOptions = {},
  env = options.variables ?? process.env,
): Register {
  const address = parseRedisAddress(store);
  return new RedisRegister(address, credentialsOf(address, options, env.REDISCLI_AUTH), options);
}

/**
 * A Redis or Valkey server as a register: one key a document, as its JSON text. One connection
 * carries commands and notifications, so that what is heard and what is read have one order.
 * Every read is strong, since only a primary is spoken to.
 */
class RedisRegister implements Register {
  readonly url: string;
  readonly traits: RegisterTraits = {
    push: true,
    backoff: [3, 200],
    conditional: true,
    signs: { leastDeadAfter: LEAST_DEAD_AFTER_MS },
  };
  readonly #address: RedisAddress;
  readonly #watches: Watches;
  readonly #connections: Single<Connection>;
  readonly clock = new ServerClock();
  #isTimeless = false;
  /** The user may not subscribe, or not publish: this is said once, and the register polls from then on. */
  #isMute = false;

  constructor(address: RedisAddress, credentials: Credentials, options: StoreOptions) {
    this.url = address.shown;
    this.#address = address;
    const watches = new Watches((channel) =>
      this.#connections.whileOpen((connection) =>
        connection.call(["UNSUBSCRIBE", channel], isPush),
      ),
    );
    this.#watches = watches;
    this.#connections = new Single(
      ({ over, ...opening }) => {
        const message = (channel: string, version: string) => watches.heard(channel, version);
        return Connection.open(address, credentials, options, { message, over }, opening);
      },
      () => watches.forget(),
    );
  }

  read(key: string, options: ReadOptions = {}, own?: Own): Promise<Version> {
    return this.#watches.reading(this.#channelOf(key, own), async () => {
      const told = this.#askTime(options);
      const reply = await this.#call(["GET", this.#address.names.lock + key], isDocument, options);
      await told;
      if (reply === null) return { version: null, text: null };
      if (reply instanceof RedisError)
        return { version: FOREIGN, text: "", foreign: "something else than a text" };
      return { version: digestOf(reply), text: reply.toString("utf8") };
    });
  }

  async swap(
    key: string,
    version: string | null,
    next: string,
    options: SwapOptions = {},
    own?: Own,
  ): Promise<Swap> {
    const { names } = this.#address;
    const { ends = false, needs = [], wakes = [], signal } = options;
    const made = digestOf(next);
    const channel = this.#channelOf(key, own);
    const channels = [names.changed + key, ...wakes.map((id) => names.wake + id)];
    try {
      const connection = await this.#connections.open(signal);
      // The claim will want to know what becomes of the document, from before its change on.
      if (isWatching(own) && !ends) this.#subscribe(connection, channel, options).catch(() => {});
      const { mark } = this.#watches;
      const id = own?.id ?? "";
      const sessions = [id, ...needs, ...(ends ? [id] : [])];
      const keys = [names.lock + key, ...sessions.map((each) => names.session + each)];
      const besides = [
        isBegunBy(own, options) ? Math.ceil(own.deadAfter) : "",
        ends ? "ends" : "",
        needs.length,
      ].map(String);
      const values = [version ?? "", next, made, ...besides, ...channels];
      const script = [SWAP, String(keys.length), ...keys, ...values];
      const reply = await connection.call(["EVAL", ...script], isOutcome, signal);
      wasSwapped(own, options, reply === 0 ? "conflict" : "done");
      if (reply === 0) return { outcome: "conflict" };
      if (reply === 2) this.#mute(options);
      this.#watches.saw(channel, made, mark);
      return { outcome: "done", version: made };
    } catch (error) {
      if (error instanceof AnswerLost) return { outcome: "unknown", why: error.message };
      throw error;
    }
  }

  async changed(
    key: string,
    version: string | null,
    options: ChangedOptions,
    own?: Own,
  ): Promise<void> {
    const began = performance.now();
    const { signal } = options;
    const channel = this.#channelOf(key, own);
    const connection = await this.#connections.open(signal);
    await this.#subscribe(connection, channel, options).catch((error) => {
      if (error instanceof AnswerLost) throw error.why;
      signal?.throwIfAborted();
    });
    // The document may have changed unheard before the subscription stood.
    if (!this.#isMute && !this.#watches.isKnown(channel)) await this.read(key, options, own);
    const pause = Math.max(1, options.pause - (performance.now() - began));
    await this.#watches.wait(channel, version, { ...options, pause });
  }

  session(id: string, deadAfter: number): Session {
    const own: Own = { id, deadAfter, stage: "new" };
    const name = this.#address.names.session + id;
    return sessionOn(this, own, {
      begin: async () => {
        // The first swap begins it: before that no document names a claim, so no step of its own is needed.
        if (own.stage === "new") own.stage = "due";
      },
      renew: async ({ signal } = {}) => {
        if (isOver(own)) return;
        const set = ["SET", name, "1", "PX", String(Math.ceil(deadAfter))];
        await persist(async () => {
          const connection = await this.#connections.open(signal);
          return connection.call(set, isText, signal, patienceOf(deadAfter));
        }, signal);
        // A swap may have ended it meanwhile.
        if (!isOver(own)) own.stage = "alive";
      },
      end: async (options = {}) => {
        if (isOver(own)) return;
        own.stage = "over";
        await this.#call(["DEL", name], isNumber, options);
      },
    });
  }

  async alive(ids: readonly string[], options: CallOptions = {}): Promise<AliveSessions> {
    if (ids.length === 0) return new Map();
    const names = ids.map((id) => this.#address.names.session + id);
    const replies = await this.#call(["MGET", ...names], areValues(ids.length), options);
    return new Map(ids.map((id, at) => [id, replies[at] !== null]));
  }

  /** Walks through the whole database: a list of keys kept beside them could differ from what is there. */
  async keys(options: CallOptions = {}): Promise<string[]> {
    const { lock } = this.#address.names;
    const found = new Set<string>();
    let cursor = "0";
    do {
      const scan = ["SCAN", cursor, "MATCH", `${lock}*`, "COUNT", SCAN_COUNT];
      const [next, names] = await this.#call(scan, isScan, options);
      for (const name of names) found.add(String(name).slice(lock.length));
      cursor = String(next);
    } while (cursor !== "0");
    return [...found];
  }

  async mayWrite(options: CallOptions = {}): Promise<void> {
    const { session } = this.#address.names;
    await this.#call(["EVAL", MAY_WRITE, "1", `${session}nobody`], isNumber, options);
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  /** Asks for the server's time together with another question, unless it is known well enough. */
  async #askTime(options: CallOptions): Promise<void> {
    if (this.#isTimeless || this.clock.age < TIME_LASTS_MS) return;
    const sentAt = performance.now();
    try {
      const reply = await this.#call(["TIME"], areValues(2), options);
      const [seconds = Number.NaN, micros = 0] = reply.map(String).map(Number);
      this.clock.heard(seconds * 1_000 + micros / 1_000, sentAt);
    } catch (error) {
      // A user without +time: then bounds in time are by what each process has watched.
      this.#isTimeless = isLockError(error, "STORE_REFUSED");
    }
  }

  /** Sends a command that may be sent again: a lost answer is then one more way of not being answered. */
  async #call<T extends Reply>(
    parts: readonly string[],
    isExpected: Shape<T>,
    { signal }: CallOptions,
  ): Promise<T> {
    const connection = await this.#connections.open(signal);
    try {
      return await connection.call(parts, isExpected, signal);
    } catch (error) {
      throw error instanceof AnswerLost ? error.why : error;
    }
  }

  /**
   * A session that shows life has a channel of its own for what concerns it; all others are told of all changes.
   */
  #channelOf(key: string, own: Own | undefined): string {
    const { names } = this.#address;
    return isWatching(own) ? names.wake + own.id : names.changed + key;
  }

  /** Asks to be told on a channel. The request is sent before this returns, so what follows is told. */
  async #subscribe(connection: Connection, channel: string, options: CallOptions): Promise<void> {
    if (this.#isMute || connection.isOver || !this.#watches.begin(channel)) return;
    try {
      await connection.call(["SUBSCRIBE", channel], isPush, options.signal);
    } catch (error) {
      this.#watches.end(channel);
      // Redis refuses it, and will also do so the next time.
      if (isLockError(error, "STORE_REFUSED")) this.#mute(options);
      throw error;
    }
  }

  #mute({ onTrouble }: CallOptions): void {
    if (this.#isMute) return;
    this.#isMute = true;
    onTrouble?.(
      `${this.#address.called} does not let this user tell or hear of changes (channels ${this.#address.names.changed}* and ${this.#address.names.wake}*): waiting claims look every few seconds instead.`,
    );
  }
}

function digestOf(document: string | Buffer): string {
  return hash("sha1", document);
}
