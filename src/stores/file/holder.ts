import { statSync } from "node:fs";
import { LockError } from "../../lock/errors.ts";
import type { Hold as PastHold } from "../../lock/history.ts";
import type { ClaimRequest, Holding, Lease } from "../../lock/store.ts";
import { systemClock } from "../../lock/time.ts";
import { userName } from "../../machine/user.ts";
import type { StoreOptions } from "../options.ts";
import type { Auditor } from "./audit/entry.ts";
import { fileMode, prepareDirectory, preparePlace } from "./disk/directory.ts";
import { GuardPool } from "./disk/guard-pool.ts";
import type { Place } from "./disk/place.ts";
import { openWorld, type RealWorld, type RealWorldOptions } from "./disk/world.ts";
import { FileHolding } from "./holding.ts";
import { adoptSteps } from "./protocol/end/release.ts";
import type { Grant } from "./protocol/take.ts";
import { Site } from "./site.ts";

/** How long a release waits for the guard: it must not give up while there is hope. */
const RELEASE_PATIENCE_MS = 30_000;

export function openFileHolder(store: string, options: StoreOptions): FileHolder {
  return new FileHolder(new Site(store, options));
}

/** Holds locks of a file store. A keeper needs only this, since its lock was claimed for it by another process. */
export class FileHolder {
  readonly url: string;
  readonly #site: Site;
  readonly #guards = new GuardPool();
  #user: string | undefined;
  /** Mode bits for new files, once the directory is known to be there. */
  #mode: number | null | undefined;

  constructor(site: Site) {
    this.#site = site;
    this.url = site.url;
    this.#user = site.options.user;
  }

  async adopt(lease: Lease, options: Pick<ClaimRequest, "refresh"> = {}): Promise<Holding> {
    const site = this.#site;
    return site.at(lease.key, async (place) => {
      const grant = await this.open(place).run(adoptSteps(place, lease, site.processes.self));
      if (grant !== null) return this.hold(place, lease, grant, options);
      throw new LockError(
        "LOCK_LOST",
        `The lock ${JSON.stringify(place.key)} was lost before its holder could adopt it.`,
      );
    });
  }

  hold(
    place: Place,
    lease: Lease,
    grant: Grant,
    { refresh = true }: Pick<ClaimRequest, "refresh">,
  ): Holding {
    return new FileHolding(lease, grant, {
      place,
      auditor: this.auditor(),
      world: this.open(place, { patience: RELEASE_PATIENCE_MS }),
      processes: this.#site.processes,
      refresh,
    });
  }

  async history(key: string, { limit }: { limit: number }): Promise<PastHold[]> {
    const site = this.#site;
    return site.at(key, async (place) => {
      site.checkReadable();
      // Most holders are never asked about the past.
      const { holdsOf } = await import("./audit/holds.ts");
      return holdsOf(place, limit);
    });
  }

  async close(): Promise<void> {
    this.#guards.close();
  }

  /** The writer of audit lines: this process, or the process for which it acts. */
  auditor(pid = process.pid): Auditor {
    this.#user ??= userName();
    return { user: this.#user, pid };
  }

  /** Makes the store's directory if it is missing. `once`: not again if it was there before. */
  prepare(once?: "once"): void {
    if (once !== undefined && this.#mode !== undefined) return;
    prepareDirectory(this.#site.directory, this.#site.isDefault);
    this.#mode = fileMode(this.#site.directory);
  }

  open(place: Place | null, more: Partial<RealWorldOptions> = {}): RealWorld {
    return openWorld({
      clock: systemClock,
      processes: this.#site.processes,
      guards: this.#guards,
      mode: place === null ? null : this.#modeIn(place.directory),
      sync: this.#site.options.fsync ?? true,
      shared: this.#site.shared,
      forge: this.#site.forge,
      prepare: () => {
        this.prepare();
        if (place !== null) preparePlace(place);
      },
      ...more,
    });
  }

  /** Mode bits for new files, from the directory in which they really are: a link may put them elsewhere. */
  #modeIn(directory: string): number | null {
    if (this.#mode !== undefined && directory === this.#site.directory) return this.#mode;
    const isThere = statSync(directory, { throwIfNoEntry: false }) !== undefined;
    return isThere ? fileMode(directory) : null;
  }
}
