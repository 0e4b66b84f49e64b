import { quantile } from "../lib/measure.ts";

/** What is compared, and how far ours may be from the other's. */
export interface Aim {
  readonly what: string;
  readonly peer: string;
  /** Ours divided by the peer's: at most this, and for a rate at least this. */
  readonly aim: number;
  readonly unit: "ms" | "MB" | "a second";
  readonly rounds: number;
}

/** Two sides that take turns; a turn gives one figure. */
export interface Comparison extends Aim {
  ours(): Promise<number> | number;
  theirs(): Promise<number> | number;
}

/** A median, and between which figures half of the rounds were. */
interface Figure {
  readonly median: number;
  readonly from: number;
  readonly to: number;
}

export interface Result extends Aim {
  readonly ours: Figure;
  readonly theirs: Figure;
  /** Of neighbouring turns, so that what else the machine does meets both alike. */
  readonly ratio: Figure;
  readonly isMet: boolean;
  /** The ratios of the rounds spread wider than the two sides differ. */
  readonly isNoisy: boolean;
}

/** Runs both sides in turns (ABAB). The first round only warms up. */
export async function compare(comparison: Comparison): Promise<Result> {
  const { what, peer, aim, unit, rounds } = comparison;
  const turns: { ours: number; theirs: number }[] = [];
  for (let round = -1; round < rounds; round++) {
    const turn = { ours: await comparison.ours(), theirs: await comparison.theirs() };
    if (round >= 0) turns.push(turn);
  }
  const ratio = figureOf(turns.map(({ ours, theirs }) => ours / theirs));
  return {
    ...{ what, peer, aim, unit, rounds, ratio },
    ours: figureOf(turns.map(({ ours }) => ours)),
    theirs: figureOf(turns.map(({ theirs }) => theirs)),
    isMet: unit === "a second" ? ratio.median >= aim : ratio.median <= aim,
    isNoisy: ratio.to - ratio.from > Math.abs(ratio.median - 1),
  };
}

function figureOf(values: readonly number[]): Figure {
  const at = (part: number) => quantile(values, part);
  return { median: at(0.5), from: at(0.25), to: at(0.75) };
}

export const HEADER = ["", "Holdfast", "beside", "", "ratio", "aim", ""];

/** A row of the table: medians, with the figures between which half of the rounds were. */
export function rowOf({ what, peer, unit, aim, ...result }: Result): string[] {
  const shown = ({ median, from, to }: Figure, digits: number) =>
    `${short(median, digits)} (${short(from, digits)}–${short(to, digits)})`;
  const digits = unit === "a second" ? 0 : result.theirs.median < 20 ? 2 : 0;
  return [
    what,
    `${shown(result.ours, digits)} ${unit}`,
    peer,
    `${shown(result.theirs, digits)} ${unit}`,
    shown(result.ratio, 2),
    `${unit === "a second" ? "at least" : "at most"} ${aim}`,
    `${result.isMet ? "met" : "not met"}${result.isNoisy ? ", noisy" : ""}`,
  ];
}

function short(value: number, digits: number): string {
  return value.toLocaleString("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
