import { jsonObject } from "../../../lock/text.ts";
import { randomHex } from "../../../machine/random.ts";
import type { AliveSessions, CallOptions, SignTraits } from "../register.ts";
import type { Own } from "../sessions.ts";
import { patienceOf, persist } from "../waits.ts";
import type { Conditions } from "./conditions.ts";
import type { Answer, S3Server } from "./server.ts";

/** A session as this process has observed it. */
interface Observation {
  /** Changes with every sign of life; null: the object is not there. */
  readonly beat: string | null;
  readonly deadAfter: number;
  /** Monotonic milliseconds after which it was first seen so. */
  readonly since: number;
  readonly lookedAt: number;
  readonly isAlive: boolean | null;
}

/**
 * The shortest dead-after: three signs of life and an answer or two take that long. With less, a slow minute of
 * S3's would cost the lock.
 */
export const S3_SIGNS: SignTraits = { leastDeadAfter: 3_000 };
/** How often a living session is looked at, at most, in the time after which silence is death. */
const LOOKS_PER_LIFE = 6;
/** How many sessions are asked about at once: the holders come first, then those who are next in line. */
const LOOKS_LIMIT = 24;
const OBSERVATIONS_LIMIT = 1_000;

/**
 * Sessions as small objects that are written again and again. S3 has no clock that ends them, so each process
 * watches them. A session that has not changed for its `deadAfter`, by the watcher's own monotonic clock, is
 * dead. Nobody compares the clocks of two machines.
 *
 * A session that is seen for the first time counts as alive if the server's own two stamps, of the answer and of
 * the object, say that it is young; else nothing is known of it yet. So a wrong stamp can give a lock to a dead
 * claim, which costs time, but never take a lock from a living holder.
 */
export class S3Sessions {
  readonly #server: S3Server;
  readonly #conditions: Conditions;
  readonly #observed = new Map<string, Observation>();

  constructor(server: S3Server, conditions: Conditions) {
    this.#server = server;
    this.#conditions = conditions;
  }

  async renew({ id, deadAfter }: Own, options: CallOptions = {}): Promise<void> {
    // The first swap will wait for the check, so the check begins now. The swap tells what it finds.
    this.#conditions.check(options).catch(() => {});
    const patience = patienceOf(deadAfter);
    const name = this.#server.address.names.session(id);
    await persist(() => {
      const body = JSON.stringify({ deadAfter, beat: randomHex(6) });
      return this.#server.ask({ method: "PUT", name, body, patience }, options);
    }, options.signal);
  }

  async end({ id }: Own, options: CallOptions = {}): Promise<void> {
    const name = this.#server.address.names.session(id);
    await this.#server.ask({ method: "DELETE", name }, options);
  }

  async alive(ids: readonly string[], options: CallOptions = {}): Promise<AliveSessions> {
    const alive = new Map<string, boolean>();
    const look = async (id: string) => {
      const { isAlive } = await this.#look(id, options);
      if (isAlive !== null) alive.set(id, isAlive);
    };
    await Promise.all(ids.slice(0, LOOKS_LIMIT).map(look));
    return alive;
  }

  async #look(id: string, options: CallOptions): Promise<Pick<Observation, "isAlive">> {
    const before = performance.now();
    const known = this.#observed.get(id);
    // A dead session is always read anew: its holder may have shown meanwhile that it lives.
    const isYoung =
      known !== undefined && before - known.lookedAt < known.deadAfter / LOOKS_PER_LIFE;
    if (known !== undefined && isYoung && known.isAlive !== false) return known;
    const name = this.#server.address.names.session(id);
    const answer = await this.#server.ask({ method: "GET", name }, options);
    const found = read(answer);
    // Nothing says how long it may be silent. Only the ttl, or a turn that it does not take, ends it.
    if (found === null && known === undefined) return { isAlive: null };
    const observed = judge(known, found, answer.age, before);
    this.#observed.delete(id);
    this.#observed.set(id, observed);
    for (const oldest of this.#observed.keys()) {
      if (this.#observed.size <= OBSERVATIONS_LIMIT) break;
      this.#observed.delete(oldest);
    }
    return observed;
  }
}

type Found = Pick<Observation, "beat" | "deadAfter">;

/** What a look shows, together with the look before. `before`: when this look began. */
function judge(
  known: Observation | undefined,
  found: Found | null,
  age: number | null,
  before: number,
): Observation {
  const beat = found?.beat ?? null;
  const deadAfter = found?.deadAfter ?? known?.deadAfter ?? 0;
  const now = { beat, deadAfter, lookedAt: before };
  if (known !== undefined && known.beat === beat) {
    const isSilent = before - known.since >= deadAfter;
    return { ...now, since: known.since, isAlive: isSilent ? false : known.isAlive };
  }
  // If an object is gone, somebody deleted it: a holder that lives makes it again.
  const isYoung = age !== null && age < deadAfter;
  const isAlive = beat !== null && (known !== undefined || isYoung) ? true : null;
  return { ...now, since: performance.now(), isAlive };
}

/** Null: the object is not there, or is no session. */
function read({ kind, text }: Answer): Found | null {
  const { beat, deadAfter } = (kind === "found" && jsonObject(text)) || {};
  const isGood = typeof beat === "string" && typeof deadAfter === "number" && deadAfter > 0;
  return isGood ? { beat, deadAfter } : null;
}
