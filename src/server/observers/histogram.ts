/** Seconds. Hand-offs take milliseconds, deployments minutes, and a stuck one hours. */
const BOUNDS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600,
  7_200, 14_400, 86_400,
];

/** Counts durations in buckets. Taking one in costs a short walk over numbers and no memory. */
export class Histogram {
  /** One count a bound, and one for what is beyond the last. */
  readonly #counts = new Array<number>(BOUNDS.length + 1).fill(0);
  #sum = 0;

  observe(milliseconds: number): void {
    // A wall clock that was set back must not make the sum shrink: rates would see a restart.
    const seconds = milliseconds > 0 ? milliseconds / 1_000 : 0;
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] as number)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += seconds;
  }

  /** The samples of the text format: buckets add up, as Prometheus wants them. */
  render(name: string): string {
    let text = "";
    let total = 0;
    for (const [bucket, count] of this.#counts.entries()) {
      total += count;
      text += `${name}_bucket{le="${BOUNDS[bucket] ?? "+Inf"}"} ${total}\n`;
    }
    return `${text}${name}_sum ${this.#sum}\n${name}_count ${total}\n`;
  }
}
