import type { FSWatcher } from "node:fs";
import { basename } from "node:path";
import { type LockError, messageOf } from "../../lock/errors.ts";
import type { Lease, ReleaseOutcome } from "../../lock/store.ts";
import { TIMER_LIMIT_MS } from "../../lock/time.ts";
import { REFRESH_AT } from "../../lock/ttl.ts";
import type { Processes } from "../../machine/processes.ts";
import { LivingHolding } from "../holding.ts";
import { type Auditor, record as audit } from "./audit/entry.ts";
import { explain } from "./disk/errors.ts";
import type { Place } from "./disk/place.ts";
import { watchOne } from "./disk/watch.ts";
import type { RealWorld } from "./disk/world.ts";
import { runLeft } from "./format/record.ts";
import { explainLoss } from "./loss.ts";
import { beatSteps, type Held, isOurs, releaseSteps } from "./protocol/end/release.ts";
import type { Grant } from "./protocol/take.ts";

/** Heartbeats within dead-after: one may be late and one may fail before a process elsewhere reclaims the lock. */
const BEATS_PER_DEAD_AFTER = 3;
/** A holder whose heartbeats fail gives up this early, so that its command is stopped in time. */
const GIVE_UP_AT = 2 / 3;
const BEAT_RETRY_MS = 250;
/** How long before its ttl ends a holder gives up: a part of the ttl, and no more than a second. */
const EXPIRY_MARGIN = 0.05;
const EXPIRY_MARGIN_MS = 1_000;
/** How late a watch begins: most holds of a busy pipeline are shorter and need none. */
const WATCH_AFTER_MS = 50;

export interface HoldingOptions {
  readonly place: Place;
  readonly auditor: Auditor;
  /** A world of its own: its waits must not be cancelled by what ended the claim's. */
  readonly world: RealWorld;
  readonly processes: Processes;
  /** False: the ttl is a hard bound. */
  readonly refresh: boolean;
}

/** A lock file that this process holds: beats, refreshes, notices its loss, releases. */
export class FileHolding extends LivingHolding {
  readonly reclaimed?: Exclude<Grant["reclaimed"], null>;
  readonly #held: Held;
  readonly #options: HoldingOptions;
  readonly #watchers: FSWatcher[] = [];
  #timer: NodeJS.Timeout | undefined;
  #watchTimer: NodeJS.Timeout | undefined;
  /** Of a run's hold: its end, by the monotonic clock. */
  readonly #runEndsAt: number | null;
  #lastBeat: number;
  #lastRefresh: number;
  /** Why the last heartbeat could not be written. */
  #beatFailure: LockError | null = null;
  #work: Promise<unknown> = Promise.resolve();

  constructor(lease: Lease, grant: Grant, options: HoldingOptions) {
    super(lease);
    const { files, record, reclaimed } = grant;
    const { place, auditor } = options;
    const acquiredMonotonic = record.refreshedMonotonic;
    if (reclaimed !== null) this.reclaimed = reclaimed;
    this.#held = { place, files, auditor, acquiredMonotonic, record };
    this.#options = options;
    const { world, processes } = options;
    const monotonic = world.monotonic();
    const { boot } = processes.self;
    const fileNow = record.run === null ? 0 : world.fileNow(place.guard);
    const left = runLeft(record, { boot, monotonic, fileNow });
    this.#runEndsAt = left === null ? null : monotonic + left;
    this.#lastBeat = acquiredMonotonic;
    this.#lastRefresh = acquiredMonotonic;
    this.#schedule(this.#nextBeat());
    this.#watchTimer = setTimeout(() => this.#watch(), WATCH_AFTER_MS).unref();
  }

  async renew(): Promise<void> {
    const before = this.#lastRefresh;
    if (!this.isOver) await this.#beat(true);
    this.refuseOver();
    if (this.#lastRefresh === before) throw this.#beatFailure;
  }

  override async cover(pid: number): Promise<boolean> {
    const mark = this.#options.processes.mark(pid, "new");
    if (mark === null || this.isOver) return false;
    // A run's hold outlives every process anyway.
    if (this.#held.record.run !== null) return false;
    this.#held.record = { ...this.#held.record, covered: { pid, start: mark.start } };
    await this.#beat(false);
    return !this.lost.aborted;
  }

  protected goOn(): void {
    this.#schedule(this.#nextBeat());
  }

  protected async releaseNow(): Promise<ReleaseOutcome> {
    this.#stop();
    try {
      await this.#work;
      const outcome = await this.#options.world.run(releaseSteps(this.#held));
      return outcome === "released" ? outcome : "already-gone";
    } catch (error) {
      throw explain(error, this.#held.place.directory);
    }
  }

  #stop(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#watchTimer);
    for (const watcher of this.#watchers) watcher.close();
  }

  #monotonic(): number {
    return this.#options.world.monotonic();
  }

  #refreshAt(): number {
    return this.#options.refresh && !this.#isOfRun
      ? this.#lastRefresh + this.#held.record.ttl * 1_000 * REFRESH_AT
      : Number.POSITIVE_INFINITY;
  }

  /** When the ttl is over, by the monotonic clock. A run's ends at the same moment for all who share it. */
  #endsAt(): number {
    if (this.#runEndsAt !== null) return this.#runEndsAt;
    return this.#lastRefresh + this.#held.record.ttl * 1_000;
  }

  /** A little before other processes count the ttl as over: the holder must know first. */
  #expiresAt(): number {
    const ttl = this.#held.record.ttl * 1_000;
    return this.#endsAt() - Math.min(EXPIRY_MARGIN_MS, ttl * EXPIRY_MARGIN);
  }

