import type { StoreOptions } from "../../options.ts";
import type { ServerClock } from "../../remote/server-clock.ts";
import type {
  CallOptions,
  ChangedOptions,
  ReadOptions,
  Register,
  RegisterTraits,
  Swap,
  SwapOptions,
  Version,
} from "../register.ts";
import { AnswerLost } from "../trouble.ts";
import { parseEtcdAddress } from "./address.ts";
import { EtcdBeacons, isLeaseGone } from "./beacons.ts";
import { Gateway } from "./gateway.ts";
import { base64, Names, textOf } from "./names.ts";
import { type RangeAnswer, swapTxn, type TxnAnswer } from "./txn.ts";
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
 * Who has a beacon watches that and not the document: a swap touches the beacons of those whom it
 * concerns. So a release wakes the next one in line, and not a hundred that wait behind it.
 */
class EtcdRegister implements Register {
  readonly url: string;
  readonly traits: RegisterTraits = { push: true, backoff: [4, 100], conditional: true };
  readonly beacons: EtcdBeacons;
  readonly #gateway: Gateway;
  readonly #names: Names;
  readonly #watches = new Map<string, Watch>();

  constructor(gateway: Gateway, names: Names) {
    this.url = gateway.address.shown;
    this.#gateway = gateway;
    this.#names = names;
    this.beacons = new EtcdBeacons(gateway, names);
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
  ): Promise<Swap> {
    const { lights } = options;
    try {
      return await this.#swap(key, version, next, options).catch(async (error) => {
        if (lights === undefined || !isLeaseGone(error)) throw error;
        // The swapper was stopped for long, and nothing was written.
        await this.beacons.rekindle(lights, options);
        return this.#swap(key, version, next, options);
      });
    } catch (error) {
      if (error instanceof AnswerLost) return { outcome: "unknown", why: error.message };
      throw error;
    }
  }

  async changed(
    key: string,
    version: string | null,
    { pause, signal, beacon }: ChangedOptions,
  ): Promise<void> {
    signal?.throwIfAborted();
    const name = beacon === undefined ? this.#names.document(key) : this.#names.beacon(beacon);
    let watch = this.#watches.get(name);
    if (watch === undefined) {
      watch = new Watch(this.#gateway, name, () => this.#watches.delete(name));
      this.#watches.set(name, watch);
    }
    const revision = Number(version ?? 0);
    if (beacon === undefined) await watch.changed(revision, pause, signal);
    else await watch.told(revision, pause, signal);
    signal?.throwIfAborted();
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
    const none = { light: null, douse: this.#names.beacon("nobody"), need: [], touch: [] };
    const body = swapTxn(this.#names.document("nobody"), "-1", "", none);
    await this.#gateway.ask({ path: "/v3/kv/txn", body }, options);
  }

  async close(): Promise<void> {
    for (const watch of this.#watches.values()) watch.close();
    this.#watches.clear();
    await this.beacons.close();
    await this.#gateway.close();
  }

  async #swap(
    key: string,
    version: string | null,
    next: string,
    { lights, douses, needs = [], wakes = [], ...options }: SwapOptions,
  ): Promise<Swap> {
    const lease = lights === undefined ? null : this.beacons.unlit(lights);
    const light =
      lease === null || lights === undefined ? null : { key: this.#names.beacon(lights), lease };
    const douse = douses === undefined ? null : this.#names.beacon(douses);
    const need = needs.map((id) => this.#names.beacon(id));
    const touch = wakes.slice(0, TOUCHED_LIMIT).map((id) => this.#names.beacon(id));
    const document = this.#names.document(key);
    const body = swapTxn(document, version ?? "0", base64(next), { light, douse, need, touch });
    const question = { path: "/v3/kv/txn", body, once: true };
    const { succeeded, header } = await this.#gateway.ask<TxnAnswer>(question, options);
    if (lights !== undefined) this.beacons.wasLit(lights);
    if (succeeded !== true) return { outcome: "conflict" };
    if (douses !== undefined) this.beacons.wasDoused(douses);
    return { outcome: "done", version: header?.revision ?? "" };
  }

  #range(body: unknown, options: CallOptions): Promise<RangeAnswer> {
    return this.#gateway.ask<RangeAnswer>({ path: "/v3/kv/range", body }, options);
  }
}
