import { setTimeout as delay } from "node:timers/promises";
import { formatDuration } from "../lock/duration.ts";
import { isLockError, LockError } from "../lock/errors.ts";
import { enumerated } from "../lock/people/names.ts";
import { checkTimeout } from "../lock/request.ts";
import type {
  ClaimOptions,
  ClaimRequest,
  Holding,
  Lease,
  LinePlace,
  Progress,
  ReleaseOutcome,
  Store,
} from "../lock/store.ts";
import type { Readiness } from "../lock/time.ts";

/** The most keys of one claim: for more than these, one key for the whole is better. */
const KEYS_LIMIT = 100;

/** A server that is started again is back within seconds. A job's post waits 10 s for its keeper. */
const AWAY_MS = 5_000;
const RETRY_MS = 250;

/** Several keys that are held together, and as one: `lease` is that of the first key as written. */
export interface SeveralHolding extends Holding {
  /** Of each key, in the order in which they were written. */
  readonly leases: readonly Lease[];
  /** Releases every key, and tells of each what became of it. Throws only after all were tried. */
  releaseEach(): Promise<readonly KeyRelease[]>;
}

export interface KeyRelease {
  readonly key: string;
  readonly outcome: ReleaseOutcome;
}

export interface SeveralOptions extends ClaimOptions {
  /** With `ready`: the claim stands in the lines of all its keys at once. */
  readonly onJoined?: (places: readonly Progress[]) => void;
  /** Told one sentence if a key was lost while the claim waited for another, and it begins anew. */
  readonly onTrouble?: (sentence: string) => void;
}

/**
 * Claims several keys, all or none. They are claimed one after the other in the order of their bytes: if each
 * job took them in its own order, two jobs could wait for each other for ever. The timeout is for all together,
 * and `Progress.key` says which one is waited for.
 *
 * A key that is lost while another is waited for is no loss of anything, since nothing has run under it: all are
 * released, and the claim begins anew in the time that is left.
 */
export async function claimAll(
  store: Store,
  requests: readonly ClaimRequest[],
  options: SeveralOptions = {},
): Promise<SeveralHolding> {
  const written = withoutDoubles(store, requests);
  const { signal, onTrouble, ready } = options;
  let places = ready && (await placesIn(store, written.toSorted(byBytes), ready, options));
  const timeout = (ready === undefined ? options.timeout : ready.timeout) ?? null;
  const { asked = timeout } = options;
  checkTimeout(timeout);
  const begun = performance.now();
  for (let left = timeout; ; left = leftOf(timeout, begun)) {
    try {
      const held = await claimInOrder(store, written.toSorted(byBytes), {
        ...options,
        timeout: left,
        asked,
        places,
      });
      const found = new Map(held.map((holding) => [holding.lease.key, holding]));
      const inWrittenOrder = written.flatMap(({ key }) => found.get(key) ?? []);
      return holdTogether(inWrittenOrder, Math.round(performance.now() - begun));
    } catch (error) {
      const begins = written.length > 1 && isLockError(error, "LOCK_LOST") && left !== 0;
      if (!begins || signal?.aborted) throw error;
      // They were left, and a place is taken once.
      places = undefined;
      onTrouble?.(`${error.message} Nothing had begun: joining the line again.`);
    }
  }
}

/** The requests by the keys that the store knows, each once. Checks every key before any is claimed. */
function withoutDoubles(store: Store, requests: readonly ClaimRequest[]): ClaimRequest[] {
  const known = new Map<string, ClaimRequest>();
  for (const request of requests) {
    const key = store.keyOf(request.key);
    if (!known.has(key)) known.set(key, { ...request, key });
  }
  if (known.size === 0) throw new LockError("BAD_KEY", "No key is named: name at least one.");
  if (known.size > KEYS_LIMIT) {
    throw new LockError(
      "BAD_KEY",
      `${known.size} keys are too many for one claim: use at most ${KEYS_LIMIT}, or one key for them all.`,
    );
  }
  return [...known.values()];
}

function byBytes({ key: one }: ClaimRequest, { key: other }: ClaimRequest): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/**
 * Stands in the line of every key until the claim is ready. A place keeps nobody out, so the order in which the
 * lines are joined does not matter. Throws if a place is lost before.
 */
