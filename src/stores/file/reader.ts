import type { KeyStatus } from "../../lock/status.ts";
import type { Lease } from "../../lock/store.ts";
import { NEVER, systemClock } from "../../lock/time.ts";
import type { StoreOptions } from "../options.ts";
import { perform } from "../steps.ts";
import { diskView } from "./disk/disk.ts";
import { FileClock } from "./disk/file-clock.ts";
import { patienceOn } from "./disk/network.ts";
import type { Place } from "./disk/place.ts";
import { inspectSteps, verifySteps } from "./protocol/inspect.ts";
import type { Steps, World } from "./protocol/world.ts";
import { Site } from "./site.ts";

export function openFileReader(store: string, options: StoreOptions): FileReader {
  return new FileReader(new Site(store, options));
}

/** Looks at the locks of a file store: without a guard, and without the code that changes anything. */
export class FileReader {
  readonly #fileClock = new FileClock(systemClock);
  readonly #site: Site;

  constructor(site: Site) {
    this.#site = site;
  }

  async inspect(key: string): Promise<KeyStatus> {
    return this.#site.at(key, async (place) => {
      this.#site.checkReadable();
      const { remembered: _, ...status } = await this.look(place);
      return status;
    });
  }

  async verify(lease: Pick<Lease, "key" | "fence" | "slot">): Promise<boolean> {
    const site = this.#site;
    return site.at(lease.key, (place) => {
      site.checkReadable();
      return this.#run(verifySteps(place, site.rules(), lease));
    });
  }

  /** Looks at one key. The caller has checked that the store can be read. */
  look(place: Place): Promise<KeyStatus & { remembered: boolean }> {
    return this.#run(inspectSteps(place, this.#site.url, this.#site.rules()));
  }

  async close(): Promise<void> {}

  #run<T>(steps: Steps<T>): Promise<T> {
    const world: Looking = {
      ...diskView,
      alive: (mark) => this.#site.processes.alive(mark),
      describe: (mark) => this.#site.processes.describe(mark),
      runAlive: (run) => this.#site.forge.ask(run, NEVER),
      now: systemClock.now,
      monotonic: systemClock.monotonic,
      fileNow: (beside) => (this.#site.shared ? this.#fileClock.now(beside) : systemClock.now()),
    };
    // A look takes no other steps: one that did would fail the first test that looks.
    return perform(world as World, steps, patienceOn(this.#site.shared));
  }
}

/** The steps of the world that looking needs. */
type Looking = Pick<
  World,
  "list" | "read" | "inode" | "alive" | "describe" | "runAlive" | "now" | "fileNow" | "monotonic"
>;
