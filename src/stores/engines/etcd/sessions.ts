import type { AliveSessions, CallOptions, SignTraits } from "../register.ts";
import { isOver, type Own } from "../sessions.ts";
import { ANSWER_MS, type Gateway, Refused } from "./gateway.ts";
import { NOT_FOUND, notEtcd } from "./refusal.ts";
import type { Names, TxnAnswer } from "./requests.ts";

/** A session, and the lease of etcd's on which its key hangs; null: it has none, or has lost it. */
export interface EtcdOwn extends Own {
  lease: string | null;
}

/**
 * How long a cluster that lost its leader may answer nobody: it has another 1 to 3 s later with etcd's usual
 * election timeout of 1 s, since two of three may vote for themselves at first.
 */
const OUTAGE_MS = 4_000;
/** The shortest dead-after: with it a holder outlives an outage before it gives up, after two thirds of it. */
const LEAST_DEAD_AFTER_MS = 2 * OUTAGE_MS;
export const ETCD_SIGNS: SignTraits = { leastDeadAfter: LEAST_DEAD_AFTER_MS, outage: OUTAGE_MS };
/**
 * How much longer a session lives than its holder counts on. A leader that was cut off from the others answers
 * keep-alives for up to an election timeout (1 s by default) after they chose another one, whose lease counts
 * from that choice.
 */
const ELECTION_MS = 1_000;
/** etcd's own bound is 128 operations in a transaction. */
const QUESTIONS_LIMIT = 100;
/** The others are asked too after a twentieth of the time after which silence is death. */
const HESITATION_PART = 20;
const SHORTEST_HESITATION_MS = 250;
const CLOSE_MS = 1_000;

/** Sessions as keys under leases of etcd's, whose own clock ends them. A keep-alive is one POST. */
export class EtcdSessions {
  readonly #gateway: Gateway;
  readonly #names: Names;
  /** Leases without a session, by their seconds: keeping one alive costs less than taking another. */
  readonly #spare = new Map<number, string[]>();

  constructor(gateway: Gateway, names: Names) {
    this.#gateway = gateway;
    this.#names = names;
  }

  /** Takes a lease for a session. The next swap makes the session's key in its own transaction. */
  async begin(own: EtcdOwn, options: CallOptions = {}): Promise<void> {
    if (own.stage !== "new") return;
    own.lease = await this.#take(own, options);
    own.stage = "due";
  }

  async renew(own: EtcdOwn, options: CallOptions = {}): Promise<void> {
    if (isOver(own)) return;
    const patience = patienceOf(own);
    const { lease } = own;
    if (lease !== null && !(await this.#keepAlive(lease, patience, options))) own.lease = null;
    if (isOver(own)) return;
    if (own.lease === null) await this.takeAnother(own, options);
    if (own.stage === "alive" || isOver(own)) return;
    const body = { key: this.#names.session(own.id), lease: own.lease };
    try {
      await this.#gateway.ask({ path: "/v3/kv/put", body, patience }, options);
      own.stage = "alive";
    } catch (error) {
      // The lease may have ended meanwhile: the next try begins with a new one.
      own.lease = null;
      throw error;
    }
  }

  /** Takes another lease in place of one that is gone. The session's key has to be made again. */
  async takeAnother(own: EtcdOwn, options: CallOptions): Promise<void> {
    own.stage = "due";
    own.lease = await this.#take(own, options);
  }

  async end(own: EtcdOwn, options: CallOptions = {}): Promise<void> {
    const { id, lease, stage } = own;
    own.stage = "over";
    if (stage === "over" || stage === "new") return;
    if (lease !== null) return this.#revoke(lease, options);
    const body = { key: this.#names.session(id) };
    await this.#gateway.ask({ path: "/v3/kv/deleterange", body }, options);
  }

  async alive(ids: readonly string[], options: CallOptions = {}): Promise<AliveSessions> {
    const alive = new Map<string, boolean>();
    for (let from = 0; from < ids.length; from += QUESTIONS_LIMIT) {
      const some = ids.slice(from, from + QUESTIONS_LIMIT);
      const success = some.map((id) => ({
        request_range: { key: this.#names.session(id), keys_only: true },
      }));
      const question = { path: "/v3/kv/txn", body: { success } };
      const { responses = [] } = await this.#gateway.ask<TxnAnswer>(question, options);
      some.forEach((id, index) => {
        alive.set(id, responses[index]?.response_range?.kvs !== undefined);
      });
    }
    return alive;
  }

  /** A swap has ended the session: the next claim of this process may have its lease. */
  leaves({ lease, deadAfter }: EtcdOwn): void {
    if (lease === null) return;
    const seconds = secondsOf(deadAfter);
    this.#spare.set(seconds, [...(this.#spare.get(seconds) ?? []), lease]);
  }

  /** Gives back leases that no claim needs any more. If that fails, they end by etcd's clock. */
  async close(): Promise<void> {
    const leases = [...this.#spare.values()].flat();
    this.#spare.clear();
    const signal = AbortSignal.timeout(CLOSE_MS);
    await Promise.allSettled(leases.map((lease) => this.#revoke(lease, { signal })));
  }

  /** A lease for a session: one that was left over, kept alive for its whole time, or a new one. */
  async #take(own: EtcdOwn, options: CallOptions): Promise<string> {
    const patience = patienceOf(own);
    const TTL = secondsOf(own.deadAfter);
    const lease = this.#spare.get(TTL)?.pop();
    if (lease !== undefined && (await this.#keepAlive(lease, patience, options))) return lease;
    const question = { path: "/v3/lease/grant", body: { TTL }, patience };
    const { ID } = await this.#gateway.ask<{ ID?: string }>(question, options);
    if (ID === undefined) throw notEtcd(this.#gateway.address, 200, "a lease without an id");
    return ID;
  }

  async #revoke(lease: string, options: CallOptions): Promise<void> {
    const revoke = { path: "/v3/lease/revoke", body: { ID: lease } };
    await this.#gateway.ask(revoke, options).catch((error) => {
      if (!isLeaseGone(error)) throw error;
    });
  }

  /** False: the lease has ended. */
  async #keepAlive(lease: string, patience: number, options: CallOptions): Promise<boolean> {
    const question = { path: "/v3/lease/keepalive", body: { ID: lease }, patience };
    const { result } = await this.#gateway.ask<{ result?: { TTL?: string } }>(question, options);
    return Number(result?.TTL ?? 0) > 0;
  }
}

function secondsOf(deadAfter: number): number {
  return Math.ceil((deadAfter + ELECTION_MS) / 1_000);
}

/** How long the endpoint that is asked first has: so short that the others are asked in time. */
function patienceOf({ deadAfter }: EtcdOwn): number {
  return Math.min(ANSWER_MS, Math.max(SHORTEST_HESITATION_MS, deadAfter / HESITATION_PART));
}

export function isLeaseGone(error: unknown): boolean {
  return error instanceof Refused && error.refusal.code === NOT_FOUND;
}
