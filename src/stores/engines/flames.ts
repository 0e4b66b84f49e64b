import type { SwapOptions } from "./register.ts";

/**
 * The beacons that a swap lights or puts out in the same stroke, of an engine that keeps them beside
 * its documents. It saves a claim the requests of its own for its first and its last sign of life.
 */
export class Flames {
  /** Those that the next swap of their claim lights, and for how many milliseconds. */
  readonly #kindled = new Map<string, number>();
  /** Those that a swap has put out already. */
  readonly #doused = new Set<string>();

  /** It takes no step of its own: a claim is named in no document before its first swap. */
  kindle(id: string, deadAfter: number): void {
    this.#kindled.set(id, deadAfter);
  }

  /** For how many milliseconds this swap lights its beacon; null where it has none to light. */
  lightsFor({ lights }: SwapOptions): number | null {
    return (lights === undefined ? undefined : this.#kindled.get(lights)) ?? null;
  }

  /** The engine has answered a swap: what it lights burns also where it was a conflict. */
  answered({ lights, douses }: SwapOptions, outcome: "done" | "conflict"): void {
    if (lights !== undefined) this.#kindled.delete(lights);
    if (douses !== undefined && outcome === "done") this.#doused.add(douses);
  }

  /** It was lit by a request of its own. */
  lit(id: string): void {
    this.#kindled.delete(id);
  }

  /** It is no longer needed. True: a swap has put it out already. */
  end(id: string): boolean {
    this.#kindled.delete(id);
    return this.#doused.delete(id);
  }
}
