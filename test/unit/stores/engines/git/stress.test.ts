import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../../../src/forecast/seeded.ts";
import { Worker } from "../../../../contract/scene/workers.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import type { Fault, RequestKind } from "../../../../helpers/git-server.ts";
import { Checker } from "../../../../history/checker.ts";
import { HistoryWriter, now, readHistory } from "../../../../history/event.ts";
import { onEnd, opened, served } from "./kit.ts";

const KEYS = ["alpha", "Beta/x", "γ"];
/** 1 for the half minute of every test run; `npm run stress:git` takes many times as long. */
const SCALE = Number(process.env.HOLDFAST_STRESS_SCALE ?? 1);
/** A kill costs the silence that is death, a round only milliseconds: at length there are more of them. */
const ROUNDS = SCALE === 1 ? 24 : 60 * SCALE;
/** How often the first process of each key is killed and another takes its place. */
const KILLS = 2 * SCALE;
/** Silence that is death. A process that only has a slow machine must not be taken for dead. */
const DEAD_AFTER_MS = 15_000;
const PATIENT = { HOLDFAST_TEST_PATIENT: "1", HOLDFAST_TEST_DEATHS: "1" };
const OPENER = new URL("./opener.ts", import.meta.url).href;

/** About one request in ten goes wrong, in one of the ways of networks and forges. */
function trouble(random: () => number): (kind: RequestKind) => Fault | undefined {
  const busy = { "retry-after": "0" };
  const faults: Fault[] = [
    { kind: "cut" },
    { kind: "refuse" },
    { kind: "halve" },
    { kind: "status", status: 502, after: true },
    { kind: "status", status: 502 },
    { kind: "status", status: 503, headers: busy, after: true },
    { kind: "status", status: 429, headers: busy },
    { kind: "delay", before: 80, after: 80 },
  ];
  return () => (random() < 0.1 ? faults[Math.floor(random() * faults.length)] : undefined);
}

describe("a git server under stress", { timeout: 1_800_000 * SCALE }, () => {
  it("never lets two in, among six processes, three keys, lost answers and kill -9", async () => {
    const server = await served();
    const directory = temporaryDirectory();
    const random = seededRandom(14);
    let faults = 0;
    const fault = trouble(random);
    server.fault = (kind) => {
      const chosen = fault(kind);
      if (chosen !== undefined) faults++;
      return chosen;
    };
    const running = new Set<Worker>();
    onEnd(async () => {
      await Promise.all([...running].map((worker) => worker.kill()));
    });

    const figures = await Promise.all(
      KEYS.map(async (key, place) => {
        const path = join(directory, `history-${place}.jsonl`);
        const history = new HistoryWriter(path);
        const start = async () => {
          const where = {
            url: server.url,
            options: {},
            env: PATIENT,
            history: path,
            opener: OPENER,
          };
          const worker = await Worker.start(where);
          running.add(worker);
          return worker;
        };
        const hammer = (worker: Worker, name: string, rounds: number) =>
          worker.tell("hammer", {
            name,
            key,
            slots: 1,
            rounds,
            seed: place,
            deadAfter: DEAD_AFTER_MS,
          });
        const steady = hammer(await start(), `steady-${place}`, ROUNDS);
        steady.catch(() => {});
        for (let kill = 0; kill < KILLS; kill++) {
          const name = `victim-${place}-${kill}`;
          const victim = await start();
          const hammered = hammer(victim, name, Number.MAX_SAFE_INTEGER);
          // Only the kill ends it: a failure before that is one of the lock.
          let failure: string | null = null;
          const failed = hammered.catch((error: Error) => {
            failure = error.message;
          });
          const hasEntered = () =>
            readHistory(path).some((each) => each.event === "granted" && each.process === name);
          while (!hasEntered() && failure === null) await delay(20);
          expect(failure).toBe(null);
          await delay(random() * 300);
          history.write({ at: now(), process: name, event: "kill" });
          await victim.kill();
          running.delete(victim);
          history.write({ at: now(), process: name, event: "ended" });
          await failed;
          expect(failure).toMatch(/the worker ended/);
        }
        expect(await steady).toBe(ROUNDS);
        history.close();
        const checker = new Checker({ tellWithin: 0 });
        for (const event of readHistory(path)) checker.follow(event);
        const { faults: illegal, unknown, grants } = checker.verdict();
        expect({ illegal, unknown }).toEqual({ illegal: [], unknown: [] });
        return grants;
      }),
    );
    const entered = figures.reduce((sum, count) => sum + count, 0);
    expect(entered).toBeGreaterThanOrEqual(KEYS.length * (ROUNDS + KILLS));
    expect(faults).toBeGreaterThan(20);
    server.fault = () => undefined;
    expect((await opened(server.url).keys()).sort()).toEqual([...KEYS].sort());
    expect(await server.git("fsck", "--strict", "--full", "--no-dangling")).toBe("");
    console.log(`${entered} acquisitions, ${KEYS.length * KILLS} kills, ${faults} faults`);
  });
});