  /** Its lock belongs to a run, and needs no sign of life. */
  get #isOfRun(): boolean {
    return this.#held.record.run !== null;
  }

  #nextBeat(): number {
    if (this.#isOfRun) return Number.POSITIVE_INFINITY;
    return Math.min(
      this.#lastBeat + this.#held.record.deadAfter / BEATS_PER_DEAD_AFTER,
      this.#refreshAt(),
    );
  }

  #schedule(at: number): void {
    clearTimeout(this.#timer);
    const next = Math.min(at, this.#expiresAt());
    const left = Math.max(1, Math.ceil(next - this.#monotonic()));
    this.#timer = setTimeout(
      () => {
        if (this.#monotonic() >= this.#expiresAt()) this.#expire("its ttl is over");
        else if (this.#isOfRun) this.#schedule(this.#nextBeat());
        else void this.#beat(this.#monotonic() >= this.#refreshAt());
      },
      Math.min(left, TIMER_LIMIT_MS),
    ).unref();
  }

  #watch(): void {
    const check = () => {
      if (!this.isOver && !this.#isOurs()) this.#lose();
    };
    for (const { path } of this.#held.files) watchOne(path, this.#watchers, check);
    // Moving the directory moves the file with it, which is no event of the file's own. Events of other files in
    // it come here too; their names show that they do not matter.
    const { directory } = this.#held.place;
    const name = basename(directory);
    watchOne(directory, this.#watchers, (changed) => {
      if (changed === name) check();
    });
    for (const watcher of this.#watchers) watcher.unref();
    check();
  }

  #isOurs(): boolean {
    try {
      const { read } = this.#options.world;
      return this.#held.files.every((file) => isOurs(this.#held, file, read(file.path)));
    } catch {
      // The file cannot be seen now; the next heartbeat decides.
      return true;
    }
  }

  #beat(refresh: boolean): Promise<void> {
    const work = this.#work.then(() => (this.isOver ? undefined : this.#beatNow(refresh)));
    this.#work = work;
    return work;
  }

  async #beatNow(refresh: boolean): Promise<void> {
    const before = this.#monotonic();
    try {
      const ours = await this.#options.world.run(beatSteps(this.#held, refresh));
      if (!ours) return this.#lose();
    } catch (error) {
      this.#beatFailure = explain(error, this.#held.place.directory);
      const silent = this.#monotonic() - this.#lastBeat;
      if (silent >= this.#held.record.deadAfter * GIVE_UP_AT)
        return this.#expire(`its heartbeat could not be written (${messageOf(error)})`);
      if (!this.isOver)
        this.#schedule(before + Math.min(BEAT_RETRY_MS, this.#held.record.deadAfter / 12));
      return;
    }
    this.#lastBeat = before;
    if (refresh) this.#lastRefresh = before;
    if (!this.isOver) this.#schedule(this.#nextBeat());
  }

  /** The lock could not be kept, though no process took it. */
  #expire(reason: string): void {
    const silentAt = this.#isOfRun
      ? Number.POSITIVE_INFINITY
      : this.#lastBeat + this.#held.record.deadAfter;
    const end = Math.min(silentAt, this.#endsAt());
    const safeUntil = performance.now() + end - this.#monotonic();
    this.#lose({ reason, end: "expired", safeUntil });
  }

  #lose(expiry?: { reason: string; end: "expired"; safeUntil: number }): void {
    if (this.isOver) return;
    this.#stop();
    const { held, world } = { held: this.#held, world: this.#options.world };
    const why = expiry?.reason ?? explainLoss(world, held);
    const { key, owner, fence, slot, together } = held.record;
    const slots = together === undefined ? {} : { slots: together };
    this.tellLoss(why, expiry?.safeUntil);
    world
      .run(
        audit(held.place, held.auditor, "loss", held.files[0].path, {
          key,
          owner,
          fence,
          slot,
          ...slots,
          reason: why,
          end: expiry?.end ?? "broken",
        }),
      )
      .catch(() => {
        // The directory itself may be gone. What matters is that the holder has been told of the loss.
      });
    for (const { descriptor } of held.files) {
      try {
        world.close(descriptor);
      } catch {
        // Nothing depends on the file any more.
      }
    }
  }
}
