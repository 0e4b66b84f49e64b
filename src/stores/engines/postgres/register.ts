import { randomHex } from "../../../machine/random.ts";
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
import { patienceOf, persist, sleep } from "../waits.ts";
import { Watches } from "../watches.ts";
import { type PostgresAddress, parsePostgresAddress, type Table } from "./address.ts";
import { Connection, type Row } from "./connection.ts";
import { explainSql, isConflict, isMadeMeanwhile, isTableMissing } from "./refusal.ts";
import * as sql from "./sql.ts";

const LEAST_DEAD_AFTER_MS = 1_000;
/** How often to look if nothing tells of a change: a small question a second is little to a database. */
const POLL_MS = 1_000;
const VERSION_BYTES = 12;

export function openPostgresRegister(
  store: string,
  options: StoreOptions = {},
  env = options.variables ?? process.env,
): Register {
  const address = parsePostgresAddress(store);
  const given = credentialsOf(address, options, env.PGPASSWORD);
  const credentials = { ...given, user: given.user ?? env.PGUSER?.trim() ?? null };
  return new PostgresRegister(address, credentials, options);
}

/**
 * A PostgreSQL table as a register: one row a document. A version is a random text that the writer chooses. So a
 * row that was deleted and made again, or came back from a backup, has another version; a counter would not show
 * that. Every read is strong, since only a primary is spoken to.
 */
class PostgresRegister implements Register {
  readonly url: string;
  readonly traits: RegisterTraits = {
    push: true,
    backoff: [3, 200],
    conditional: true,
    signs: { leastDeadAfter: LEAST_DEAD_AFTER_MS },
  };
  readonly #address: PostgresAddress;
  readonly #credentials: Credentials;
  readonly #table: Table;
  readonly clock = new ServerClock();
  readonly #watches: Watches;
  readonly #connections: Single<Connection>;
  #isPoolTold = false;
  /** What killed processes left behind was removed. */
  #isSwept = false;

  constructor(address: PostgresAddress, credentials: Credentials, options: StoreOptions) {
    this.url = address.shown;
    this.#address = address;
    this.#credentials = credentials;
    this.#table = address.table;
    const watches = new Watches((channel) => this.#unlisten(channel));
    this.#watches = watches;
    this.#connections = new Single(
      ({ over, ...opening }) => {
        const notification = (channel: string, version: string) => watches.heard(channel, version);
        return Connection.open(address, credentials, options, { notification, over }, opening);
      },
      () => watches.forget(),
    );
  }

