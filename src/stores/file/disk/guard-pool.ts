import { Guard } from "./guard.ts";

/** How many guards stay open: a server of many keys must not run out of descriptors. */
const GUARDS_KEPT = 32;

/** Open guards, ready to be entered again: opening one costs more than entering it. */
export class GuardPool {
  readonly #idle = new Map<string, Guard>();

  take(path: string): Guard {
    const guard = this.#idle.get(path) ?? new Guard(path);
    this.#idle.delete(path);
    return guard;
  }

  giveBack(path: string, guard: Guard): void {
    if (this.#idle.has(path) || this.#idle.size >= GUARDS_KEPT) guard.close();
    else this.#idle.set(path, guard);
  }

  close(): void {
    for (const guard of this.#idle.values()) guard.close();
    this.#idle.clear();
  }
}
