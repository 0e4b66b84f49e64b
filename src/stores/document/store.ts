import { formatDuration } from "../../lock/duration.ts";
import { isLockError, LockError, messageOf } from "../../lock/errors.ts";
import type { Hold } from "../../lock/history.ts";
import { parseKey } from "../../lock/key.ts";
import { checkFreeze, checkOnly, checkSlot } from "../../lock/request.ts";
import type { Freeze, KeyStatus } from "../../lock/status.ts";
import type {
  BreakOptions,
  BreakResult,
  ClaimOptions,
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
  StorePromises,
  ThawOptions,
} from "../../lock/store.ts";
import { quote, sha256 } from "../../lock/text.ts";
import { nextFence } from "../../lock/time.ts";
import type { CallOptions, Register } from "../engines/register.ts";
import { sleep } from "../engines/waits.ts";
import { joinLine } from "../join.ts";
import { perform } from "../steps.ts";
import { claimKey, type DocumentRequest } from "./claim.ts";
import { emptyDocument } from "./document.ts";
import { fenceIn, writeDocument } from "./format.ts";
import { isOf } from "./operations/end.ts";
import { firstFence } from "./operations/grant.ts";
import { nextState } from "./operations/state.ts";
import { byLease, moment, releaseSteps } from "./protocol/hold.ts";
import { judgeAll } from "./protocol/judge.ts";
import { Observations } from "./protocol/observations.ts";
import { look } from "./protocol/swap.ts";
import {
  breakLineSteps,
  breakSteps,
  cleanSteps,
  freezeSteps,
  releaseRunSteps,
  thawSteps,
} from "./protocol/upkeep.ts";
import { type Steps, step } from "./protocol/world.ts";
import { type DocumentOptions, Site } from "./site.ts";
import type { Timing } from "./timing.ts";
import { holderOf, statusOf, unreadableStatus, waiterOf } from "./view.ts";

export type { DocumentRequest } from "./claim.ts";
export type { DocumentOptions } from "./site.ts";

/** A store over any register: one lock protocol, whatever keeps its documents. */
export function openDocumentStore(
  register: Register,
  options: DocumentOptions = {},
): DocumentStore {
  return new DocumentStore(new Site(register, options));
}

/** How many keys are read at once for a list. */
const READ_AT_ONCE = 8;
/** How many keys are watched for changes: an engine may need a connection for each. */
const HEARD = 32;

export class DocumentStore implements Store {
  readonly url: string;
  readonly promises: StorePromises;
  readonly leastDeadAfter?: number;
  readonly mayWrite?: () => Promise<void>;
  readonly #site: Site;
  /** The versions that the last list has shown; null: nobody asked for changes. */
  #versions: Map<string, string | null> | null = null;

  constructor(site: Site) {
    this.#site = site;
    this.url = site.url;
    const { push, signs } = site.register.traits;
    this.promises = { fair: true, fenced: true, push, scope: "network" };
    if (signs !== undefined) this.leastDeadAfter = signs.leastDeadAfter;
    const mayWrite = site.register.mayWrite?.bind(site.register);
    if (mayWrite !== undefined) this.mayWrite = () => this.#ask((options) => mayWrite(options));
  }

  keyOf(text: string): string {
    return parseKey(text);
  }

  claim(request: DocumentRequest, options: ClaimOptions = {}): Promise<Holding> {
    const claimed = claimKey(this.#site, request, options);
    this.#site.finishBeforeClose(claimed);
    return claimed;
  }

  join(request: DocumentRequest, options: JoinOptions = {}): Promise<LinePlace> {
    return joinLine(this, request, options);
  }

  /** A document that cannot be read is shown as held by nobody knows whom. */
  inspect(key: string): Promise<KeyStatus> {
    return this.#shown(key);
  }

  async #shown(key: string, listed = false): Promise<KeyStatus> {
    const checked = parseKey(key);
    try {
      return await this.#look(checked, this.#inspect(checked), listed);
    } catch (error) {
      if (!isLockError(error, "BAD_LOCK_FILE")) throw error;
      return unreadableStatus(checked, this.url, error);
    }
  }