  read(key: string, options: ReadOptions = {}, own?: Own): Promise<Version> {
    return this.#watches.reading(this.#channelOf(key, own), async () => {
      const sentAt = performance.now();
      const rows = await this.#ask(sql.readLock(this.#table, key), options);
      // Without a table there was no row at all.
      const [row] = rows.length === 0 ? await this.#ask(sql.ASK_TIME, options) : rows;
      this.clock.heard(Number(row?.time ?? Number.NaN), sentAt);
      return { version: row?.version ?? null, text: row?.document ?? null };
    });
  }

  async swap(
    key: string,
    version: string | null,
    next: string,
    options: SwapOptions = {},
    own?: Own,
  ): Promise<Swap> {
    const table = this.#table;
    const { ends = false, needs = [], wakes = [], signal } = options;
    const made = randomHex(VERSION_BYTES);
    const channels = [
      sql.channelOf(table, key),
      ...wakes.map((id) => sql.channelOfSession(table, id)),
    ];
    const begins = isBegunBy(own, options) ? own : null;
    const ended = ends ? (own?.id ?? null) : null;
    const state = { key, version, made, document: next, channels, begins, ended, needs };
    const text = sql.swapLock(table, state);
    const channel = this.#channelOf(key, own);
    let isNew = false;
    try {
      const connection = await this.#connections.open(signal);
      // The claim will want to know what becomes of the document, from its change on.
      isNew = isWatching(own) && !ends && !connection.isPooled && this.#watches.begin(channel);
      const { mark } = this.#watches;
      const rows = await this.#put(isNew ? `${sql.listen(channel)};${text}` : text, options);
      wasSwapped(own, options, rows.length === 0 ? "conflict" : "done");
      if (rows.length === 0) return { outcome: "conflict" };
      this.#watches.saw(channel, made, mark);
      return { outcome: "done", version: made };
    } catch (error) {
      // If the statement does not stand, nothing is listened to either.
      if (isNew) this.#watches.end(channel);
      if (error instanceof AnswerLost) return { outcome: "unknown", why: error.message };
      if (isConflict(error)) return { outcome: "conflict" };
      throw this.#explained(error, options);
    }
  }

  async changed(
    key: string,
    version: string | null,
    options: ChangedOptions,
    own?: Own,
  ): Promise<void> {
    const began = performance.now();
    const left = () => Math.max(1, options.pause - (performance.now() - began));
    const { signal } = options;
    const connection = await this.#connections.open(signal);
    if (connection.isPooled) return this.#poll(key, version, options, left);
    const channel = this.#channelOf(key, own);
    if (this.#watches.begin(channel)) {
      await this.#ask(sql.listen(channel), options).catch((error) => {
        this.#watches.end(channel);
        throw error;
      });
    }
    // The document may have changed unheard before anybody listened.
    if (!this.#watches.isKnown(channel)) await this.read(key, options, own);
    await this.#watches.wait(channel, version, { ...options, pause: left() });
  }

  session(id: string, deadAfter: number): Session {
    const own: Own = { id, deadAfter, stage: "new" };
    const table = this.#table;
    return sessionOn(this, own, {
      begin: async () => {
        // The first swap begins it: before that no document names a claim, so no step of its own is needed.
        if (own.stage === "new") own.stage = "due";
      },
      renew: async ({ signal } = {}) => {
        if (isOver(own)) return;
        await persist(async () => {
          const text = sql.renewSession(table, own);
          await this.#put(text, { signal }, patienceOf(deadAfter)).catch((error) => {
            throw this.#explained(error, { signal });
          });
        }, signal);
        // A swap may have ended it meanwhile.
        if (!isOver(own)) own.stage = "alive";
      },
      end: async (options = {}) => {
        if (isOver(own) && this.#isSwept) return;
        own.stage = "over";
        await this.#ask(`${sql.endSession(table, id)};${sql.sweepSessions(table)}`, options);
        this.#isSwept = true;
      },
    });
  }

  async alive(ids: readonly string[], options: CallOptions = {}): Promise<AliveSessions> {
    if (ids.length === 0) return new Map();
    const rows = await this.#ask(sql.aliveSessions(this.#table, ids), options);
    const alive = new Set(rows.map(({ name }) => String(name)));
    return new Map(ids.map((id) => [id, alive.has(id)]));
  }

  async keys(options: CallOptions = {}): Promise<string[]> {
    const rows = await this.#ask(sql.listLocks(this.#table), options);
    return rows.map(({ name }) => String(name));
  }

  async mayWrite(options: CallOptions = {}): Promise<void> {
    try {
      const connection = await this.#connections.open(options.signal);
      await connection.query(sql.mayWrite(this.#table), options.signal).catch(async (error) => {
        if (!isTableMissing(error)) throw error;
        const [row] = await connection.query(sql.mayCreate(this.#table), options.signal);
        if (row?.may !== "true") throw error;
      });
    } catch (error) {
      throw this.#explained(error, options);
    }
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  /**
   * A session that shows life has a channel of its own for what concerns it; all others are told of all changes.
   */
  #channelOf(key: string, own: Own | undefined): string {
    const table = this.#table;
    return isWatching(own) ? sql.channelOfSession(table, own.id) : sql.channelOf(table, key);
  }

  /** A pooler in transaction mode passes no notifications on. So the register looks, and says that once. */
  async #poll(
    key: string,
    version: string | null,
    options: ChangedOptions,
    left: () => number,
  ): Promise<void> {
    const { signal, onTrouble } = options;
    if (!this.#isPoolTold) {
      this.#isPoolTold = true;
      onTrouble?.(
        `${this.#address.called} is behind a pooler, which gives no notifications on: the lock is looked at every second.`,
      );
    }
    while (left() > 1) {
      const [row] = await this.#ask(sql.readVersion(this.#table, key), options);
      if ((row?.version ?? null) !== version) return;
      await sleep(Math.min(POLL_MS, left()), signal);
    }
  }

  /** Asks a question. If there is no table yet, the answer is nothing. */
  async #ask(text: string, { signal }: CallOptions): Promise<readonly Row[]> {
    try {
      return await (await this.#connections.open(signal)).query(text, signal);
    } catch (error) {
      if (isTableMissing(error)) return [];
      throw this.#explained(error, { signal });
    }
  }

  /** Makes a change; the first one makes the table. */
  async #put(
    text: string,
    { signal }: { readonly signal?: AbortSignal | undefined },
    patience?: number,
  ): Promise<readonly Row[]> {
    const connection = await this.#connections.open(signal);
    try {
      return await connection.query(text, signal, patience);
    } catch (error) {
      if (!isTableMissing(error)) throw error;
      try {
        await connection.query(sql.createTable(this.#table), signal);
      } catch (failure) {
        if (!isMadeMeanwhile(failure)) throw failure;
      }
      return connection.query(text, signal);
    }
  }

  #explained(error: unknown, { signal }: { signal?: AbortSignal | undefined }): unknown {
    if (signal?.aborted && error === signal.reason) return error;
    if (error instanceof AnswerLost) return error.why;
    return explainSql(this.#address, error, this.#credentials);
  }

  #unlisten(channel: string): void {
    this.#connections.whileOpen((connection) => connection.query(sql.unlisten(channel)));
  }
}
