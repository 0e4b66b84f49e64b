import type { Beacons, CallOptions, Lit } from "../register.ts";
import { NOT_FOUND, notEtcd } from "./explain.ts";
import { ANSWER_MS, type Gateway, Refused } from "./gateway.ts";
import type { Names } from "./names.ts";
import type { TxnAnswer } from "./txn.ts";

/** A lease of etcd's and whether the beacon's key hangs on it already. */
interface Flame {
  readonly lease: string;
  readonly deadAfter: number;
  isLit: boolean;
  /** A swap has put it out, and its lease is free for another. */
  isOut: boolean;
}

/**
 * A cluster whose leader is gone answers nobody until it has another: 1 to 3 s later with etcd's usual
 * election timeout of 1 s, since two of three may vote for themselves at first.
 */
const OUTAGE_MS = 4_000;
/** So much that a holder outlives an outage before it gives up, which it does after two thirds of it. */
const MINIMUM_MS = 2 * OUTAGE_MS;
/**
 * A leader that was cut off from the others answers keep-alives for up to an election timeout (1 s by
 * default) after they chose another one, whose lease counts from that choice. So long a beacon burns
 * beyond what its holder counts on.
 */
const ELECTION_MS = 1_000;
/** etcd's own bound is 128 operations in a transaction. */
const QUESTIONS_LIMIT = 100;
/** The others are asked too after this part of the time after which silence is death. */
const HESITATION_PART = 20;
const SHORTEST_HESITATION_MS = 250;
const CLOSE_MS = 1_000;

/** Beacons as keys under leases of etcd's, whose own clock ends them. A keep-alive is one POST. */
export class EtcdBeacons implements Beacons {
  readonly minimum = MINIMUM_MS;
  readonly outage = OUTAGE_MS;
  readonly #gateway: Gateway;
  readonly #names: Names;
  readonly #flames = new Map<string, Flame>();
  /** Leases without a beacon, by their seconds: to keep one alive costs less than to take another. */
  readonly #spare = new Map<number, string[]>();

  constructor(gateway: Gateway, names: Names) {
    this.#gateway = gateway;
    this.#names = names;
  }

