import { expect, it } from "vitest";
import { restore, SESSION_GRACE_MS } from "../../../../src/server/memory/restore.ts";
import { NO_STORAGE } from "../../../../src/server/storage/none.ts";
import { LockTable } from "../../../../src/server/table/table.ts";
import { NOBODY } from "../../../../src/server/table/turns.ts";

const LEASE_MS = 1_800_000;
const SESSION = { digest: "d", name: "", ttl: 30_000, createdAt: 0, lastUsed: 0 };
const HELD = { key: "k", limit: 1, slot: 0, fence: 1, token: "t", since: 0, waited: 0 };

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