async function placesIn(
  store: Store,
  requests: readonly ClaimRequest[],
  ready: Readiness,
  { signal, onProgress, onJoined }: SeveralOptions,
): Promise<ReadonlyMap<string, LinePlace>> {
  if (store.join === undefined) throw cannotJoin(store);
  const places = new Map<string, LinePlace>();
  try {
    for (const request of requests) {
      const { key } = request;
      const place = await store.join(request, {
        ...(signal === undefined ? {} : { signal }),
        // From then on the claim only waits for the key that is being taken.
        onProgress: (progress) =>
          ready.signal.aborted || onProgress?.(named(requests, key, progress)),
      });
      places.set(key, place);
    }
    onJoined?.([...places].map(([key, { progress }]) => named(requests, key, progress)));
    const ends = [...places.values()].map(({ lost }) => lost);
    const over = AbortSignal.any([ready.signal, ...ends]);
    if (!over.aborted) await new Promise((resolve) => over.addEventListener("abort", resolve));
    for (const lost of ends) lost.throwIfAborted();
    return places;
  } catch (error) {
    await leaveAll(places);
    throw error;
  }
}

async function leaveAll(places: ReadonlyMap<string, LinePlace> | undefined): Promise<void> {
  await Promise.allSettled([...(places?.values() ?? [])].map((place) => place.leave()));
}

function cannotJoin({ url }: Pick<Store, "url">): LockError {
  return new LockError(
    "NOT_SUPPORTED",
    `The store ${url} cannot keep a place in line without taking the lock: claim it when it is needed, or use another store, such as the http: address of the same server.`,
  );
}

interface OrderedOptions extends SeveralOptions {
  readonly timeout: number | null;
  readonly asked: number | null;
  /** The places in line that the claim has already, by key. */
  readonly places: ReadonlyMap<string, LinePlace> | undefined;
}

/** Claims one after the other. If one cannot be had, those before it are released. */
async function claimInOrder(
  store: Store,
  requests: readonly ClaimRequest[],
  { timeout, asked, signal, onProgress, places }: OrderedOptions,
): Promise<Holding[]> {
  const begun = performance.now();
  const held: Holding[] = [];
  // A place that ends ends the wait for the others; one that is being taken tells that itself.
  const kept = () => [...held, ...(places?.values() ?? [])].map((each) => each.lost);
  const lost = () => kept().find((end) => end.aborted)?.reason;
  try {
    for (const request of requests) {
      const { key } = request;
      const ends = [...(signal === undefined ? [] : [signal]), ...kept()];
      const left = held.length === 0 ? timeout : leftOf(timeout, begun);
      const place = places?.get(key);
      const claim = place?.take.bind(place) ?? store.claim.bind(store, request);
      const told: typeof onProgress =
        onProgress && ((progress) => onProgress(named(requests, key, progress)));
      // A place tells no more until something changes.
      if (place !== undefined) told?.(place.progress);
      held.push(
        await claim({
          timeout: left,
          asked,
          ...(ends.length === 0 ? {} : { signal: AbortSignal.any(ends) }),
          ...(told && { onProgress: told }),
        }),
      );
    }
    if (held.length > 1 && lost() !== undefined) throw lost();
    return held;
  } catch (error) {
    // A run's key stays: another job of the run may have come to rely on it since it was claimed.
    const isOfRun = (_: Holding, index: number) => requests[index]?.run !== undefined;
    const own = held.filter((each, index) => !isOfRun(each, index));
    // A key that cannot be released now ends with this process, or by its silence.
    await Promise.allSettled(own.map((holding) => holding.release()));
    await leaveAll(places);
    const isCancelled = signal?.aborted ?? false;
    const why = isLockError(error, "ABORTED") && !isCancelled ? (lost() ?? error) : error;
    const stay = held.filter(isOfRun).map(({ lease }) => lease.key);
    throw forAll(why, requests, asked, stay);
  }
}

/** The progress of a key, with its name if there are several. */
function named(requests: readonly unknown[], key: string, progress: Progress): Progress {
  return requests.length === 1 ? progress : { ...progress, key };
}

/** Milliseconds of a timeout that are left since then. */
function leftOf(timeout: number | null, begun: number): number | null {
  return timeout && Math.max(0, Math.ceil(timeout - (performance.now() - begun)));
}

/** The sentence about one key that was not acquired, and what that means for the others. */
function forAll(
  error: unknown,
  requests: readonly ClaimRequest[],
  timeout: number | null,
  stay: readonly string[],
): unknown {
  if (requests.length === 1 || !isLockError(error, "TIMEOUT")) return error;
  const all = requests.length === 2 ? "both keys" : `all ${requests.length} keys`;
  const limit = timeout ? ` The ${formatDuration(timeout)} are for ${all}.` : "";
  return new LockError("TIMEOUT", `${error.message}${limit} ${whatStays(requests, stay)}`, {
    cause: error,
  });
}

