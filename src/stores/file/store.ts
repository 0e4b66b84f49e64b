import { lstatSync } from "node:fs";
import { LockError } from "../../lock/errors.ts";
import type { Hold } from "../../lock/history.ts";
import { checkFreeze, checkOnly, checkRequest, checkTimeout } from "../../lock/request.ts";
import type { Freeze, KeyStatus } from "../../lock/status.ts";
import type {
  BreakOptions,
  ClaimOptions,
  ClaimRequest,
  CleanOptions,
  CleanResult,
  FreezeOptions,
  Holding,
  JoinOptions,
  Lease,
  LinePlace,
  ReleaseOutcome,
  Run,
  RunRelease,
  Store,
  ThawOptions,
} from "../../lock/store.ts";
import { byteLength, sha256 } from "../../lock/text.ts";
import type { ProcessMark } from "../../machine/processes.ts";
import { joinLine } from "../join.ts";
import type { StoreOptions } from "../options.ts";
import type { Auditor } from "./audit/entry.ts";
import { checkSideDirectories, preparePlace } from "./disk/directory.ts";
import { explain } from "./disk/errors.ts";
import { hasFreeze, type Place } from "./disk/place.ts";
import { FileHolder } from "./holder.ts";
import type { JudgeRules } from "./protocol/judge.ts";
import type { Steps } from "./protocol/world.ts";
import { FileReader } from "./reader.ts";
import { Site } from "./site.ts";

/** How long a command that needs the guard waits for a process that is stopped inside it. */
const COMMAND_PATIENCE_MS = 10_000;

/** How many keys' lines are watched for a caller that looks at all of them. */
const HEARD = 64;

export function openFileStore(store: string, options: StoreOptions): Store {
  return new FileStore(new Site(store, options));
}

/**
 * A store of lock files. The parts of it that only some commands need are loaded by the method that
 * needs them: a job starts four processes, and none of them uses all of it.
 */
class FileStore implements Store {
  readonly url: string;
  readonly promises;
  /** The places where the last list has found something; null: nobody listens for changes. */
  #listed: string[] | null = null;
  readonly #site: Site;
  readonly #reader: FileReader;
  readonly #holder: FileHolder;

  constructor(site: Site) {
    this.#site = site;
    this.#reader = new FileReader(site);
    this.#holder = new FileHolder(site);
    this.url = site.url;
    this.promises = { fair: true, fenced: true, push: !site.shared, scope: site.scope };
  }

