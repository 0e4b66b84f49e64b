import { isLockError } from "../../lock/errors.ts";
import type { Holder, Progress } from "../../lock/store.ts";
import { within } from "../../lock/time.ts";
import { keyStatsRequest, type Stats } from "../../wire/stats.ts";
import { FAILURES_LIMIT, lookPause } from "../remote/in-line.ts";
import type { Connection } from "./connection.ts";
import { silent } from "./errors.ts";
import type { LockServer } from "./server.ts";
import { holdersOf, keyIn, waitersOf } from "./status.ts";

const ANSWER_MS = 5_000;

export interface LookoutOptions {
  readonly server: LockServer;
  readonly wireKey: string;
  readonly owner: string;
  readonly onProgress: (progress: Progress) => void;
  /** The claim's place is gone, though its own connection has not noticed. */
  readonly onForgotten: () => void;
}

/**
 * Looks at the line while a claim stands in it, on a connection of its own: the claim's is busy
 * waiting. It reports the place, and notices a server that forgot the claim.
 */
export class Lookout {
  readonly #options: LookoutOptions;
  #connection: Connection | null = null;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #mine: number | null = null;
  #ours = false;
  #progress: Progress = { position: 1, waiting: 1, holders: [] };
  #failures = 0;
  #absences = 0;

  constructor(options: LookoutOptions) {
    this.#options = options;
  }

  /** `stats`: as they were on the claim's own connection right after it joined the line. */
  start(stats: Stats): void {
    const { server, wireKey, owner } = this.#options;
    const key = keyIn(stats, wireKey);
    this.#ours = server.isOurs === true;
    // The last of that owner: nothing but this claim's own request came before the question.
    this.#mine = key?.line.findLast((party) => party.owner === owner)?.conn_id ?? null;
    this.#progress = { position: key?.waiting ?? 1, waiting: key?.waiting ?? 1, holders: [] };
    this.#absorb(stats);
    this.#lookLater();
  }

  /** Says why waiting is unusual, with what was last known. */
  report(trouble: string): void {
    this.#options.onProgress({ ...this.#progress, trouble });
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#connection?.destroy();
  }

  #lookLater(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => void this.#look(), lookPause(this.#progress.waiting));
  }

  async #look(): Promise<void> {
    try {
      const stats = await this.#ask();
      if (this.#stopped) return;
      this.#failures = 0;
      this.#absorb(stats);
    } catch (error) {
      if (this.#stopped) return;
      this.#connection?.destroy();
      this.#failures += 1;
      if (this.#failures >= FAILURES_LIMIT && isLockError(error)) {
        this.report(error.message.replace(/\.$/, ""));
      }
    }
    this.#lookLater();
  }

  async #ask(): Promise<Stats> {
    const { server, wireKey } = this.#options;
    const question = keyStatsRequest(wireKey);
    if (this.#connection === null || this.#connection.failure !== null) {
      const greeted = await server.greet(question, { patience: ANSWER_MS });
      this.#connection = greeted.connection;
      if (this.#stopped) greeted.connection.destroy();
      return greeted.stats;
    }
    const answer = this.#connection.ask(question);
    return server.statsOf(await within(answer, ANSWER_MS, () => silent(server.address, ANSWER_MS)));
  }

  #absorb(stats: Stats): void {
    const { wireKey, onProgress, onForgotten } = this.#options;
    const key = keyIn(stats, wireKey);
    const place = key?.line.findIndex((party) => party.conn_id === this.#mine) ?? -1;
    const waiting = key?.waiting ?? 0;
    const holders: Holder[] = key === null ? [] : holdersOf(key);
    // Of a long line the stats hold the beginning only: whoever is not in it is behind it.
    const isCut = (key?.line.length ?? 0) < waiting;
    if (this.#ours && place === -1 && !isCut) {
      const isHolder = key?.leases.some((lease) => lease.conn_id === this.#mine) ?? false;
      this.#absences = isHolder ? 0 : this.#absences + 1;
      if (this.#absences >= FAILURES_LIMIT) onForgotten();
      return;
    }
    this.#absences = 0;
    // A foreign server only counts: nobody overtakes, so the place is at most what it was.
    const position = place === -1 ? Math.min(this.#progress.position, waiting) : place + 1;
    const ahead = key === null ? [] : waitersOf(key).slice(0, Math.max(0, position - 1));
    this.#progress = {
      position: Math.max(1, position),
      waiting: Math.max(1, waiting),
      holders,
      ahead,
    };
    onProgress(this.#progress);
  }
}