  async light(id: string, deadAfter: number, options: CallOptions = {}): Promise<void> {
    const patience = patienceOf(deadAfter);
    const known = this.#flames.get(id);
    if (known?.isOut) return;
    if (known !== undefined && !(await this.#keepAlive(known, patience, options))) {
      this.#flames.delete(id);
    }
    await this.kindle(id, deadAfter, options);
    const flame = this.#flames.get(id);
    if (flame === undefined || flame.isLit) return;
    const body = { key: this.#names.beacon(id), lease: flame.lease };
    try {
      await this.#gateway.ask({ path: "/v3/kv/put", body, patience }, options);
      flame.isLit = true;
    } catch (error) {
      // The lease may have ended meanwhile: the next try begins with a new one.
      this.#flames.delete(id);
      throw error;
    }
  }

  /** Takes a lease for a beacon that a swap then lights with its own transaction. */
  async kindle(id: string, deadAfter: number, options: CallOptions = {}): Promise<void> {
    if (this.#flames.has(id)) return;
    const lease = await this.#lease(deadAfter, options);
    this.#flames.set(id, { lease, deadAfter, isLit: false, isOut: false });
  }

  async douse(id: string, options: CallOptions = {}): Promise<void> {
    const flame = this.#flames.get(id);
    this.#flames.delete(id);
    if (flame?.isOut) return;
    if (flame === undefined) {
      const body = { key: this.#names.beacon(id) };
      await this.#gateway.ask({ path: "/v3/kv/deleterange", body }, options);
      return;
    }
    await this.#revoke(flame.lease, options);
  }

  async lit(ids: readonly string[], options: CallOptions = {}): Promise<Lit> {
    const lit = new Map<string, boolean>();
    for (let from = 0; from < ids.length; from += QUESTIONS_LIMIT) {
      const some = ids.slice(from, from + QUESTIONS_LIMIT);
      const success = some.map((id) => ({
        request_range: { key: this.#names.beacon(id), keys_only: true },
      }));
      const question = { path: "/v3/kv/txn", body: { success } };
      const { responses = [] } = await this.#gateway.ask<TxnAnswer>(question, options);
      some.forEach((id, index) => {
        lit.set(id, responses[index]?.response_range?.kvs !== undefined);
      });
    }
    return lit;
  }

  /** The lease of a beacon that still has to be lit; null where it burns or nobody kindled it. */
  unlit(id: string): string | null {
    const flame = this.#flames.get(id);
    return flame === undefined || flame.isLit ? null : flame.lease;
  }

  /** A swap has lit it. */
  wasLit(id: string): void {
    const flame = this.#flames.get(id);
    if (flame !== undefined) flame.isLit = true;
  }

  /** A swap has put it out: the next claim of this process may have its lease. */
  wasDoused(id: string): void {
    const flame = this.#flames.get(id);
    if (flame === undefined || flame.isOut) return;
    flame.isOut = true;
    const seconds = secondsOf(flame.deadAfter);
    this.#spare.set(seconds, [...(this.#spare.get(seconds) ?? []), flame.lease]);
  }

  /** Gives back what no claim needs any more; what fails there ends by etcd's clock. */
  async close(): Promise<void> {
    const leases = [...this.#spare.values()].flat();
    this.#spare.clear();
    const signal = AbortSignal.timeout(CLOSE_MS);
    await Promise.allSettled(leases.map((lease) => this.#revoke(lease, { signal })));
  }

  /** Takes another lease in the place of one that is gone. */
  async rekindle(id: string, options: CallOptions): Promise<void> {
    const flame = this.#flames.get(id);
    this.#flames.delete(id);
    if (flame !== undefined) await this.kindle(id, flame.deadAfter, options);
  }

  /** A lease for a beacon: one that was left over, kept alive for its whole time, or a new one. */
  async #lease(deadAfter: number, options: CallOptions): Promise<string> {
    const patience = patienceOf(deadAfter);
    const TTL = secondsOf(deadAfter);
    const lease = this.#spare.get(TTL)?.pop();
    if (lease !== undefined && (await this.#keepAlive({ lease }, patience, options))) return lease;
    const question = { path: "/v3/lease/grant", body: { TTL }, patience };
    const { ID } = await this.#gateway.ask<{ ID?: string }>(question, options);
    if (ID === undefined) throw notEtcd(this.#gateway.address, 200, "a lease without an id");
    return ID;
  }

  async #revoke(lease: string, options: CallOptions): Promise<void> {
    const revoke = { path: "/v3/lease/revoke", body: { ID: lease } };
    await this.#gateway.ask(revoke, options).catch(unlessGone);
  }

  /** False: the lease has ended. */
  async #keepAlive(
    { lease }: Pick<Flame, "lease">,
    patience: number,
    options: CallOptions,
  ): Promise<boolean> {
    const question = { path: "/v3/lease/keepalive", body: { ID: lease }, patience };
    const { result } = await this.#gateway.ask<{ result?: { TTL?: string } }>(question, options);
    return Number(result?.TTL ?? 0) > 0;
  }
}

function secondsOf(deadAfter: number): number {
  return Math.ceil((deadAfter + ELECTION_MS) / 1_000);
}

/** For the endpoint that is asked first: so short that the others are asked in time. */
function patienceOf(deadAfter: number): number {
  return Math.min(ANSWER_MS, Math.max(SHORTEST_HESITATION_MS, deadAfter / HESITATION_PART));
}

function unlessGone(error: unknown): void {
  if (!isLeaseGone(error)) throw error;
}

export function isLeaseGone(error: unknown): boolean {
  return error instanceof Refused && error.refusal.code === NOT_FOUND;
}