  async claim(request: ClaimRequest, options: ClaimOptions = {}): Promise<Holding> {
    return this.#site.explained(async () => {
      const self = this.#site.processes.self;
      const { place, lease, grant } = await this.#claimAs(self, request, options);
      return this.#holder.hold(place, lease, grant, request);
    });
  }

  async claimFor(pid: number, request: ClaimRequest, options: ClaimOptions = {}): Promise<Lease> {
    return this.#site.explained(async () => {
      const holder = this.#site.processes.mark(pid, "new");
      if (holder === null)
        throw new LockError("BAD_OPTION", `There is no process ${pid} to claim a lock for.`);
      const { lease, grant } = await this.#claimAs(holder, request, options);
      // The holder opens the files by itself; second descriptors here would be of no use.
      const world = this.#holder.open(null);
      for (const { descriptor } of grant.files) world.close(descriptor);
      return lease;
    });
  }

  join(request: ClaimRequest, options?: JoinOptions): Promise<LinePlace> {
    return joinLine(this, request, options);
  }

  adopt(lease: Lease, options: Pick<ClaimRequest, "refresh"> = {}): Promise<Holding> {
    return this.#holder.adopt(lease, options);
  }

  keyOf(text: string): string {
    return this.#site.key(text);
  }

  inspect(key: string): Promise<KeyStatus> {
    return this.#reader.inspect(key);
  }

  verify(lease: Pick<Lease, "key" | "fence" | "slot">): Promise<boolean> {
    return this.#reader.verify(lease);
  }

  history(key: string, options: { limit: number }): Promise<Hold[]> {
    return this.#holder.history(key, options);
  }

  async list(options: { all?: boolean } = {}): Promise<KeyStatus[]> {
    return this.#site.explained(async () => {
      this.#site.checkReadable();
      const found: KeyStatus[] = [];
      if (this.#listed !== null) this.#listed = [];
      for (const { place } of await this.#entries()) {
        const { remembered, ...status } = await this.#reader.look(place);
        const isFrozen = status.frozen !== null || status.frozenSlots.length > 0;
        const isInUse = status.holders.length > 0 || status.waiting > 0 || isFrozen;
        if (isInUse && (this.#listed?.length ?? HEARD) < HEARD) this.#listed?.push(place.side);
        if (isInUse || (options.all && remembered)) found.push(status);
      }
      return found;
    });
  }

  /** The lock files are in the directory; each line is in a directory of its own. */
  async changed({ pause, signal }: { pause: number; signal: AbortSignal }): Promise<void> {
    const { untilChanged } = await import("./disk/watch.ts");
    this.#listed ??= [];
    const { shared, directory } = this.#site;
    await untilChanged(shared ? [] : [directory, ...this.#listed], pause, signal);
  }

  async break(key: string, options: BreakOptions) {
    return this.#site.at(key, async (place) => {
      this.#site.checkReadable();
      if (!exists(place.directory)) return options.line ? { broken: [], line: [] } : { broken: [] };
      this.#holder.prepare();
      preparePlace(place);
      const { breakSteps } = await import("./protocol/end/break.ts");
      return this.#change(place, breakSteps, options);
    });
  }

  async release(lease: Lease): Promise<ReleaseOutcome> {
    return this.#site.at(lease.key, async (place) => {
      if (!exists(place.side)) return "already-gone";
      const { releaseByTokenSteps } = await import("./protocol/end/release.ts");
      return this.#change(place, releaseByTokenSteps, lease, sha256(lease.token));
    });
  }

  async freeze(key: string, options: FreezeOptions): Promise<Freeze> {
    const request = checkFreeze(options);
    return this.#site.at(key, async (place) => {
      this.#holder.prepare();
      preparePlace(place);
      const { freezeSteps } = await import("./protocol/freeze.ts");
      return this.#change(place, freezeSteps, request);
    });
  }

  async thaw(key: string, { owner, ...only }: ThawOptions): Promise<Freeze | null> {
    const options = { owner, ...checkOnly(only) };
    return this.#site.at(key, async (place) => {
      this.#site.checkReadable();
      checkSideDirectories(place);
      if (!hasFreeze(this.#holder.open(null).list(place.side))) return null;
      preparePlace(place);
      const { thawSteps } = await import("./protocol/freeze.ts");
      return this.#change(place, thawSteps, options);
    });
  }

  async releaseRun(key: string, { id }: Pick<Run, "id">): Promise<RunRelease> {
    return this.#site.at(key, async (place) => {
      this.#site.checkReadable();
      if (!exists(place.side)) {
        // Holdfast never used it; another tool may hold it all the same.
        const [holder] = (await this.#reader.look(place)).holders;
        return holder === undefined ? "already-gone" : { heldBy: holder.owner };
      }
      const { releaseRunSteps } = await import("./protocol/run.ts");
      return this.#change(place, releaseRunSteps, id);
    });
  }

  async clean(options: CleanOptions): Promise<CleanResult> {
    return this.#site.explained(async () => {
      const removed: CleanResult["removed"][number][] = [];
      const failed: CleanResult["failed"][number][] = [];
      this.#site.checkReadable();
      if (!exists(this.#site.directory)) return { removed, failed };
      const rules = {
        ...this.#site.rules(),
        ...(options.staleTimeout === undefined ? {} : { staleTimeout: options.staleTimeout }),
      };
      const auditor = this.#holder.auditor();
      const context = { rules, auditor, dryRun: options.dryRun ?? false, by: options.owner };
      const { cleanSteps, needsCleaning } = await import("./protocol/end/clean.ts");
      const entries = await this.#entries(options.key);
      for (const [index, { place, slots, temporaries }] of entries.entries()) {
        try {
          checkSideDirectories(place);
          const more = { patience: COMMAND_PATIENCE_MS, asks: true };
          const world = this.#holder.open(place, more);
          if (!(await world.run(needsCleaning(place, slots, temporaries, context)))) continue;
          if (!context.dryRun) preparePlace(place);
          removed.push(...(await world.run(cleanSteps(place, slots, temporaries, context))));
        } catch (error) {
          failed.push({ path: place.lock, why: explain(error, place.directory).message });
        } finally {
          const [looked, keys] = [index + 1, entries.length];
          options.onProgress?.({ looked, keys, removed: removed.length });
        }
      }
      return { removed, failed };
    });
  }

  close(): Promise<void> {
    return this.#holder.close();
  }

  /** Runs the steps of a command that changes a key. */
  #change<A extends readonly unknown[], T>(
    place: Place,
    steps: (place: Place, rules: JudgeRules, auditor: Auditor, ...more: A) => Steps<T>,
    ...more: A
  ): Promise<T> {
    const world = this.#holder.open(place, { patience: COMMAND_PATIENCE_MS });
    return world.run(steps(place, this.#site.rules(), this.#holder.auditor(), ...more));
  }

  /** Claims a lock for a process; all of the request is checked before anything is written. */
  async #claimAs(holder: ProcessMark, request: ClaimRequest, options: ClaimOptions) {
    const checked = checkRequest({ ...request, key: this.#site.key(request.key) });
    checkTimeout(options.timeout);
    checkNames(checked.resources);
    if (this.#site.location.kind === "lock" && checked.slots > 1) {
      throw new LockError(
        "BAD_SLOTS",
        `The store ${this.url} is one lock file, which has one slot: name a directory for slots ${checked.slots}.`,
      );
    }
    const { waitInLine } = await import("./wait.ts");
    this.#holder.prepare("once");
    const place = this.#site.place(checked.key);
    const granted = await waitInLine(place, checked, options, this.#site, this.#holder, holder);
    return { place, ...granted };
  }

  /** Every key that has files here, or only that one. */
  async #entries(key?: string) {
    if (this.#site.location.kind === "lock") return [this.#onlyEntry(key ?? "")];
    const { catalogue, reachable } = await import("./disk/catalogue.ts");
    const { path, within } = this.#site.location;
    const all = reachable(catalogue(this.#holder.open(null), path), within);
    return key === undefined ? all : all.filter(({ place }) => place.key === key);
  }

  /** The one lock file that is this store, and its temporary files. */
  #onlyEntry(key: string) {
    const place = this.#site.place(this.#site.key(key));
    const names = this.#holder.open(null).list(place.directory);
    return { place, slots: [0], temporaries: names.filter((name) => name.endsWith(".tmp")) };
  }
}

/** The most bytes of all names together: with more, a lock file would be too long to be read. */
const NAMES_BYTES_LIMIT = 16 * 1024;

function checkNames(names: readonly string[] | null): void {
  const bytes = byteLength(names?.join() ?? "");
  if (bytes <= NAMES_BYTES_LIMIT) return;
  throw new LockError(
    "BAD_RESOURCES",
    `The resources have ${bytes} bytes together: a lock file takes at most ${NAMES_BYTES_LIMIT}, so use shorter names.`,
  );
}

/** A link that leads nowhere is there, too. */
function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
