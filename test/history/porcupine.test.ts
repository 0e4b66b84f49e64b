import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { seededRandom } from "../../src/forecast/seeded.ts";
import { isThere } from "../helpers/needs.ts";
import { check } from "./checker.ts";
import { type ClaimStory, Claims } from "./claims.ts";
import type { Event } from "./event.ts";
import { generate } from "./generate.ts";
import { MUTATIONS } from "./mutate.ts";

const HISTORIES = 1_000;
const TELL_WITHIN = 100_000;
/** The promises that a linearizability checker can judge; order of arrival and delays are not. */
const JUDGED = ["overlap", "fence", "robbed"];

const directory = mkdtempSync(join(tmpdir(), "holdfast-porcupine-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const program = build();

/** Null where there is no Go, or its modules cannot be had. */
function build(): string | null {
  const main = fileURLToPath(new URL("porcupine/main.go", import.meta.url));
  copyFileSync(main, join(directory, "main.go"));
  const go = (...args: string[]) => spawnSync("go", args, { cwd: directory, encoding: "utf8" });
  const steps = [
    ["mod", "init", "holdfast.test/porcupine"],
    ["get", "github.com/anishathalye/porcupine@v1.0.0"],
    ["build", "-o", "judge", "."],
  ];
  return steps.every((step) => go(...step).status === 0) ? join(directory, "judge") : null;
}

interface Operation {
  readonly client: number;
  readonly kind: "claim" | "release" | "free";
  readonly fence: number;
  readonly weight: number;
  readonly outcome: string;
  readonly call: number;
  /** -1: it may take effect at any later time. */
  readonly return: number;
}

/** All stories of a history that is at hand as a whole, sorted by its clock. */
function storiesOf(events: readonly Event[]): ClaimStory[] {
  const stories: ClaimStory[] = [];
  const silent = { granted: () => {}, over: () => {} };
  const claims = new Claims({ ...silent, claimed: (story) => stories.push(story) }, [], 0);
  for (const event of events.toSorted((one, other) => one.at - other.at)) claims.follow(event);
  return stories;
}

/** A history as calls on a lock. What may end by itself is a call that nobody waits for. */
function operationsOf(stories: readonly ClaimStory[]): Operation[] {
  let client = 0;
  return stories.flatMap((story) => {
    const { granted, fence, weight, ready, release, released, lost, excuse } = story;
    if (granted === null || fence === null || ready === null) return [];
    const own = client++;
    const base = { client: own, fence, weight, outcome: "" };
    const calls: Operation[] = [{ ...base, kind: "claim", call: ready, return: granted }];
    if (release !== null && released !== null) {
      const { outcome, when } = released;
      calls.push({ ...base, kind: "release", outcome, call: release, return: when });
    }
    const mayEnd = [excuse?.when ?? null, lost].filter((at) => at !== null);
    if (mayEnd.length > 0 && released?.outcome !== "released")
      calls.push({
        ...base,
        client: client++,
        kind: "free",
        call: Math.min(...mayEnd),
        return: -1,
      });
    return calls;
  });
}

/** A legal history, a spoiled one, or one with a few times moved at random: nobody knows which. */
function history(seed: number): { slots: number; events: Event[] } {
  const random = seededRandom(seed);
  const slots = 1 + Math.floor(random() * 3);
  const faults = seed % 2 === 0 ? 0 : 0.05;
  const shares = seed % 3 === 0;
  const options = { claims: 25, processes: 5, slots, faults, tellWithin: TELL_WITHIN, shares };
  const events = generate(options, random);
  if (seed % 4 === 0) return { slots, events };
  if (seed % 4 === 1) {
    const mutation = MUTATIONS[Math.floor(random() * MUTATIONS.length)];
    return { slots, events: mutation?.apply(events, random) ?? events };
  }
  return { slots, events: shaken(events, random) };
}

/** Moves some events by a few places in time, as far as each claim's own order allows. */
function shaken(events: readonly Event[], random: () => number): Event[] {
  const moved = events.map((event, index) => {
    if (random() > 0.05 || !("claim" in event)) return event;
    const own = (each: Event) => "claim" in each && each.claim === event.claim;
    const before = events.slice(0, index).findLast(own)?.at ?? 0;
    const after = events.slice(index + 1).find(own)?.at ?? event.at + 400;
    return { ...event, at: before + (after - before) * (0.1 + 0.8 * random()) };
  });
  return moved.map((event, index) => ({
    ...event,
    at: Math.round(event.at * 1_000) + (index % 7),
  }));
}

describe.skipIf(!isThere("Porcupine", program !== null))("our checker and Porcupine", () => {
  test(`agree on ${HISTORIES} histories`, () => {
    const histories = Array.from({ length: HISTORIES }, (_, index) => history(index + 1));
    const lines = histories.map(({ slots, events }) =>
      JSON.stringify({ slots, operations: operationsOf(storiesOf(events)) }),
    );
    const said = execFileSync(program as string, { input: lines.join("\n"), encoding: "utf8" });
    const theirs = said.trim().split("\n");
    const ours = histories.map(({ events }) => {
      const { faults } = check(events, { tellWithin: TELL_WITHIN });
      return faults.some(({ kind }) => JUDGED.includes(kind)) ? "illegal" : "legal";
    });
    const disagreed = ours.flatMap((verdict, index) =>
      verdict === theirs[index] ? [] : [`seed ${index + 1}: ours ${verdict}, ${theirs[index]}`],
    );
    expect(disagreed).toEqual([]);
    // Both verdicts occur often enough to mean something.
    expect(ours.filter((verdict) => verdict === "legal").length).toBeGreaterThan(HISTORIES / 5);
    expect(ours.filter((verdict) => verdict === "illegal").length).toBeGreaterThan(HISTORIES / 5);
  });
});
