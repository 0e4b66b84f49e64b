import type { Event } from "../history/event.ts";

/** Counts what the claims of killed processes were about when the signal was sent. */
export class Killed {
  readonly counts = { holding: 0, waiting: 0 };
  /** By process: its claims that are not over, and how far they are. */
  readonly #claims = new Map<string, Map<string, keyof Killed["counts"]>>();

  follow(event: Event): void {
    const { process } = event;
    if (event.event === "kill") {
      for (const state of this.#claims.get(process)?.values() ?? []) this.counts[state]++;
      this.#claims.delete(process);
    }
    if (!("claim" in event)) return;
    const claims = this.#claims.get(process) ?? new Map();
    this.#claims.set(process, claims);
    if (event.event === "joined") claims.set(event.claim, "waiting");
    else if (event.event === "granted") claims.set(event.claim, "holding");
    else if (["gave-up", "lost", "released"].includes(event.event)) claims.delete(event.claim);
  }
}