function whatStays(requests: readonly ClaimRequest[], stay: readonly string[]): string {
  if (stay.length > 0) {
    const [stays, them] = stay.length === 1 ? ["stays", "it"] : ["stay", "them"];
    return `${quoted(stay)} ${stays} with the run, whose other jobs may rely on ${them}.`;
  }
  // What an earlier claim of the run holds is not touched by this one.
  if (requests.some(({ run }) => run !== undefined)) return "The run holds nothing new.";
  return `This claim holds ${requests.length === 2 ? "neither" : "none of them"}.`;
}

/**
 * Several holdings as one. Losing one of them is losing all, and the reason names it. The others stay held until
 * `release`, since what runs under them has still to be stopped. `waited`: milliseconds that the claim of all of
 * them took.
 */
function holdTogether(holdings: readonly Holding[], waited: number): SeveralHolding {
  const [first] = holdings;
  if (first === undefined) throw new LockError("INTERNAL", "no lock to hold");
  const loss = new AbortController();
  for (const { lost, lease } of holdings) {
    const onLoss = () => loss.abort(lossOfAll(lost.reason, lease.key, holdings));
    if (lost.aborted) onLoss();
    else lost.addEventListener("abort", onLoss, { once: true });
  }
  const reclaimed = holdings.find((holding) => holding.reclaimed !== undefined)?.reclaimed;
  const releaseEach = async () => {
    const outcomes = await Promise.allSettled(holdings.map(releasePatiently));
    return outcomes.map((result, index) => {
      if (result.status === "rejected") throw result.reason;
      return { key: holdings[index]?.lease.key ?? "", outcome: result.value };
    });
  };
  return {
    lease: { ...first.lease, waited },
    leases: holdings.map(({ lease }) => lease),
    lost: loss.signal,
    ...(reclaimed === undefined ? {} : { reclaimed }),
    get safeUntil() {
      const ends = holdings
        .filter(({ lost }) => lost.aborted)
        .map((each) => each.safeUntil ?? null);
      return ends.reduce<number | null>(
        (least, end) => (least === null || end === null ? null : Math.min(least, end)),
        ends.length === 0 ? null : Number.POSITIVE_INFINITY,
      );
    },
    renew: async () => void (await Promise.all(holdings.map((holding) => holding.renew()))),
    releaseEach,
    release: async () => {
      const gone = (await releaseEach()).some(({ outcome }) => outcome === "already-gone");
      return gone ? "already-gone" : "released";
    },
    cover: async (pid) => {
      const covered = await Promise.all(holdings.map((holding) => holding.cover(pid)));
      return covered.every(Boolean);
    },
  };
}

/** Key to fence, as scripts get it if several keys are held. */
export function fencesOf(leases: readonly Lease[]): Record<string, number | null> {
  return Object.fromEntries(leases.map(({ key, fence }) => [key, fence]));
}

function lossOfAll(reason: unknown, key: string, holdings: readonly Holding[]): unknown {
  const others = holdings.map(({ lease }) => lease.key).filter((other) => other !== key);
  if (others.length === 0 || !isLockError(reason)) return reason;
  const lost = `${quoted(others)} ${others.length === 1 ? "counts" : "count"} as lost`;
  return new LockError("LOCK_LOST", `${reason.message} With it ${lost}.`, { cause: reason });
}

function quoted(keys: readonly string[]): string {
  return enumerated(keys.map((key) => JSON.stringify(key)));
}

/**
 * Releases a lock, and tries again while its server is away: with `--data` a server that comes back keeps
 * the lock, and nobody else would get it for its whole `dead-after`. A server that comes back without it
 * does not tell whether it was lost before: then it counts as not released.
 */
async function releasePatiently(holding: Holding): Promise<ReleaseOutcome> {
  const until = performance.now() + AWAY_MS;
  let away: LockError | null = null;
  for (;;) {
    try {
      const outcome = await holding.release();
      if (outcome === "already-gone" && away !== null) throw away;
      return outcome;
    } catch (error) {
      const isOver = error === away || performance.now() > until;
      if (isOver || !isLockError(error, "STORE_UNREACHABLE")) throw error;
      away = error;
    }
    await delay(RETRY_MS);
  }
}
