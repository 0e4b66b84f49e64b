import { expect, it } from "vitest";
import type { ErrorCode } from "../../../../src/lock/errors.ts";
import type { ClaimRequest, Line } from "../../../../src/lock/store.ts";
import { KEY, type Scene } from "../../scene/scene.ts";
import type { Worker } from "../../scene/workers.ts";

const OWNER = { id: "tester", metadata: {} };

const BAD_KEYS: [string, string][] = [
  ["an empty key", ""],
  ["a key of 201 bytes", `${"é".repeat(100)}x`],
  ["a key with a line break", "a\nb"],
  ["a key with a NUL", "a\0b"],
  ["a key with an escape of C1", "a\u009bb"],
  ["a key that is not Unicode", "a\ud800b"],
];

const BAD_REQUESTS: [string, ErrorCode, Partial<ClaimRequest>][] = [
  ["slots 0", "BAD_SLOTS", { slots: 0 }],
  ["slots -1", "BAD_SLOTS", { slots: -1 }],
  ["slots 1.5", "BAD_SLOTS", { slots: 1.5 }],
  ["slots that are no number", "BAD_SLOTS", { slots: Number.NaN }],
  ["a ttl of 0", "BAD_TTL", { ttl: 0 }],
  ["a ttl below a second", "BAD_TTL", { ttl: 999 }],
  ["a ttl without end", "BAD_TTL", { ttl: Number.POSITIVE_INFINITY }],
  ["a dead-after below a second", "BAD_DEAD_AFTER", { deadAfter: 10 }],
  ["an empty owner", "BAD_OWNER", { owner: { id: " ", metadata: {} } }],
  ["an owner with a line break", "BAD_OWNER", { owner: { id: "a\nb", metadata: {} } }],
  ["a very long owner", "BAD_OWNER", { owner: { id: "x".repeat(257), metadata: {} } }],
  ["unknown metadata", "BAD_METADATA", { owner: { id: "a", metadata: { color: "red" } } }],
  ["a line that is no order", "BAD_LINE", { line: "lifo" as Line }],
  ["a run without an id", "BAD_RUN", { run: { id: "", forge: null } }],
  ["a run with a line break", "BAD_RUN", { run: { id: "a\nb", forge: null } }],
  ["a very long note", "BAD_NOTE", { note: "x".repeat(1_001) }],
];

/** Legal, and each a key of its own. */
const ODD_KEYS = [
  "../x",
  "a/b",
  "a%2Fb",
  ".",
  "..",
  "...",
  ".hidden",
  "a b",
  "Ä",
  "CON",
  "x.lock",
  "@1",
  "🔒".repeat(50),
  `${"🔒".repeat(49)}🔓`,
  "x".repeat(200),
];

export function requestTests(scene: Scene): void {
  for (const [what, key] of BAD_KEYS) {
    it(`refuses ${what} everywhere, and writes nothing`, async () => {
      const store = await scene.open();
      const before = await scene.place.traces();
      const refused = { code: "BAD_KEY" };
      await expect(store.claim({ key, owner: OWNER })).rejects.toMatchObject(refused);
      await expect(store.inspect(key)).rejects.toMatchObject(refused);
      await expect(store.break(key, { reason: "a test", owner: "tester" })).rejects.toMatchObject(
        refused,
      );
      expect(await scene.place.traces()).toEqual(before);
    });
  }

  for (const [what, code, extras] of BAD_REQUESTS) {
    it(`refuses ${what}, and writes nothing`, async () => {
      const store = await scene.open();
      const before = await scene.place.traces();
      const claimed = store.claim({ key: KEY, owner: OWNER, ...extras });
      await expect(claimed).rejects.toMatchObject({ name: "LockError", code });
      expect(await scene.place.traces()).toEqual(before);
      expect(await store.list({ all: true })).toEqual([]);
    });
  }

  it("takes any printable text as a key, and mixes up none of them", async () => {
    const store = await scene.open();
    for (const key of ODD_KEYS) {
      const holding = await store.claim({ key, owner: OWNER }, { timeout: 0 });
      expect(holding.lease.key).toBe(key);
    }
    expect((await store.list()).map(({ key }) => key).sort()).toEqual([...ODD_KEYS].sort());
    for (const key of ODD_KEYS) {
      expect((await store.inspect(key)).holders.map(({ owner }) => owner)).toEqual(["tester"]);
    }
  });

  it("refuses claims that disagree about the slots, naming both numbers", async () => {
    const [holder, other] = (await scene.workers(2)) as [Worker, Worker];
    await scene.claim(holder, "holder", { slots: 2 });
    await expect(scene.claim(other, "other", { slots: 5 })).rejects.toMatchObject({
      code: "SLOTS_MISMATCH",
      message: expect.stringMatching(/\b2\b.*\b5\b/),
    });
    expect(await other.tell("inspect", { key: KEY })).toMatchObject({ slots: 2, waiting: 0 });
  });

  it("refuses another number of slots also from one who would only wait", async () => {
    const [holder, waiter] = (await scene.workers(2)) as [Worker, Worker];
    await scene.claim(holder, "holder");
    scene.claim(waiter, "waiter");
    await scene.inLine(1);
    await expect(scene.claim(waiter, "other", { slots: 2 })).rejects.toMatchObject({
      code: "SLOTS_MISMATCH",
    });
  });

  it("takes another number of slots once nobody holds or waits", async () => {
    const worker = await scene.worker();
    for (const slots of [3, 1, 2]) {
      const as = `slots-${slots}`;
      await scene.claim(worker, as, { slots, timeout: 0 });
      await worker.tell("release", { as });
    }
    await scene.claim(worker, "last", { slots: 1 });
    await expect(scene.claim(worker, "two", { slots: 1, timeout: 0 })).rejects.toMatchObject({
      code: "TIMEOUT",
    });
  });
}
