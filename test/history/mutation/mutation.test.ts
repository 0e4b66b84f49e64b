import { expect, test } from "vitest";
import { Checker, check } from "../checker.ts";
import { mutants } from "./mutants.ts";
import { passes, trials } from "./trials.ts";

/** Random histories beside those by hand; each is tried legal and spoiled. */
const SEEDS = 20;

const DISTINCT = "Two events never have the same place in a history.";
const FIRST = "The first place in a history is 1.";
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
  "grants.ts: if (other.answered < ready) lower = other.story;: < => <=": DISTINCT,
  "grants.ts: if (this.#highest === null || grant.fence > this.#highest.fence) this.#highest = grant;: > => >=":
    "Of two grants with the same fence, which is a fault, either one stands for both.",
  "grants.ts: this.#recent = this.#recent.filter(({ answered }) => answered >= before);: >= => >":
    DISTINCT,
  "order.ts: this.#turns.push({ story, fence, end, earliest: 0, passes: 0, isJudged: !isServed });: 0 => 1":
    FIRST,
  "order.ts: let last = 0;: 0 => 1": FIRST,
  "order.ts: if (turn.isJudged || answerOf(turn) >= before) continue;: >= => >": DISTINCT,
  "order.ts: const isLater = story.claimed > (waiting.joined );: > => >=": DISTINCT,
  "order.ts: isUrgent ??= this.#isUrgent(turn);: ??= => =":
    "It decides only how often the same is found out.",
  "order.ts: (each) => each.story.granted === null && each.story.claimed < (story.granted ),: < => <=":
    DISTINCT,
  "order.ts: const isThere = own >= fence && (due.over ) > earliest;: > => >=": DISTINCT,
  "order.ts: ({ story: each }) => arrivalOf(each) > due.claimed,: > => >=": DISTINCT,
  "order.ts: const held = this.#turns.slice(0, place).filter(({ end }) => end > ready);: > => >=":
    DISTINCT,
  "order.ts: if (earlier < fence && end > (story.granted )) taken += held.weight;: > => >=":
    DISTINCT,
  "order.ts: const met = this.#turns.filter(({ story }) => (story.over ) >= first);: >= => >":
    DISTINCT,
  "order.ts: this.#turns = this.#turns.filter(({ story }) => (story.over ) >= oldest);: >= => >":
    DISTINCT,
  "order.ts: return stands < earliest && (excuse === null || excuse.when > granted);: < => <=":
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
