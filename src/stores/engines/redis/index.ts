import { hash } from "node:crypto";
import { isLockError } from "../../../lock/errors.ts";
import type { StoreOptions } from "../../options.ts";
import { ServerClock } from "../../remote/server-clock.ts";
import { type Credentials, credentialsOf } from "../credentials.ts";
import { Flames } from "../flames.ts";
import { patienceOf, persist } from "../persist.ts";
import type {
  Beacons,
  CallOptions,
  ChangedOptions,
  ReadOptions,
  Register,
  RegisterTraits,
  Swap,
  SwapOptions,
  Version,
} from "../register.ts";
import { Single } from "../single.ts";
import { AnswerLost } from "../trouble.ts";
import { Watches } from "../watches.ts";
import { parseRedisAddress, type RedisAddress } from "./address.ts";
import { Line } from "./line.ts";
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
 * Lights a beacon where there is one to light, compares and sets, and tells who watches, in one step.
 * A version is the digest of the document: it cannot come again for another text, and a key that was
 * deleted, or lost in a failover, is noticed. What comes after the document was set must not be an
 * error of the script: Redis takes nothing back, and the caller would count the swap as not done.
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

/** The engine's times are exact to the millisecond; less than this no process can keep. */
const BEACON_MINIMUM_MS = 1_000;
/** Two clocks drift apart by little in that time. */
const TIME_LASTS_MS = 10_000;
const SCAN_COUNT = "1000";
/** The version of whatever is under a lock's name and no text. The script knows it too. */
const FOREIGN = "foreign";
/** Of the swap's script: somebody else was first, it stands, it stands and nobody was told. */
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
  readonly traits: RegisterTraits = { push: true, backoff: [3, 200], conditional: true };
  readonly beacons: Beacons;
  readonly #address: RedisAddress;
  readonly #watches: Watches;
  readonly #lines: Single<Line>;
  readonly #flames = new Flames();
  readonly clock = new ServerClock();
  #isTimeless = false;
  /** The user may not subscribe, or not publish: said once, and then it is polled. */
  #isMute = false;

  constructor(address: RedisAddress, credentials: Credentials, options: StoreOptions) {
    this.url = address.shown;
    this.#address = address;
    const watches = new Watches((channel) =>
      this.#lines.whileOpen((line) => line.call(["UNSUBSCRIBE", channel], isPush)),
    );
    this.#watches = watches;
    this.#lines = new Single(
      ({ over, ...opening }) => {
        const message = (channel: string, version: string) => watches.heard(channel, version);
        return Line.open(address, credentials, options, { message, over }, opening);
      },
      () => watches.forget(),
    );
    this.beacons = this.#makeBeacons();
  }

  read(key: string, options: ReadOptions = {}): Promise<Version> {
    return this.#watches.reading(this.#channelOf(key, options.beacon), async () => {
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
  ): Promise<Swap> {
    const { names } = this.#address;
    const { lights, douses, needs = [], wakes = [], signal } = options;
    const made = digestOf(next);
    const own = this.#channelOf(key, lights);
    const channels = [names.changed + key, ...wakes.map((id) => names.wake + id)];
    try {
      const line = await this.#lines.open(signal);
      // A claim will want to know what becomes of the document: from before its change on.
      if (lights !== undefined) this.#subscribe(line, own, options).catch(() => {});
      const { mark } = this.#watches;
      const beacons = [lights ?? douses ?? "", ...needs, ...(douses === undefined ? [] : [douses])];
      const keys = [names.lock + key, ...beacons.map((id) => names.beacon + id)];
      const besides = [
        this.#flames.lightsFor(options) ?? "",
        douses === undefined ? "" : "douse",
        needs.length,
      ].map(String);
      const values = [version ?? "", next, made, ...besides, ...channels];
      const script = [SWAP, String(keys.length), ...keys, ...values];
      const reply = await line.call(["EVAL", ...script], isOutcome, signal);
      this.#flames.answered(options, reply === 0 ? "conflict" : "done");
      if (reply === 0) return { outcome: "conflict" };
      if (reply === 2) this.#mute(options);
      this.#watches.saw(own, made, mark);
      return { outcome: "done", version: made };
    } catch (error) {
      if (error instanceof AnswerLost) return { outcome: "unknown", why: error.message };
      throw error;
    }
  }

  async changed(key: string, version: string | null, options: ChangedOptions): Promise<void> {
    const began = performance.now();
    const { beacon, signal } = options;
    const channel = this.#channelOf(key, beacon);
    const line = await this.#lines.open(signal);
    await this.#subscribe(line, channel, options).catch((error) => {
      if (error instanceof AnswerLost) throw error.why;
      signal?.throwIfAborted();
    });
    // Before the subscription stood, it may have changed unheard.
    if (!this.#isMute && !this.#watches.isKnown(channel)) await this.read(key, options);
    const pause = Math.max(1, options.pause - (performance.now() - began));
    await this.#watches.wait(channel, version, { ...options, pause });
  }

  /** Walks through the whole database: a list of keys beside them could differ from what is there. */
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
    const { beacon } = this.#address.names;
    await this.#call(["EVAL", MAY_WRITE, "1", `${beacon}nobody`], isNumber, options);
  }

  close(): Promise<void> {
    return this.#lines.close();
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

  /** For commands that may be sent again: a lost answer is one more way of not being answered. */
  async #call<T extends Reply>(
    parts: readonly string[],
    isExpected: Shape<T>,
    { signal }: CallOptions,
  ): Promise<T> {
    const line = await this.#lines.open(signal);
    try {
      return await line.call(parts, isExpected, signal);
    } catch (error) {
      throw error instanceof AnswerLost ? error.why : error;
    }
  }

  /** Where a claim is told of what concerns it, or who has no beacon of all changes. */
  #channelOf(key: string, beacon: string | undefined): string {
    const { names } = this.#address;
    return beacon === undefined ? names.changed + key : names.wake + beacon;
  }

  /** Asks to be told on a channel. It is sent before it returns, so that what follows is told. */
  async #subscribe(line: Line, channel: string, options: CallOptions): Promise<void> {
    if (this.#isMute || line.isOver || !this.#watches.begin(channel)) return;
    try {
      await line.call(["SUBSCRIBE", channel], isPush, options.signal);
    } catch (error) {
      this.#watches.end(channel);
      // Redis refuses it: it will also do so the next time.
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

  #makeBeacons(): Beacons {
    const { beacon } = this.#address.names;
    return {
      minimum: BEACON_MINIMUM_MS,
      kindle: async (id, deadAfter) => this.#flames.kindle(id, Math.ceil(deadAfter)),
      light: async (id, deadAfter, { signal } = {}) => {
        const set = ["SET", beacon + id, "1", "PX", String(Math.ceil(deadAfter))];
        await persist(async () => {
          const line = await this.#lines.open(signal);
          return line.call(set, isText, signal, patienceOf(deadAfter));
        }, signal);
        this.#flames.lit(id);
      },
      douse: async (id, options = {}) => {
        if (this.#flames.end(id)) return;
        await this.#call(["DEL", beacon + id], isNumber, options);
      },
      lit: async (ids, options = {}) => {
        if (ids.length === 0) return new Map();
        const names = ids.map((id) => beacon + id);
        const replies = await this.#call(["MGET", ...names], areValues(ids.length), options);
        return new Map(ids.map((id, at) => [id, replies[at] !== null]));
      },
    };
  }
}

function digestOf(document: string | Buffer): string {
  return hash("sha1", document);
}
