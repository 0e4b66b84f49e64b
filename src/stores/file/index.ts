import { lstatSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { systemClock } from "../../lock/clock.ts";
import { sha256 } from "../../lock/digest.ts";
import { LockError } from "../../lock/errors.ts";
import type { Hold } from "../../lock/history.ts";
import { parseKey } from "../../lock/key.ts";
import type { Lease } from "../../lock/lease.ts";
import type {
  BreakOptions,
  ClaimOptions,
  ClaimRequest,
  CleanOptions,
  CleanResult,
  Holding,
  KeyStatus,
  ReleaseOutcome,
  Store,
} from "../../lock/store.ts";
import { quote } from "../../lock/text.ts";
import type { StoreOptions } from "../open.ts";
import { checkRequest, checkTimeout } from "../request.ts";
import { userName } from "./audit.ts";
import { breakSteps } from "./break.ts";
import { catalogue, reachable } from "./catalogue.ts";
import { cleanKey } from "./clean.ts";
import { describeFileStore, type FileStoreFacts } from "./describe.ts";
import { checkDefault, explain, fileMode, prepareDirectory, preparePlace } from "./directory.ts";
import { holdsOf } from "./holds.ts";
import { inspectSteps } from "./inspect.ts";
import type { JudgeRules } from "./judge.ts";
import { letGoSteps } from "./let-go.ts";
import { type Location, resolveLock } from "./location.ts";
import { LOCK_SUFFIX, lockFileName, type Place, placeOf } from "./place.ts";
import { openProcesses, type Processes } from "./processes.ts";
import { GuardPool, openWorld, type RealWorld, type RealWorldOptions } from "./real.ts";
import { runClaim } from "./waiting.ts";

export const DEFAULT_STALE_TIMEOUT_MS = 3_600_000;
/** A command that needs the guard gives up on a stopped process after this. */
const COMMAND_PATIENCE_MS = 10_000;

export function openFileStore(store: string, options: StoreOptions): Store {
  return new FileStore(describeFileStore(store, options.workingDirectory), options);
}

class FileStore implements Store {
  readonly url: string;
  readonly promises;
  readonly #location: Location;
  readonly #name: string;
  readonly #options: StoreOptions;
  readonly #guards = new GuardPool();
  readonly #processes: Processes;
  readonly #shared: boolean;
  readonly #user: string;
  /** Bits for new files, once the directory is known to be there. */
  #mode: number | null | undefined;

  constructor(facts: FileStoreFacts, options: StoreOptions) {
    const { url, location, resolved, shared, scope } = facts;
    this.#location = resolved;
    this.#options = options;
    this.url = url;
    this.#name = basename(location.path, LOCK_SUFFIX);
    this.#shared = shared;
    this.#processes = openProcesses({ sharedFilesystem: shared });
    this.#user = options.user ?? userName();
    this.promises = { fair: true, fenced: true, push: !shared, scope };
  }

  async claim(request: ClaimRequest, options: ClaimOptions = {}): Promise<Holding> {
    const checked = checkRequest({ ...request, key: this.#key(request.key) });
    checkTimeout(options.timeout);
    if (this.#location.kind === "lock" && checked.slots > 1) {
      throw new LockError(
        "BAD_SLOTS",
        `The store ${this.url} is one lock file, which has one slot: name a directory for slots ${checked.slots}.`,
      );
    }
    return this.#explained(() => {
      if (this.#mode === undefined) this.#prepare();
      const place = this.#place(checked.key);
      return runClaim(place, checked, options, {
        open: (world) => this.#open(place, world),
        store: this.url,
        format: this.#options.format ?? "sema",
        rules: this.#rules(),
        processes: this.#processes,
        auditor: { user: this.#user, pid: process.pid },
      });
    });
  }

  async inspect(key: string): Promise<KeyStatus> {
    const checked = parseKey(this.#key(key));
    return this.#explained(async () => {
      this.#checkReadable();
      const place = this.#place(checked);
      const { remembered: _, ...status } = await this.#open(place).run(
        inspectSteps(place, this.url, this.#rules()),
      );
      return status;
    });
  }

  async list(options: { all?: boolean } = {}): Promise<KeyStatus[]> {
    return this.#explained(async () => {
      this.#checkReadable();
      const found: KeyStatus[] = [];
      for (const { place } of this.#entries()) {
        const { remembered, ...status } = await this.#open(place).run(
          inspectSteps(place, this.url, this.#rules()),
        );
        if (status.holders.length > 0 || status.waiting > 0 || (options.all && remembered))
          found.push(status);
      }
      return found;
    });
  }

  async history(key: string, { limit }: { limit: number }): Promise<Hold[]> {
    const checked = parseKey(this.#key(key));
    return this.#explained(() => {
      this.#checkReadable();
      return holdsOf(this.#place(checked), limit);
    });
  }

  async break(key: string, options: BreakOptions) {
    const checked = parseKey(this.#key(key));
    return this.#explained(async () => {
      const place = this.#place(checked);
      if (!exists(place.directory)) return { broken: [] };
      this.#prepare();
      preparePlace(place);
      const auditor = { user: this.#user, pid: process.pid };
      const world = this.#open(place, { patience: COMMAND_PATIENCE_MS });
      return { broken: await world.run(breakSteps(place, this.#rules(), auditor, options)) };
    });
  }

  async verify(lease: { key: string; fence: number | null; slot: number }): Promise<boolean> {
    const status = await this.inspect(lease.key);
    return status.holders.some(
      (holder) => holder.fence !== null && holder.fence === lease.fence && holder.alive !== false,
    );
  }

  async release(lease: Lease): Promise<ReleaseOutcome> {
    const checked = parseKey(this.#key(lease.key));
    return this.#explained(async () => {
      const place = this.#place(checked);
      if (!exists(place.side)) return "already-gone";
      const auditor = { user: this.#user, pid: process.pid };
      const world = this.#open(place, { patience: COMMAND_PATIENCE_MS });
      const digest = sha256(lease.token);
      return world.run(letGoSteps(place, this.#rules(), auditor, lease, digest));
    });
  }

  async clean(options: CleanOptions): Promise<CleanResult> {
    return this.#explained(async () => {
      const removed: CleanResult["removed"][number][] = [];
      const failed: CleanResult["failed"][number][] = [];
      this.#checkReadable();
      if (!exists(this.#directory())) return { removed, failed };
      const rules = {
        ...this.#rules(),
        ...(options.staleTimeout === undefined ? {} : { staleTimeout: options.staleTimeout }),
      };
      const auditor = { user: this.#user, pid: process.pid };
      const context = { rules, auditor, dryRun: options.dryRun ?? false, by: options.owner };
      for (const { place, slots } of this.#entries()) {
        try {
          if (!context.dryRun) preparePlace(place);
          const world = this.#open(place, { patience: COMMAND_PATIENCE_MS });
          const names = world.list(place.directory);
          removed.push(...(await world.run(cleanKey(place, slots, names, context))));
        } catch (error) {
          failed.push({ path: place.lock, why: explain(error, place.directory).message });
        }
      }
      return { removed, failed };
    });
  }

  async close(): Promise<void> {
    this.#guards.close();
  }

  /** In a store that is one lock file, the key is that file's name, and may be left out. */
  #key(key: string): string {
    if (this.#location.kind === "directory") return key;
    const name = this.#name;
    if (key === "" || key === name || key === name + LOCK_SUFFIX) return name || LOCK_SUFFIX;
    throw new LockError(
      "BAD_KEY",
      `The store ${this.url} is one lock file, whose key is ${quote(name)}: leave the key ${quote(key)} out, or name a directory.`,
    );
  }

  #directory(): string {
    return this.#location.kind === "directory"
      ? this.#location.path
      : join(this.#location.path, "..");
  }

  #place(key: string): Place {
    if (this.#location.kind === "lock") return placeOf(key, this.#location.path);
    const lock = join(this.#location.path, lockFileName(key));
    // The directory was resolved when the store was opened; only the file itself may be a link.
    const isLink = lstatSync(lock, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
    return placeOf(key, isLink ? resolveLock(lock) : lock);
  }

  #entries() {
    if (this.#location.kind === "lock") return [{ place: this.#place(this.#name), slots: [0] }];
    return reachable(catalogue(this.#open(null), this.#location.path));
  }

  #prepare(): void {
    const isDefault = this.#location.kind === "directory" && this.#location.isDefault;
    const directory = this.#directory();
    prepareDirectory(directory, isDefault);
    this.#mode = fileMode(directory);
  }

  /** Looking must not create anything; a store that is not there yet is empty. */
  #checkReadable(): void {
    const directory = this.#directory();
    if (!exists(directory)) return;
    if (this.#location.kind === "directory" && this.#location.isDefault) checkDefault(directory);
    if (!statSync(directory).isDirectory()) prepareDirectory(directory, false);
  }

  #rules(): JudgeRules {
    return {
      staleTimeout: this.#options.staleTimeout ?? DEFAULT_STALE_TIMEOUT_MS,
      staleRule: this.#options.stale ?? "both",
      hostname: this.#processes.self.host,
    };
  }

  /** Bits for new files: those of the directory that they go to, which a link may put elsewhere. */
  #modeIn(directory: string): number | null {
    if (this.#mode !== undefined && directory === this.#directory()) return this.#mode;
    return exists(directory) ? fileMode(directory) : null;
  }

  #open(place: Place | null, more: Partial<RealWorldOptions> = {}): RealWorld {
    return openWorld({
      clock: systemClock,
      processes: this.#processes,
      guards: this.#guards,
      mode: place === null ? null : this.#modeIn(place.directory),
      sync: this.#options.fsync ?? true,
      shared: this.#shared,
      prepare: () => {
        this.#prepare();
        if (place !== null) preparePlace(place);
      },
      ...more,
    });
  }

  async #explained<T>(call: () => T | Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw explain(error, this.#directory());
    }
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
