import { expect, test } from "vitest";
import { Checker, check } from "../checker.ts";
import { mutants } from "./mutants.ts";
import { passes, trials } from "./trials.ts";

/** Random histories beside those by hand; each is tried legal and spoiled. */
const SEEDS = 20;

const DISTINCT = "Two events never have the same place in a history.";
const WORK = "It decides only how often the changes are put in order, not what is found in them.";
const ENOUGH = "exclusion.ts: this.#enough = Math.max(this.#collected, 2 * this.#changes.length);";

/** Changes of the code that change no verdict, each with its reason. */
const EQUIVALENT: Readonly<Record<string, string>> = {
  "claims.ts: #when = 0;: 0 => 1": "Places are only compared with each other.",
  "exclusion.ts: if (to <= from): <= => <":
    "A hold that begins and ends at one place needs a free slot there in both ways.",
  "exclusion.ts: this.#changes = this.#changes.filter(({ at }) => at >= before);: >= => >":
    DISTINCT,
  [`${ENOUGH}: * => +`]: WORK,
  [`${ENOUGH}: 2 => 3`]: WORK,
  [`${ENOUGH}: this.#enough = Math.max(this.#collected, 2 * this.#changes.length); => ;`]: WORK,
  "grants.ts: const old = this.#recent.filter(({ answered }) => answered < before);: < => <=":
    DISTINCT,
  "grants.ts: if (other.answered < claimed) lower = other.story;: < => <=": DISTINCT,
  "grants.ts: if (this.#highest === null || grant.fence > this.#highest.fence) this.#highest = grant;: > => >=":
    "Of two grants with the same fence, which is a fault, either one stands for both.",
  "grants.ts: return other.stood && story.claimed > (other.story.joined ) && fence < other.fence;: > => >=":
    DISTINCT,
  "grants.ts: this.#recent = this.#recent.filter(({ answered }) => answered >= before);: >= => >":
    DISTINCT,
};

test("every change of the checker that matters is found by its trials", () => {
  const all = trials(SEEDS);
  expect(passes({ check, Checker }, all)).toBe(true);
  const made = mutants();
  const survivors = made
    .filter(({ judge }) => passes(judge, all))
    .map(({ file, context, was, is }) => `${file}: ${context}: ${was} => ${is}`);
  expect(survivors.sort()).toEqual(Object.keys(EQUIVALENT).sort());
  const killed = made.length - survivors.length;
  console.log(`${made.length} mutants, ${killed} killed, ${survivors.length} change no verdict`);
});
