import { expect, it } from "vitest";
import {
  PLACE_GRACE_MS,
  restore,
  SESSION_GRACE_MS,
} from "../../../../src/server/memory/restore.ts";
import { NO_STORAGE } from "../../../../src/server/storage/none.ts";
import type { Change } from "../../../../src/server/storage/types.ts";
import { LockTable } from "../../../../src/server/table/table.ts";
import { NOBODY } from "../../../../src/server/table/turns.ts";

const LEASE_MS = 1_800_000;
const SESSION = { digest: "d", name: "", ttl: 30_000, createdAt: 0, lastUsed: 0 };
const AS_USUAL = { resources: null, weight: 1, priority: 0, passed: 0, ready: true };
const HELD = {
  key: "k",
  limit: 1,
  resources: null,
  slots: [0],
  fence: 1,
  token: "t",
  since: 0,
  waited: 0,
};

it("a session's lock is held for a grace where the clock was set forward while the server was away", () => {
  let monotonic = 0;
  const clock = { now: () => 2 * LEASE_MS, monotonic: () => monotonic };
  let grants = 1;
  const makeToken = () => `token ${grants++}`;
  const table = new LockTable({ clock, makeToken, maxLocks: 0, maxWaiters: 0 });
  const lease = {
    ...HELD,
    lease: LEASE_MS,
    expiresAt: LEASE_MS,
    session: "d",
    introduction: null,
  };
  const sessions = [{ ...SESSION, introduction: null, identity: null }];
  const leases = [{ ...lease, run: null, newest: false }];
  restore(table, { ...NO_STORAGE, found: { ...NO_STORAGE.found, sessions, leases } }, clock);
  const other = table.claim(table.admit(NOBODY), "k", 1, 1_000);
  expect(other).toMatchObject({ state: "waiting" });
  monotonic = SESSION_GRACE_MS - 1;
  table.sweep();
  expect(other).toMatchObject({ state: "waiting" });
  monotonic = SESSION_GRACE_MS;
  table.sweep();
  expect(other).toMatchObject({ state: "held" });
});

it("a place is kept for its grace, and for half of it at each further restart that its claim misses", () => {
  const introduction = { owner: { id: "o", metadata: {} }, note: null, claim: "c" };
  const waiting = {
    key: "k",
    limit: 1,
    ...AS_USUAL,
    lease: 1_000,
    since: 0,
    asked: 0,
    run: null,
    newest: false,
  };
  for (const [missed, grace] of [
    PLACE_GRACE_MS,
    PLACE_GRACE_MS / 2,
    PLACE_GRACE_MS / 4,
  ].entries()) {
    let monotonic = 0;
    const clock = { now: () => 1_000, monotonic: () => monotonic };
    const table = new LockTable({ clock, makeToken: () => "t", maxLocks: 0, maxWaiters: 0 });
    const line = [{ ...waiting, place: 7, session: null, introduction, missed }];
    const changes: Change[] = [];
    const record = (change: Change) => changes.push(change);
    restore(table, { found: { ...NO_STORAGE.found, line }, record }, clock);
    expect(changes).toEqual([{ kind: "awaiting" }]);
    const newcomer = table.claim(table.admit(NOBODY), "k", 1, 1_000);
    monotonic = grace - 1;
    table.sweep();
    expect(newcomer).toMatchObject({ state: "waiting" });
    monotonic = grace;
    table.sweep();
    expect(newcomer).toMatchObject({ state: "held" });
  }
});

it("a place whose session is over is forgotten", () => {
  const clock = { now: () => 0, monotonic: () => 0 };
  const table = new LockTable({ clock, makeToken: () => "t", maxLocks: 0, maxWaiters: 0 });
  const waiting = {
    key: "k",
    limit: 1,
    ...AS_USUAL,
    lease: 1_000,
    since: 0,
    asked: 0,
    run: null,
    newest: false,
  };
  const line = [{ ...waiting, place: 7, session: "over", introduction: null, missed: 0 }];
  const changes: Change[] = [];
  restore(
    table,
    { found: { ...NO_STORAGE.found, line }, record: (one) => changes.push(one) },
    clock,
  );
  expect(changes[0]).toEqual({ kind: "line", joined: [], changed: [], left: [7], back: [] });
  expect(table.claim(table.admit(NOBODY), "k", 1, 1_000)).toMatchObject({ state: "held" });
});
