import { randomBytes } from "node:crypto";
import { patienceOf, persist } from "../persist.ts";
import type { Beacons, CallOptions, Lit } from "../register.ts";
import type { Conditions } from "./conditions.ts";
import type { Answer, S3Server } from "./server.ts";

/** A beacon as this process has seen it. */
interface Sight {
  /** New with every light; null: the object is not there. */
  readonly beat: string | null;
  readonly deadAfter: number;
  /** Monotonic milliseconds after which it was first seen so. */
  readonly since: number;
  readonly lookedAt: number;
  readonly isLit: boolean | null;
}

/** What three signs of life and an answer or two take: less would be lost to a slow minute of S3's. */
const MINIMUM_MS = 3_000;
/** In the time after which silence is death, one that burns is looked at so often at most. */
const LOOKS_PER_LIFE = 6;
/** So many are asked about at once: the holders come first, then those who are next in line. */
const LOOKS_LIMIT = 24;
const SIGHTS_LIMIT = 1_000;

/**
 * Beacons as small objects that are written again and again. S3 has no clock that puts them out, so
 * a process watches them: one that has not changed for its `deadAfter`, by the watcher's own monotonic
 * clock, is out. Nobody compares the clocks of two machines.
 *
 * One that is seen for the first time counts as burning where the server's own two stamps, of the
 * answer and of the object, say that it is young; else nothing is known of it yet. A wrong stamp can
 * so give a lock to a dead claim, which costs time, and never take one from a living holder.
 */
export class S3Beacons implements Beacons {
  readonly minimum = MINIMUM_MS;
  readonly #server: S3Server;
  readonly #conditions: Conditions;
  readonly #sights = new Map<string, Sight>();

  constructor(server: S3Server, conditions: Conditions) {
    this.#server = server;
    this.#conditions = conditions;
  }

  async light(id: string, deadAfter: number, options: CallOptions = {}): Promise<void> {
    // The first swap will wait for it, and so it begins now. What it finds is that one's to tell.
    this.#conditions.check(options).catch(() => {});
    const patience = patienceOf(deadAfter);
    const name = this.#server.address.names.beacon(id);
    await persist(() => {
      const body = JSON.stringify({ deadAfter, beat: randomBytes(6).toString("hex") });
      return this.#server.ask({ method: "PUT", name, body, patience }, options);
    }, options.signal);
  }

  async douse(id: string, options: CallOptions = {}): Promise<void> {
    const name = this.#server.address.names.beacon(id);
    await this.#server.ask({ method: "DELETE", name }, options);
  }

  async lit(ids: readonly string[], options: CallOptions = {}): Promise<Lit> {
    const lit = new Map<string, boolean>();
    const look = async (id: string) => {
      const { isLit } = await this.#look(id, options);
      if (isLit !== null) lit.set(id, isLit);
    };
    await Promise.all(ids.slice(0, LOOKS_LIMIT).map(look));
    return lit;
  }

  async #look(id: string, options: CallOptions): Promise<Pick<Sight, "isLit">> {
    const before = performance.now();
    const known = this.#sights.get(id);
    // Death is always read anew: its holder may have shown meanwhile that it lives.
    const isYoung =
      known !== undefined && before - known.lookedAt < known.deadAfter / LOOKS_PER_LIFE;
    if (known !== undefined && isYoung && known.isLit !== false) return known;
    const name = this.#server.address.names.beacon(id);
    const answer = await this.#server.ask({ method: "GET", name }, options);
    const found = read(answer);
    // Nothing says how long it may be silent: only the ttl, or a turn that it does not take, ends it.
    if (found === null && known === undefined) return { isLit: null };
    const sight = judge(known, found, answer.age, before);
    this.#sights.delete(id);
    this.#sights.set(id, sight);
    for (const oldest of this.#sights.keys()) {
      if (this.#sights.size <= SIGHTS_LIMIT) break;
      this.#sights.delete(oldest);
    }
    return sight;
  }
}

type Found = Pick<Sight, "beat" | "deadAfter">;

/** What a look shows, together with the one before. `before`: when the look began. */
function judge(
  known: Sight | undefined,
  found: Found | null,
  age: number | null,
  before: number,
): Sight {
  const beat = found?.beat ?? null;
  const deadAfter = found?.deadAfter ?? known?.deadAfter ?? 0;
  const now = { beat, deadAfter, lookedAt: before };
  if (known !== undefined && known.beat === beat) {
    const isOut = before - known.since >= deadAfter;
    return { ...now, since: known.since, isLit: isOut ? false : known.isLit };
  }
  // An object that is gone was deleted by somebody: a holder that lives makes it again.
  const isYoung = age !== null && age < deadAfter;
  const isLit = beat !== null && (known !== undefined || isYoung) ? true : null;
  return { ...now, since: performance.now(), isLit };
}

/** Null: the object is not there, or is no beacon. */
function read({ kind, text }: Answer): Found | null {
  if (kind !== "found") return null;
  try {
    const { beat, deadAfter } = JSON.parse(text) as Record<string, unknown>;
    const isGood = typeof beat === "string" && typeof deadAfter === "number" && deadAfter > 0;
    return isGood ? { beat, deadAfter } : null;
  } catch {
    return null;
  }
}
