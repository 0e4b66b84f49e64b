import { expect, it } from "vitest";
import type { CourseContext } from "../../../../src/server/gate/context.ts";
import { Course } from "../../../../src/server/gate/course.ts";
import type { Requested } from "../../../../src/server/gate/events.ts";
import { Uninstalled } from "../../../../src/server/gate/github.ts";
import { newPass } from "../../../../src/server/gate/pass.ts";
import { comment } from "../../../../src/server/gate/words.ts";
import { LockTable } from "../../../../src/server/table/table.ts";
import { encodeWireKey } from "../../../../src/wire/key.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const KEY = encodeWireKey("production");
const TERMS = { key: "production", slots: 1, weight: 1, priority: 0, ttl: HOUR };
const EVENT: Requested = {
  kind: "requested",
  repository: "acme/app",
  repositoryId: 1,
  installation: 99,
  run: 7,
  environment: "production",
  deployment: 8,
  sha: null,
  ref: null,
  actor: null,
};

/** One run at a gate whose time, disk and GitHub are this test's. */
class Scene {
  at = 0;
  readonly sent: (string | undefined)[] = [];
  answer = 204;
  isThere = true;
  settled: (() => Promise<void>) | null = null;
  forgotten = 0;
  readonly table: LockTable;
  readonly #context: CourseContext;
  course: Course;

  constructor() {
    const scene = this;
    const clock = { now: () => this.at, monotonic: () => this.at };
    let token = 0;
    this.table = new LockTable({
      clock,
      makeToken: () => `token-${token++}`,
      maxLocks: 0,
      maxWaiters: 0,
    });
    const questions = {
      async run() {
        if (!scene.isThere) throw new Uninstalled("the App's installation 99 is gone");
        return { attempt: 1, isCompleted: false, startedAt: 0, workflow: "deploy" };
      },
      deployment: async () => "waiting",
      hasUnfinished: async () => true,
      isPending: async () => true,
      async review(_: unknown, text: string, state?: string) {
        expect(text.length).toBeLessThanOrEqual(1_024);
        scene.sent.push(state);
        return scene.answer;
      },
    };
    this.#context = {
      table: this.table,
      clock,
      log: { write() {}, limited() {} },
      storage: { found: {}, record() {}, settled: () => this.settled?.() ?? null },
      history: { of: () => [] },
      questions,
      web: "https://github.com",
      listener: { granted() {}, ended() {} },
      isStopped: false,
      githubNow: () => this.at,
      askEvery: () => MINUTE,
      soon() {},
      courses: () => [],
      coursesOf: () => [],
      forget: () => {
        this.forgotten += 1;
      },
      giveBack() {},
    } as unknown as CourseContext;
    this.course = new Course(newPass(EVENT, TERMS, null, 0), this.#context);
  }

  /** Somebody else holds the lock, or waits for it. Gives the token, where it holds. */
  claim(slots = 1) {
    const { table } = this;
    const claim = table.claim(table.admit({ granted() {}, ended() {} }), KEY, slots, 100 * HOUR);
    if (typeof claim === "string") throw new Error(claim);
    return claim;
  }

  /** Time passes, as the gate's ticks see it. */
  async pass(milliseconds: number): Promise<void> {
    for (const end = this.at + milliseconds; this.at < end; this.at += 1_000) {
      this.table.sweep();
      this.course.follow();
      if (this.course.isDue(this.at)) await this.course.work();
    }
  }

  restart(): void {
    const party = this.course.claim?.party;
    if (party !== undefined) party.gone = true;
    this.course = new Course(JSON.parse(JSON.stringify(this.course.pass)), this.#context);
    this.course.resume();
  }

  get approvals(): number {
    return this.sent.filter((state) => state === "approved").length;
  }
}

it("sends eight comments at most while it waits, over restarts too, and the decision after them", async () => {
  const scene = new Scene();
  const ahead = Array.from({ length: 40 }, () => scene.claim());
  await scene.pass(2_000);
  expect(scene.sent).toEqual([undefined]);
  for (const [at, { entry }] of ahead.entries()) {
    const token = entry.holders.first?.token as string;
    await scene.pass(30 * MINUTE);
    if (at === 20) scene.restart();
    scene.table.release(KEY, token);
  }
  await scene.pass(MINUTE);
  expect(scene.sent).toEqual([...Array.from({ length: 8 }, () => undefined), "approved"]);
});

it("tells once that it cannot stand in line, and is let in when it can", async () => {
  const scene = new Scene();
  const { token } = scene.claim(2);
  await scene.pass(10 * MINUTE);
  expect(scene.sent).toEqual([undefined]);
  scene.table.release(KEY, token);
  await scene.pass(MINUTE);
  expect(scene.sent).toEqual([undefined, "approved"]);
});

it("sends no approval in the last minute of the hold, nor after it", async () => {
  const scene = new Scene();
  scene.answer = 502;
  await scene.pass(HOUR - MINUTE);
  expect(scene.approvals).toBeGreaterThan(10);
  const before = scene.approvals;
  await scene.pass(MINUTE - 1_000);
  expect([scene.approvals, scene.course.pass.phase]).toEqual([before, "held"]);
  // The run still waits at GitHub: it claims anew, behind those that came meanwhile.
  scene.claim();
  await scene.pass(10 * MINUTE);
  expect([scene.approvals, scene.course.pass.phase]).toEqual([before, "waiting"]);
});

it("sends no approval for a lock that is broken while its grant is written", async () => {
  const scene = new Scene();
  scene.settled = async () => {
    scene.claim();
    scene.table.break(KEY);
  };
  await scene.pass(MINUTE);
  expect(scene.approvals).toBe(0);
});

it("leaves the line where the App is gone for a minute, and keeps what may be in", async () => {
  const waiting = new Scene();
  waiting.claim();
  await waiting.pass(10_000);
  waiting.isThere = false;
  await waiting.pass(3 * MINUTE);
  expect([waiting.forgotten, waiting.table.waiting]).toEqual([1, 0]);
  const held = new Scene();
  await held.pass(10_000);
  expect(held.approvals).toBe(1);
  held.isThere = false;
  await held.pass(HOUR - MINUTE);
  expect([held.forgotten, held.table.held]).toEqual([0, 1]);
  await held.pass(2 * MINUTE);
  expect([held.forgotten, held.table.held]).toEqual([1, 0]);
});

it("cuts a comment to what GitHub takes, and no letter in two", () => {
  expect(comment("x".repeat(1_024))).toHaveLength(1_024);
  expect(comment("x".repeat(1_025))).toBe(`${"x".repeat(1_023)}…`);
  expect(comment("😀".repeat(600))).toHaveLength(1_023);
});
