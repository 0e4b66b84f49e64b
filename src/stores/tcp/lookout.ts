import type { Holder } from "../../lock/status.ts";
import type { Progress } from "../../lock/store.ts";
import { within } from "../../lock/time.ts";
import { keyStatsRequest, type Stats } from "../../wire/stats.ts";
import { Lookout } from "../remote/lookout.ts";
import { silent } from "../remote/trouble.ts";
import type { Connection } from "./connection.ts";
import type { LockServer } from "./server.ts";
import { holdersOf, keyIn, waitersOf } from "./status.ts";

const ANSWER_MS = 5_000;

export interface TcpLookoutOptions {
  readonly server: LockServer;
  readonly wireKey: string;
  readonly owner: string;
  readonly onProgress: (progress: Progress) => void;
  /** The claim's place is gone, though its own connection has not noticed that. */
  readonly onForgotten: () => void;
}

/** A lookout over the line of a dflockd server, on a connection of its own. */
export class TcpLookout extends Lookout<Stats> {
  readonly #options: TcpLookoutOptions;
  #connection: Connection | null = null;
  #stopped = false;
  #mine: number | null = null;
  #ours = false;

  constructor(options: TcpLookoutOptions) {
    super(options.onProgress);
    this.#options = options;
  }

  /**
   * `stats`: told on the claim's own connection right after it joined the line. `number`: that connection's
   * number, if the server told it.
   */
  start(stats: Stats, number: number | null): void {
    const { server, wireKey, owner } = this.#options;
    const key = keyIn(stats, wireKey);
    this.#ours = server.isOurs === true;
    // Else the last of that owner: only this claim's own request came before the question.
    const last = key?.line.findLast((party) => party.owner === owner);
    this.#mine = number ?? last?.conn_id ?? null;
    this.#absorb(stats, key?.waiting ?? 1);
    if (!this.#stopped) this.begin();
  }

  override stop(): void {
    super.stop();
    this.#stopped = true;
    this.#connection?.destroy();
  }

  protected async ask(): Promise<Stats> {
    try {
      return await this.#ask();
    } catch (error) {
      this.#connection?.destroy();
      throw error;
    }
  }

  protected absorb(stats: Stats): null {
    this.#absorb(stats, this.progress.position);
    return null;
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

  /** `lastPlace`: where the claim stood at most, for a server that only counts. */
  #absorb(stats: Stats, lastPlace: number): void {
    const { wireKey, onForgotten } = this.#options;
    const key = keyIn(stats, wireKey);
    const place = key?.line.findIndex((party) => party.conn_id === this.#mine) ?? -1;
    const waiting = key?.waiting ?? 0;
    const holders: Holder[] = key === null ? [] : holdersOf(key);
    // Of a long line the stats have only the beginning: a claim that is not in it comes after it.
    const isCut = (key?.line.length ?? 0) < waiting;
    if (this.#ours && place === -1 && !isCut) {
      const isHolder = key?.leases.some((lease) => lease.conn_id === this.#mine) ?? false;
      if (this.isAbsent(isHolder)) onForgotten();
      return;
    }
    // Nobody overtakes, so the place is at most what it was.
    const position = place === -1 ? Math.min(lastPlace, waiting) : place + 1;
    const ahead = key === null ? [] : waitersOf(key).slice(0, Math.max(0, position - 1));
    this.tell({
      position: Math.max(1, position),
      waiting: Math.max(1, waiting),
      holders,
      ahead,
      frozen: key?.frozen ?? null,
      frozenSlots: key?.frozenSlots.filter(({ slot }) => slot < key.slots) ?? [],
    });
  }
}
