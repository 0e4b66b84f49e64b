import type { StoreOptions } from "../../options.ts";
import type { ServerClock } from "../../remote/server-clock.ts";
import { AnswerLost } from "../../remote/trouble.ts";
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
import { isBegunBy, isWatching, sessionOn, wasSwapped } from "../sessions.ts";
import { parseEtcdAddress } from "./address.ts";
import { Gateway } from "./gateway.ts";
import { base64, Names, type RangeAnswer, swapTxn, type TxnAnswer, textOf } from "./requests.ts";
import { ETCD_SIGNS, type EtcdOwn, EtcdSessions, isLeaseGone } from "./sessions.ts";
import { Watch } from "./watch.ts";

/** A list of keys is asked for in parts of so many. */
const KEYS_AT_ONCE = 1_000;
/** etcd's own bound is 128 operations in a transaction; the others find out by themselves. */
const TOUCHED_LIMIT = 100;

export function openEtcdRegister(store: string, options: StoreOptions = {}): Register {
  const address = parseEtcdAddress(store);
  return new EtcdRegister(new Gateway(address, options), new Names(address.prefix));
}

/**
 * etcd as a register: one key a document, swapped by a transaction on its mod_revision. All reads are
 * linearizable, since what a single member knows may be old.
 *
 * A session watches its own key and not the document: a swap touches the keys of the sessions that it
 * has to wake. So a release wakes the next one in line, and not a hundred that wait behind it.
 */
class EtcdRegister implements Register {
  readonly url: string;
  readonly traits: RegisterTraits = {
    push: true,
    backoff: [4, 100],
    conditional: true,
    signs: ETCD_SIGNS,
  };
  readonly #sessions: EtcdSessions;
  readonly #gateway: Gateway;
  readonly #names: Names;
  readonly #watches = new Map<string, Watch>();

  constructor(gateway: Gateway, names: Names) {
    this.url = gateway.address.shown;
    this.#gateway = gateway;
    this.#names = names;
    this.#sessions = new EtcdSessions(gateway, names);
  }

  get clock(): ServerClock {
    return this.#gateway.clock;
  }

  async read(key: string, options: ReadOptions = {}): Promise<Version> {
    const body = { key: this.#names.document(key) };
    const { kvs: [found] = [] } = await this.#range(body, options);
    if (found === undefined) return { version: null, text: null };
    return { version: found.mod_revision, text: textOf(found.value) };
  }

  async swap(
    key: string,
    version: string | null,
    next: string,
    options: SwapOptions = {},
    own?: EtcdOwn,
  ): Promise<Swap> {
    try {
      return await this.#swap(key, version, next, options, own).catch(async (error) => {
        if (!isBegunBy(own, options) || !isLeaseGone(error)) throw error;
        // The swapping process was stopped for long, and nothing was written.
        await this.#sessions.takeAnother(own, options);
        return this.#swap(key, version, next, options, own);
      });
    } catch (error) {
      if (error instanceof AnswerLost) return { outcome: "unknown", why: error.message };
      throw error;
    }
  }

  async changed(
    key: string,
    version: string | null,
    { pause, signal }: ChangedOptions,
    own?: EtcdOwn,
  ): Promise<void> {
    signal?.throwIfAborted();
    const isOwn = isWatching(own);
    const name = isOwn ? this.#names.session(own.id) : this.#names.document(key);
    let watch = this.#watches.get(name);
    if (watch === undefined) {
      watch = new Watch(this.#gateway, name, () => this.#watches.delete(name));
      this.#watches.set(name, watch);
    }
    const revision = Number(version ?? 0);
    if (isOwn) await watch.told(revision, pause, signal);
    else await watch.changed(revision, pause, signal);
    signal?.throwIfAborted();
  }

  session(id: string, deadAfter: number): Session {
    const own: EtcdOwn = { id, deadAfter, stage: "new", lease: null };
    const sessions = this.#sessions;
    return sessionOn(this, own, {
      begin: (options) => sessions.begin(own, options),
      renew: (options) => sessions.renew(own, options),
      end: (options) => sessions.end(own, options),
    });
  }

  alive(ids: readonly string[], options: CallOptions = {}): Promise<AliveSessions> {
    return this.#sessions.alive(ids, options);
  }

  async keys(options: CallOptions = {}): Promise<string[]> {
    const keys: string[] = [];
    const { range_end, ...all } = this.#names.documents;
    for (let from = all.key; ; ) {
      const part = { key: from, range_end, keys_only: true, limit: String(KEYS_AT_ONCE) };
      const { kvs = [], more } = await this.#range(part, options);
      keys.push(...kvs.flatMap(({ key }) => this.#names.keyOf(key) ?? []));
      const last = kvs.at(-1);
      if (more !== true || last === undefined) return keys;
      from = base64(`${textOf(last.key)}\0`);
    }
  }

  /** Asks for a transaction whose condition never holds: etcd checks the right to all that it names. */
  async mayWrite(options: CallOptions = {}): Promise<void> {
    const none = { begins: null, ended: this.#names.session("nobody"), need: [], touch: [] };
    const body = swapTxn(this.#names.document("nobody"), "-1", "", none);
    await this.#gateway.ask({ path: "/v3/kv/txn", body }, options);
  }

  async close(): Promise<void> {
    for (const watch of this.#watches.values()) watch.close();
    this.#watches.clear();
    await this.#sessions.close();
    await this.#gateway.close();
  }

  async #swap(
    key: string,
    version: string | null,
    next: string,
    options: SwapOptions,
    own?: EtcdOwn,
  ): Promise<Swap> {
    const { ends = false, needs = [], wakes = [] } = options;
    const name = own === undefined ? null : this.#names.session(own.id);
    const lease = isBegunBy(own, options) ? own.lease : null;
    const begins = name === null || lease === null ? null : { key: name, lease };
    const ended = ends ? name : null;
    const need = needs.map((id) => this.#names.session(id));
    const touch = wakes.slice(0, TOUCHED_LIMIT).map((id) => this.#names.session(id));
    const document = this.#names.document(key);
    const body = swapTxn(document, version ?? "0", base64(next), { begins, ended, need, touch });
    const question = { path: "/v3/kv/txn", body, once: true };
    const { succeeded, header } = await this.#gateway.ask<TxnAnswer>(question, options);
    if (begins !== null || ends) wasSwapped(own, options, succeeded ? "done" : "conflict");
    if (succeeded !== true) return { outcome: "conflict" };
    if (ends && own !== undefined) this.#sessions.leaves(own);
    return { outcome: "done", version: header?.revision ?? "" };
  }

  #range(body: unknown, options: CallOptions): Promise<RangeAnswer> {
    return this.#gateway.ask<RangeAnswer>({ path: "/v3/kv/range", body }, options);
  }
}
