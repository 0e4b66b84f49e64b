/** A thing to be timed: does its work `times` times. */
export interface Variant {
  readonly name: string;
  run(times: number): Promise<void> | void;
}

/**
 * Runs the variants in turns, many short ones each, so that whatever else the machine does meets
 * all of them alike. Returns each one's microseconds per time, by its median turn.
 */
export async function interleave(
  variants: readonly Variant[],
  rounds: number,
  times: number,
): Promise<Map<string, number>> {
  const turns = new Map(variants.map(({ name }) => [name, [] as number[]]));
  for (let round = -1; round < rounds; round++) {
    for (const { name, run } of rotate(variants, round)) {
      const start = performance.now();
      await run(times);
      // The first round only warms up.
      if (round >= 0) turns.get(name)?.push(((performance.now() - start) / times) * 1_000);
    }
  }
  return new Map([...turns].map(([name, costs]) => [name, quantile(costs, 0.5)]));
}

/** Nobody is always first, or always behind the same neighbour's dirty pages. */
function rotate<T>(list: readonly T[], by: number): T[] {
  const start = ((by % list.length) + list.length) % list.length;
  return [...list.slice(start), ...list.slice(0, start)];
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
