import { createHash, randomBytes } from "node:crypto";
import { formatDuration } from "../../lock/duration.ts";
import type { Lease } from "../../lock/lease.ts";
import type { ClaimOptions, ClaimRequest, Holding } from "../../lock/store.ts";
import { Deadline } from "../deadline.ts";
import { type CheckedRequest, checkRequest, checkTimeout } from "../request.ts";
import { aborted, notAcquired } from "../sentences.ts";
import type { Claimant } from "./document.ts";
import { DocumentHolding } from "./holding/holding.ts";
import { Keepalive } from "./holding/keepalive.ts";
import type { Life } from "./life.ts";
import { type Claim, claimSteps, type Grant, leaveSteps } from "./protocol/claim.ts";
import { Sightings } from "./protocol/sightings.ts";
import { Cancelled, Tries } from "./protocol/swap.ts";
import { perform } from "./protocol/world.ts";
import type { RegisterWorld } from "./register-world.ts";
import type { Site } from "./site.ts";
import { progressOf, whyNot } from "./view.ts";

/** What a claim may say beyond what every store knows. */
export interface DocumentRequest extends ClaimRequest {
  /** What the hold's life hangs on. Default: the store's, else a beacon, else a heartbeat. */
  readonly life?: Life;
  /** The run and attempt that the lock belongs to: later claims with the same text share it. */
  readonly run?: string;
  /** `newest`: a newer claim of the kind ends the older ones that still wait. */
  readonly line?: "fifo" | "newest";
}

const ID_BYTES = 8;
const TOKEN_BYTES = 16;

/** Claims a key: lights the beacon, takes its turn, and gives back what is held. */
export async function claimKey(
  site: Site,
  request: DocumentRequest,
  options: ClaimOptions,
): Promise<Holding> {
  const checked = checkRequest(request);
  const { timeout = null, signal, onProgress } = options;
  checkTimeout(timeout);
  if (signal?.aborted) throw aborted();
  const token = randomBytes(TOKEN_BYTES).toString("hex");
  const { claimant, keepalive } = introduce(site, request, checked, token);
  const claim = newClaim(site, request, checked, claimant, timeout !== 0);
  const sources = [site.closing, ...(signal === undefined ? [] : [signal])];
  const deadline = new Deadline(timeout, AbortSignal.any(sources));
  const world = site.world(checked.key, {
    patience: site.timing.startPatience,
    signal: deadline.signal,
    ...(onProgress === undefined
      ? {}
      : {
          onStanding: (standing, trouble) => onProgress(progressOf(standing, trouble, Date.now())),
        }),
  });
  let holding: Holding | null = null;
  try {
    const grant = await pursue(world, claim, keepalive);
    if (grant !== null) holding = hold(site, claim, checked, grant, token, keepalive);
    else if (deadline.signal.aborted && !deadline.timedOut) throw aborted();
    else throw notAcquired(checked.key, timeout ?? 0, whyNot(world.standing, site.url, Date.now()));
    return holding;
  } finally {
    deadline.clear();
    if (holding === null) {
      if (claim.isStranded) site.awaited(leaveLater(site, claim));
      await keepalive?.stop();
    }
  }
}

async function pursue(
  world: RegisterWorld,
  claim: Claim,
  keepalive: Keepalive | null,
): Promise<Grant | null> {
  try {
    if (keepalive !== null) {
      world.phase("starting");
      // Before anything is written: who is named in a document must be seen to live.
      await world.call(({ signal }) => keepalive.light(signal));
      keepalive.start();
    }
    return await perform(world, claimSteps(claim));
  } catch (error) {
    if (error instanceof Cancelled) return null;
    throw error;
  }
}

/** The register was away when the claim ended: its place in line is in the way of others. */
function leaveLater(site: Site, claim: Claim): Promise<void> {
  return site.run(claim.key, site.timing.releasePatience, leaveSteps(claim));
}

function introduce(site: Site, request: DocumentRequest, checked: CheckedRequest, token: string) {
  const id = randomBytes(ID_BYTES).toString("hex");
  const { beacons } = site.register;
  const given = request.life ?? site.life;
  // A beacon says more than a job does: that this very claim is still pursued.
  const isBeacon = beacons !== undefined && (given === undefined || given.kind === "job");
  const life: Life = isBeacon ? { kind: "beacon", id } : (given ?? { kind: "heartbeat" });
  const asked = silenceOf(request, checked);
  const deadAfter = Math.max(asked.deadAfter, leastSilence(site, life));
  if (asked.isAsked && deadAfter > asked.deadAfter) {
    const [less, more] = [asked.deadAfter, deadAfter].map(formatDuration);
    site.tell(`dead-after ${less} is raised to ${more}: the store ${site.url} keeps no less.`);
  }
  const claimant: Claimant = {
    id,
    owner: checked.owner.id,
    digest: digestOf(token),
    ttl: checked.ttl,
    deadAfter,
    note: checked.note,
    metadata: checked.owner.metadata,
    life,
    ...(request.run === undefined ? {} : { run: request.run }),
  };
  const keepalive = isBeacon ? new Keepalive(beacons, id, deadAfter, site.closed) : null;
  return { claimant, keepalive };
}

/** The one place that knows under which name a request carries it. */
function silenceOf(request: ClaimRequest, { lease }: CheckedRequest) {
  return { deadAfter: lease, isAsked: request.lease !== undefined };
}

/** What the register can keep: less is raised. */
function leastSilence({ register, timing }: Site, life: Life): number {
  if (life.kind === "beacon") return register.beacons?.minimum ?? 0;
  return life.kind === "heartbeat" && !register.traits.push ? timing.heartbeatDeadAfter : 0;
}

function newClaim(
  site: Site,
  request: DocumentRequest,
  { key, slots, reclaim }: CheckedRequest,
  claimant: Claimant,
  mayWait: boolean,
): Claim {
  return {
    key,
    claimant,
    slots,
    allowed: reclaim,
    newest: request.line === "newest",
    mayWait,
    pushes: site.register.traits.push,
    timing: site.timing,
    started: site.clock.monotonic(),
    sightings: new Sightings(),
    tries: new Tries(),
    isStranded: false,
  };
}

function hold(
  site: Site,
  claim: Claim,
  { key, ttl, refresh }: CheckedRequest,
  grant: Grant,
  token: string,
  keepalive: Keepalive | null,
): Holding {
  const { fence, slot, since } = grant.holder;
  const monotonic = site.clock.monotonic();
  const lease: Lease = {
    key,
    store: site.url,
    owner: claim.claimant.owner,
    fence,
    slot,
    since,
    ttl: Math.ceil(ttl / 1_000),
    waited: Math.max(0, Math.round(monotonic - claim.started)),
    token,
  };
  // The others may count its ttl from earlier than this process saw the grant. Not so early that
  // there would be no time left to renew it.
  const ago = Math.min(monotonic - grant.notBefore, ttl / 2);
  // What is shared lives as its first claim's life says, not as this claim's beacon.
  const isShared = grant.holder.id !== claim.claimant.id;
  if (isShared) void keepalive?.stop();
  return new DocumentHolding(lease, grant, performance.now() - ago, {
    register: site.register,
    timing: site.timing,
    run: (name, patience, steps) => site.run(name, patience, steps),
    keepalive: isShared ? null : keepalive,
    refresh,
    closed: site.closed,
  });
}

export function digestOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
