import type { Hold } from "../../lock/history.ts";
import type { Freeze, PastFreeze } from "../../lock/status.ts";
import type { Introduction } from "../../wire/introduction.ts";
import type { FrozenSlot } from "../table/types.ts";
import { raiseFence } from "./files.ts";
import type { Row, Statements } from "./statements.ts";
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
    this.#sinceTidy += 1;
    switch (change.kind) {
      case "granted":
        this.#insertLease(change.lease);
        raiseFence(this.#statements, change.lease.key, change.lease.fence);
        return;
      case "renewed":
        this.#statements
          .of("UPDATE leases SET lease = ?, expires_at = ? WHERE key = ? AND fence = ?")
          .run(change.lease, change.expiresAt, change.key, change.fence);
        return;
      case "ended":
        this.#statements
          .of("DELETE FROM leases WHERE key = ? AND fence = ?")
          .run(change.key, change.fence);
        if (change.hold === null) return;
        this.#statements
          .of("INSERT INTO holds (key, hold) VALUES (?, ?)")
          .run(change.key, JSON.stringify(change.hold));
        return;
      case "line":
        for (const place of change.joined) this.#insertPlace(place);
        for (const { place, passed, ready } of change.changed) {
          this.#statements
            .of("UPDATE line SET passed = ?, ready = ? WHERE place = ?")
            .run(passed, ready ? 1 : 0, place);
        }
        for (const place of change.left) {
          this.#statements.of("DELETE FROM line WHERE place = ?").run(place);
        }
        for (const place of change.back) {
          this.#statements.of("UPDATE line SET missed = 0 WHERE place = ?").run(place);
        }
        return;
      case "awaiting":
        this.#statements.of("UPDATE line SET missed = missed + 1").run();
        return;
      case "frozen":
        this.#putFreeze(change.key, JSON.stringify(change.freeze), change.only);
        return;
      case "thawed":
        if (change.slot === null) {
          this.#statements.of("DELETE FROM freezes WHERE key = ?").run(change.key);
          return;
        }
        this.#statements
          .of("DELETE FROM slot_freezes WHERE key = ? AND slot = ?")
          .run(change.key, change.slot);
        return;
      case "freeze-ended":
        this.#statements
          .of("INSERT INTO past_freezes (key, freeze) VALUES (?, ?)")
          .run(change.key, JSON.stringify(change.freeze));
        return;
      case "session":
        this.#putSession(change.session);
        return;
      case "session-ended":
        this.#statements.of("DELETE FROM sessions WHERE digest = ?").run(change.digest);
        return;
      case "token-used":
        this.#statements
          .of("INSERT OR REPLACE INTO tokens (digest, over) VALUES (?, ?)")
          .run(change.digest, change.over);
        return;
      case "gate":
        if (change.record === null) {
          this.#statements.of("DELETE FROM gate WHERE id = ?").run(change.id);
          return;
        }
        this.#statements
          .of("INSERT OR REPLACE INTO gate (id, record) VALUES (?, ?)")
          .run(change.id, change.record);
        return;
      case "fences":
        for (const [key, fence] of change.fences) raiseFence(this.#statements, key, fence);
        this.#sinceTidy += change.fences.size;
        return;
    }
  }

  /** Forgets the oldest holds and fences, and tokens that are over, which would else grow without end. */
  tidy(): void {
    if (this.#sinceTidy < TIDY_EVERY) return;
    this.#sinceTidy = 0;
    this.#statements.database.exec(
      `DELETE FROM holds WHERE id <= (SELECT max(id) FROM holds) - ${HOLDS_LIMIT}`,
    );
    this.#statements.database.exec(
      `DELETE FROM past_freezes
       WHERE id <= (SELECT max(id) FROM past_freezes) - ${PAST_FREEZES_LIMIT}`,
    );
    this.#statements.database.exec("DELETE FROM tokens WHERE over <= unixepoch()");
    const row = this.#statements.row("SELECT count(*) AS count FROM fences");
    const surplus = Number(row?.count) - FENCES_LIMIT;
    if (surplus <= 0) return;
    this.#statements
      .of("DELETE FROM fences WHERE key IN (SELECT key FROM fences ORDER BY fence LIMIT ?)")
      .run(surplus);
  }

  #putFreeze(key: string, freeze: string, only: FrozenSlot | null): void {
    if (only === null) {
      this.#statements
        .of("INSERT OR REPLACE INTO freezes (key, freeze) VALUES (?, ?)")
        .run(key, freeze);
      return;
    }
    this.#statements
      .of(
        `INSERT OR REPLACE INTO slot_freezes (key, slot, slots, resources, freeze)
         VALUES (?, ?, ?, ?, ?)`,
      )
      .run(key, only.slot, only.limit, listText(only.resources), freeze);
  }

  #insertLease(lease: StoredLease): void {
    this.#statements
      .of(
        `INSERT OR REPLACE INTO leases (key, fence, slots, slot, token, since, waited, lease,
         expires_at, session, introduction, run, newest, several, resources)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        lease.key,
        lease.fence,
        lease.limit,
        lease.slots[0] ?? 0,
        lease.token,
        lease.since,
        lease.waited,
        lease.lease,
        lease.expiresAt,
        lease.session,
        introductionText(lease.introduction),
        lease.run,
        lease.newest ? 1 : 0,
        listText(lease.slots.length > 1 ? lease.slots : null),
        listText(lease.resources),
      );
  }

  #insertPlace(claim: StoredPlace): void {
    this.#statements
      .of(
        `INSERT INTO line (place, key, slots, lease, since, asked, session, introduction, run, newest,
         resources, weight, priority, passed, ready)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        claim.place,
        claim.key,
        claim.limit,
        claim.lease,
        claim.since,
        claim.asked,
        claim.session,
        introductionText(claim.introduction),
        claim.run,
        claim.newest ? 1 : 0,
        listText(claim.resources),
        claim.weight,
        claim.priority,
        claim.passed,
        claim.ready ? 1 : 0,
      );
  }

  #putSession(session: StoredSession): void {
    this.#statements
      .of(
        `INSERT OR REPLACE INTO sessions (digest, name, ttl, created_at, last_used, introduction,
         identity) VALUES (?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        session.digest,
        session.name,
        session.ttl,
        session.createdAt,
        session.lastUsed,
        introductionText(session.introduction),
        session.identity === null ? null : JSON.stringify(session.identity),
      );
  }
}

function introductionText(introduction: Introduction | null): string | null {
  return introduction === null ? null : JSON.stringify(introduction);
}

function introductionOf(text: unknown): Introduction | null {
  return text === null ? null : (JSON.parse(String(text)) as Introduction);
}

function listText(list: readonly unknown[] | null): string | null {
  return list === null ? null : JSON.stringify(list);
}

function listOf<T>(text: unknown): readonly T[] | null {
  return text === null ? null : (JSON.parse(String(text)) as T[]);
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
