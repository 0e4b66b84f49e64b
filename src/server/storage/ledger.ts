import type { Hold } from "../../lock/history.ts";
import type { Freeze, PastFreeze } from "../../lock/status.ts";
import type { Introduction } from "../../wire/introduction.ts";
import type { FrozenSlot } from "../table/types.ts";
import { raiseFence } from "./files.ts";
import type { Row, Statements, Values } from "./statements.ts";
import type { Change, Found, StoredLease, StoredPlace, StoredSession } from "./types.ts";

/** How many holds are kept, of all keys together. */
const HOLDS_LIMIT = 20_000;
/** How many freezes that are over are kept, of all keys together. */
const PAST_FREEZES_LIMIT = 1_000;
/** How many fences are kept. Clients make up keys, and their fences must not fill the disk; the oldest go first. */
const FENCES_LIMIT = 100_000;
/** After how many changes the ledger is tidied. */
const TIDY_EVERY = 1_000;

/** Leases, lines, sessions, tokens, fences and holds in the database. Works inside the transaction of its caller. */
export class Ledger {
  readonly #statements: Statements;
  #sinceTidy = TIDY_EVERY;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  find(): Found {
    const all = (query: string) => this.#statements.rows(query);
    return {
      leases: all("SELECT * FROM leases ORDER BY fence").map(leaseOf),
      line: all("SELECT * FROM line ORDER BY place").map(placeOf),
      sessions: all("SELECT * FROM sessions ORDER BY created_at").map(sessionOf),
      tokens: {
        used: all("SELECT digest, over FROM tokens WHERE over > unixepoch()").map((row) => ({
          digest: String(row.digest),
          over: Number(row.over),
        })),
        since: Number(this.#statements.row("SELECT second FROM tokens_since")?.second),
      },
      holds: all(`SELECT key, hold FROM holds ORDER BY id DESC LIMIT ${HOLDS_LIMIT}`)
        .reverse()
        .map(({ key, hold }) => ({ key: String(key), hold: JSON.parse(String(hold)) as Hold })),
      freezes: [
        ...all("SELECT key, freeze FROM freezes").map((row) => ({
          ...freezeOf<Freeze>(row),
          only: null,
        })),
        ...all("SELECT * FROM slot_freezes").map((row) => ({
          ...freezeOf<Freeze>(row),
          only: {
            slot: Number(row.slot),
            limit: Number(row.slots),
            resources: listOf<string>(row.resources),
          },
        })),
      ],
      pastFreezes: all(
        `SELECT key, freeze FROM past_freezes ORDER BY id DESC LIMIT ${PAST_FREEZES_LIMIT}`,
      )
        .reverse()
        .map((row) => freezeOf<PastFreeze>(row)),
      gate: all("SELECT id, record FROM gate").map(({ id, record }) => ({
        id: String(id),
        record: String(record),
      })),
      lastFence:
        Number(this.#statements.row("SELECT max(fence) AS fence FROM fences")?.fence) || null,
    };
  }

  apply(change: Change): void {
    const statements = this.#statements;
    this.#sinceTidy += 1;
    switch (change.kind) {
      case "granted":
        statements.put("leases", rowOfLease(change.lease));
        raiseFence(statements, change.lease.key, change.lease.fence);
        break;
      case "renewed": {
        const { key, fence, lease, expiresAt } = change;
        const renew = "UPDATE leases SET lease = ?, expires_at = ? WHERE key = ? AND fence = ?";
        statements.run(renew, lease, expiresAt, key, fence);
        break;
      }
      case "ended": {
        const { key, fence, hold } = change;
        statements.run("DELETE FROM leases WHERE key = ? AND fence = ?", key, fence);
        if (hold !== null) statements.put("holds", { key, hold: JSON.stringify(hold) });
        break;
      }
      case "line":
        for (const place of change.joined) statements.put("line", rowOfPlace(place));
        for (const { place, passed, ready } of change.changed) {
          const query = "UPDATE line SET passed = ?, ready = ? WHERE place = ?";
          statements.run(query, passed, Number(ready), place);
        }
        for (const place of change.left) statements.run("DELETE FROM line WHERE place = ?", place);
        for (const place of change.back)
          statements.run("UPDATE line SET missed = 0 WHERE place = ?", place);
        break;
      case "awaiting":
        statements.run("UPDATE line SET missed = missed + 1");
        break;
      case "frozen":
        this.#putFreeze(change.key, JSON.stringify(change.freeze), change.only);
        break;
      case "thawed": {
        const { key, slot } = change;
        if (slot === null) statements.run("DELETE FROM freezes WHERE key = ?", key);
        else statements.run("DELETE FROM slot_freezes WHERE key = ? AND slot = ?", key, slot);
        break;
      }
      case "freeze-ended": {
        const freeze = JSON.stringify(change.freeze);
        statements.put("past_freezes", { key: change.key, freeze });
        break;
      }
      case "session":
        statements.put("sessions", rowOfSession(change.session));
        break;
      case "session-ended":
        statements.run("DELETE FROM sessions WHERE digest = ?", change.digest);
        break;
      case "token-used":
        statements.put("tokens", { digest: change.digest, over: change.over });
        break;
      case "gate": {
        const { id, record } = change;
        if (record === null) statements.run("DELETE FROM gate WHERE id = ?", id);
        else statements.put("gate", { id, record });
        break;
      }
      case "fences":
        for (const [key, fence] of change.fences) raiseFence(statements, key, fence);
        this.#sinceTidy += change.fences.size;
        break;
    }
  }

  /** Forgets the oldest holds and fences, and tokens that are over, which would else grow without end. */
  tidy(): void {
    if (this.#sinceTidy < TIDY_EVERY) return;
    this.#sinceTidy = 0;
    const { database } = this.#statements;
    const forget = (table: string, limit: number) =>
      database.exec(`DELETE FROM ${table} WHERE id <= (SELECT max(id) FROM ${table}) - ${limit}`);
    forget("holds", HOLDS_LIMIT);
    forget("past_freezes", PAST_FREEZES_LIMIT);
    database.exec("DELETE FROM tokens WHERE over <= unixepoch()");
    const row = this.#statements.row("SELECT count(*) AS count FROM fences");
    const surplus = Number(row?.count) - FENCES_LIMIT;
    if (surplus <= 0) return;
    const oldest = "SELECT key FROM fences ORDER BY fence LIMIT ?";
    this.#statements.run(`DELETE FROM fences WHERE key IN (${oldest})`, surplus);
  }

  #putFreeze(key: string, freeze: string, only: FrozenSlot | null): void {
    if (only === null) {
      this.#statements.put("freezes", { key, freeze });
      return;
    }
    const { slot, limit: slots } = only;
    const resources = textOf(only.resources);
    this.#statements.put("slot_freezes", { key, slot, slots, resources, freeze });
  }
}

/** JSON in the database; null for what is not there. */
function textOf(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

function introductionOf(text: unknown): Introduction | null {
  return text === null ? null : (JSON.parse(String(text)) as Introduction);
}

function listOf<T>(text: unknown): readonly T[] | null {
  return text === null ? null : (JSON.parse(String(text)) as T[]);
}

function rowOfLease({ limit, slots, introduction, ...lease }: StoredLease): Values {
  return {
    key: lease.key,
    fence: lease.fence,
    slots: limit,
    slot: slots[0] ?? 0,
    token: lease.token,
    since: lease.since,
    waited: lease.waited,
    lease: lease.lease,
    expires_at: lease.expiresAt,
    session: lease.session,
    introduction: textOf(introduction),
    run: lease.run,
    newest: Number(lease.newest),
    several: textOf(slots.length > 1 ? slots : null),
    resources: textOf(lease.resources),
  };
}

function leaseOf(row: Row): StoredLease {
  return {
    key: String(row.key),
    limit: Number(row.slots),
    resources: listOf<string>(row.resources),
    slots: listOf<number>(row.several) ?? [Number(row.slot)],
    fence: Number(row.fence),
    token: String(row.token),
    since: Number(row.since),
    waited: Number(row.waited),
    lease: Number(row.lease),
    expiresAt: Number(row.expires_at),
    session: row.session === null ? null : String(row.session),
    introduction: introductionOf(row.introduction),
    run: row.run === null ? null : String(row.run),
    newest: row.newest === 1,
  };
}

function rowOfPlace(claim: StoredPlace): Values {
  return {
    place: claim.place,
    key: claim.key,
    slots: claim.limit,
    lease: claim.lease,
    since: claim.since,
    asked: claim.asked,
    session: claim.session,
    introduction: textOf(claim.introduction),
    run: claim.run,
    newest: Number(claim.newest),
    resources: textOf(claim.resources),
    weight: claim.weight,
    priority: claim.priority,
    passed: claim.passed,
    ready: Number(claim.ready),
  };
}

function placeOf(row: Row): StoredPlace {
  return {
    place: Number(row.place),
    key: String(row.key),
    limit: Number(row.slots),
    resources: listOf<string>(row.resources),
    weight: Number(row.weight),
    priority: Number(row.priority),
    passed: Number(row.passed),
    ready: row.ready === 1,
    lease: Number(row.lease),
    since: Number(row.since),
    asked: Number(row.asked),
    session: row.session === null ? null : String(row.session),
    introduction: introductionOf(row.introduction),
    run: row.run === null ? null : String(row.run),
    newest: row.newest === 1,
    missed: Number(row.missed),
  };
}

function freezeOf<T>(row: Row): { readonly key: string; readonly freeze: T } {
  return { key: String(row.key), freeze: JSON.parse(String(row.freeze)) as T };
}

function rowOfSession(session: StoredSession): Values {
  return {
    digest: session.digest,
    name: session.name,
    ttl: session.ttl,
    created_at: session.createdAt,
    last_used: session.lastUsed,
    introduction: textOf(session.introduction),
    identity: textOf(session.identity),
  };
}

function sessionOf(row: Row): StoredSession {
  return {
    digest: String(row.digest),
    name: String(row.name),
    ttl: Number(row.ttl),
    createdAt: Number(row.created_at),
    lastUsed: Number(row.last_used),
    introduction: introductionOf(row.introduction),
    identity: row.identity === null ? null : JSON.parse(String(row.identity)),
  };
}