  /** Shows a name of the engine that can be no key, in place of failing. */
  async #listed(name: string): Promise<KeyStatus> {
    try {
      return await this.#shown(name, true);
    } catch (error) {
      if (!isLockError(error, "BAD_KEY")) throw error;
      return unreadableStatus(name, this.url, notAKey(name, error));
    }
  }

  async list(options: { all?: boolean } = {}): Promise<KeyStatus[]> {
    const found: KeyStatus[] = [];
    const keys = (await this.#keys()).sort();
    this.#versions?.clear();
    for (let from = 0; from < keys.length; from += READ_AT_ONCE) {
      const some = keys.slice(from, from + READ_AT_ONCE);
      found.push(...(await Promise.all(some.map((key) => this.#listed(key)))));
    }
    return found.filter(
      ({ holders, waiting, frozen, frozenSlots }) =>
        options.all === true ||
        holders.length + waiting + frozenSlots.length > 0 ||
        frozen !== null,
    );
  }

  /** Nobody hears of a new key: the caller looks again after the pause. */
  async changed({ pause, signal }: { pause: number; signal: AbortSignal }): Promise<void> {
    const over = new AbortController();
    const options = { pause, signal: AbortSignal.any([over.signal, signal, this.#site.closing]) };
    const { register } = this.#site;
    this.#versions ??= new Map();
    const keys = register.traits.push ? [...this.#versions].slice(0, HEARD) : [];
    const changes = keys.map(([key, version]) => register.changed(key, version, options));
    try {
      await Promise.race([...changes, sleep(pause, options.signal)]);
    } finally {
      over.abort();
    }
  }

  async break(key: string, options: BreakOptions): Promise<BreakResult> {
    const checked = parseKey(key);
    const { reason, owner: by, slot } = options;
    if (options.line) {
      const line = await this.#change(checked, breakLineSteps(checked, { reason, by }));
      return { broken: [], line: line.map((entry, index) => waiterOf(entry, index + 1, null)) };
    }
    const request = { reason, by, ...(slot === undefined ? {} : { slot: checkSlot(slot) }) };
    try {
      const before = await this.#change(checked, breakSteps(checked, request));
      const broken = (before?.holders ?? []).filter((holder) => isOf(holder, slot));
      const names = before?.resources;
      return { broken: broken.map((holder) => holderOf(holder, names, null, "unknown")) };
    } catch (error) {
      if (!isLockError(error, "BAD_LOCK_FILE")) throw error;
      if (slot !== undefined) throw slotUnknown(checked, error);
      // Somebody else may have put a sound document there first: then its holders are to be broken.
      const stood = await this.#change(checked, replaceSteps(checked));
      if (!stood) return this.break(key, options);
      return { broken: unreadableStatus(checked, this.url, error).holders };
    }
  }

  /** Asks strongly: a read that lags would still show a lock that was just taken away. */
  async verify(lease: Pick<Lease, "key" | "fence" | "slot">): Promise<boolean> {
    const key = parseKey(lease.key);
    return this.#run(key, verifySteps(key, lease.fence, this.#site.timing));
  }

  async release(lease: Lease): Promise<ReleaseOutcome> {
    const key = parseKey(lease.key);
    const find = byLease({ fence: lease.fence, digest: sha256(lease.token) });
    return this.#site.run(key, this.#site.timing.releasePatience, releaseSteps(key, find));
  }

  async history(key: string, { limit }: { limit: number }): Promise<Hold[]> {
    const checked = parseKey(key);
    const { document } = await this.#look(checked, look(checked, false), true);
    return document.holds.slice(0, limit);
  }

  async clean(options: CleanOptions): Promise<CleanResult> {
    const keys = options.key === undefined ? await this.#keys() : [parseKey(options.key)];
    const removed: CleanResult["removed"][number][] = [];
    const failed: CleanResult["failed"][number][] = [];
    const { timing } = this.#site;
    const { dryRun = false, staleTimeout = null, owner: by } = options;
    const seen = new Map<string, Observations>();
    /** Cleans a key, and tells when to look again. */
    const cleaned = async (key: string): Promise<number | null> => {
      const path = `${this.url} ${key}`;
      const observations = seen.get(key) ?? new Observations();
      seen.set(key, observations);
      const request = { by, dryRun, staleTimeout, timing, observations };
      try {
        const { found, reviewAt } = await this.#run(key, cleanSteps(key, request));
        for (const why of found) removed.push({ path, why });
        return reviewAt;
      } catch (error) {
        failed.push({ path, why: messageOf(error) });
        return null;
      }
    };
    const doubtful: { key: string; reviewAt: number }[] = [];
    for (const [index, key] of keys.entries()) {
      const reviewAt = await cleaned(key);
      if (reviewAt !== null) doubtful.push({ key, reviewAt });
      const looked = index + 1;
      options.onProgress?.({ looked, keys: keys.length, removed: removed.length });
    }
    if (doubtful.length > 0) {
      const left = Math.max(...doubtful.map(({ reviewAt }) => reviewAt));
      const pause = Math.max(0, left - this.#site.clock.monotonic());
      this.#site.tell(watchesLines(doubtful, pause));
      await sleep(pause, this.#site.closing);
      for (const { key } of doubtful) await cleaned(key);
    }
    if (options.key === undefined) removed.push(...(await this.#tidied(dryRun)));
    return { removed, failed };
  }

  async freeze(key: string, options: FreezeOptions): Promise<Freeze> {
    const checked = parseKey(key);
    const { reason, owner: by, duration, ...only } = checkFreeze(options);
    return this.#change(checked, freezeSteps(checked, { by, reason, duration }, only));
  }

  async thaw(key: string, { owner, ...only }: ThawOptions): Promise<Freeze | null> {
    const checked = parseKey(key);
    return this.#change(checked, thawSteps(checked, owner, checkOnly(only)));
  }

  async releaseRun(key: string, { id: run }: Pick<Run, "id">): Promise<RunRelease> {
    const checked = parseKey(key);
    return this.#site.run(
      checked,
      this.#site.timing.releasePatience,
      releaseRunSteps(checked, run),
    );
  }

  close(): Promise<void> {
    return this.#site.close();
  }

  #run<T>(key: string, steps: Steps<T>): Promise<T> {
    return this.#site.run(key, this.#site.timing.changePatience, steps);
  }

  /** For a person who breaks, freezes or thaws: a wrong address fails soon, as it does for a claim. */
  #change<T>(key: string, steps: Steps<T>): Promise<T> {
    const world = this.#site.world(key, { patience: this.#site.timing.startPatience });
    world.phase("starting");
    return this.#site.explained(perform(world, steps));
  }

  /** For a person who only looks, and waits for the answer. */
  #look<T>(key: string, steps: Steps<T>, listed: boolean): Promise<T> {
    const patience = this.#site.timing.lookPatience;
    const world = this.#site.world(key, { patience, isLook: true, listed });
    return this.#site.explained(perform(world, steps));
  }

  async #tidied(dryRun: boolean): Promise<CleanResult["removed"]> {
    const { register } = this.#site;
    const names = await this.#ask(async (call) => register.tidy?.({ ...call, dryRun }) ?? []);
    return names.map((name) => ({
      path: `${this.url} ${name}`,
      why: "a session that was left over",
    }));
  }

  #keys(): Promise<string[]> {
    return this.#ask((options) => this.#site.register.keys(options));
  }

  /** Asks the register something that is not about a single key. */
  #ask<T>(call: (options: CallOptions) => Promise<T>): Promise<T> {
    const patience = this.#site.timing.lookPatience;
    const world = this.#site.world("", { patience, isLook: true });
    return this.#site.explained(world.call(call));
  }

  *#inspect(key: string): Steps<KeyStatus> {
    const seen = yield* look(key, false);
    this.#versions?.set(key, seen.version);
    const judged = yield* judgeAll(seen, new Observations(), this.#site.timing);
    return statusOf(seen.document, this.url, judged);
  }
}

function watchesLines(keys: readonly { readonly key: string }[], pause: number): string {
  const named = keys.map(({ key }) => quote(key)).join(", ");
  return `Whether the claims in line for ${named} are dead is seen when nobody takes the free lock for ${formatDuration(pause)}.`;
}

function* verifySteps(key: string, fence: number | null, timing: Timing): Steps<boolean> {
  const seen = yield* look(key, true);
  const holder = seen.document.holders.find((each) => each.fence === fence);
  if (holder === undefined) return false;
  const only = { ...seen, document: { ...seen.document, holders: [holder], line: [] } };
  const { vitality } = yield* judgeAll(only, new Observations(), timing);
  return !["dead", "expired"].includes(vitality(holder));
}

/**
 * Puts an empty document in the place of one that cannot be read. Its fence is above all that can have been
 * given: it follows the clock, and every number in the old text that looks like a fence. False: it was not
 * replaced, or nobody knows.
 */
function* replaceSteps(key: string): Steps<boolean> {
  const { version, text } = yield* step("read", true);
  const { now, nonce } = yield* moment();
  const fence = Math.max(firstFence(now), nextFence(fenceIn(text ?? ""), now));
  const written = writeDocument(nextState(emptyDocument(key), { fence }, nonce));
  return (yield* step("swap", version, written?.text ?? "")).outcome === "done";
}

function slotUnknown(key: string, cause: LockError): LockError {
  return new LockError(
    "BAD_LOCK_FILE",
    `The lock document of ${quote(key)} cannot be read, and so its slots cannot be told apart: leave --slot out to replace the whole of it.`,
    { cause },
  );
}

/** `break` takes no such key: it has to go by the means of the engine. */
function notAKey(name: string, cause: LockError): LockError {
  return new LockError(
    "BAD_KEY",
    `The name ${quote(name)} can be no key, and what it names was not made by Holdfast: remove it with a tool of the engine's own.`,
    { cause },
  );
}
