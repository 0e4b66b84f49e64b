import { type Random, seededRandom } from "../../../src/forecast/seeded.ts";

/** How long the i-th hold of a key lasts, in milliseconds. */
type Kind = (random: Random) => (index: number) => number;

const MINUTE = 60_000;

function spread(sigma: number, random: Random): number {
  return Math.exp(sigma * Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random()));
}

/** What deployments, builds and tests look like, and some worse. */
export const KINDS: Readonly<Record<string, Kind>> = {
  "lognormal, narrow": (random) => {
    const usual = MINUTE * Math.exp(3 * random());
    return () => usual * spread(0.3, random);
  },
  "lognormal, wide": (random) => {
    const usual = MINUTE * Math.exp(3 * random());
    return () => usual * spread(0.7, random);
  },
  "nearly always the same": (random) => () => 5 * MINUTE * spread(0.05, random),
  "bimodal: most take 3 minutes, some 12": (random) => () =>
    (random() < 0.7 ? 3 : 12) * MINUTE * spread(0.15, random),
  "growing by 1.5 % each": (random) => (index) =>
    3 * MINUTE * 1.015 ** index * spread(0.25, random),
  "shrinking by 1.5 % each": (random) => (index) =>
    30 * MINUTE * 0.985 ** index * spread(0.25, random),
  "twice as long from one day on": (random) => (index) =>
    (index < 100 ? 4 : 8) * MINUTE * spread(0.25, random),
  "one in twenty takes eight times as long": (random) => () =>
    (random() < 0.05 ? 40 : 5) * MINUTE * spread(0.25, random),
  "anything from 1 to 11 minutes": (random) => () => (1 + 10 * random()) * MINUTE,
  "without memory": (random) => () => -5 * MINUTE * Math.log(random()),
};

/** A busy key as somebody who just joined the line finds it. Times in milliseconds. */
export interface Scene {
  /** Newest first. */
  readonly past: readonly number[];
  /** How long each holder has held. */
  readonly elapsed: readonly number[];
  /** When it is really the turn of the place asked for, from now. */
  readonly wait: number;
}

const JOBS = 140;
/** The moment of looking lies while these run: before them a past, behind them a future. */
const FROM_JOB = 75;
const TO_JOB = 120;
const PASTS = [3, 5, 10, 20, 50];

/** Plays a whole queue, and looks at it at a moment chosen by the clock, not by the jobs. */
export function playQueue(kind: Kind, slots: number, place: number, seed: number): Scene {
  const random = seededRandom(seed);
  const lasts = kind(random);
  const free = Array.from({ length: slots }, () => random() * MINUTE);
  const jobs = Array.from({ length: JOBS }, (_, index) => {
    const slot = free.indexOf(Math.min(...free));
    const start = free[slot] as number;
    const end = start + lasts(index);
    free[slot] = end;
    return { start, end };
  });
  const from = jobs[FROM_JOB]?.start as number;
  const to = jobs[TO_JOB]?.start as number;
  const now = from + (to - from) * random();
  const limit = PASTS[Math.floor(random() * PASTS.length)];
  return {
    past: jobs
      .filter(({ end }) => end <= now)
      .sort((one, other) => other.end - one.end)
      .slice(0, limit)
      .map(({ start, end }) => end - start),
    elapsed: jobs
      .filter(({ start, end }) => start <= now && end > now)
      .map(({ start }) => now - start),
    wait: (jobs.filter(({ start }) => start > now)[place - 1]?.start as number) - now,
  };
}
