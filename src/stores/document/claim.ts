import { type CheckedRequest, checkRequest, checkTimeout } from "../../lock/request.ts";
import { resourcesOf } from "../../lock/resources.ts";
import type { ClaimOptions, ClaimRequest, Holding, Lease, Run } from "../../lock/store.ts";
import { sha256 } from "../../lock/text.ts";
import { Term } from "../../lock/time.ts";
import { randomHex } from "../../machine/random.ts";
import { live } from "../lifecycle.ts";
import { EXPLAIN_MS } from "../remote/claim.ts";
import { aborted, deadAfterRaised, neverAnswered, notAcquired } from "../sentences.ts";
import { perform } from "../steps.ts";
import { type Claimant, slotsOf } from "./document.ts";
import { giveUpAfter } from "./holding/clock.ts";
import { DocumentHolding } from "./holding/holding.ts";
import { Keepalive } from "./holding/keepalive.ts";
import type { Life } from "./life.ts";
import { type Claim, claimSteps, type Grant, leaveSteps } from "./protocol/claim.ts";
import { byClaim, renewSteps } from "./protocol/hold.ts";
import { Observations } from "./protocol/observations.ts";
import { Cancelled, Tries } from "./protocol/swap.ts";
import type { RegisterWorld } from "./register-world.ts";
import type { Site } from "./site.ts";
import { progressOf, whyNot } from "./view.ts";

/** A claim at a document store can also say what its life hangs on. */
export interface DocumentRequest extends ClaimRequest {
  /** Default: the store's, else a session, else a heartbeat. */
  readonly life?: Life;
}

const ID_BYTES = 8;
const TOKEN_BYTES = 16;

/** Claims a key: begins a session, takes its turn, and gives back what is held. */
export async function claimKey(
  site: Site,
  request: DocumentRequest,
  options: ClaimOptions,
): Promise<Holding> {
  const checked = checkRequest(request);
  const { timeout, signal, onProgress } = options;
  checkTimeout(timeout);
  if (signal?.aborted) throw aborted();
  const token = randomHex(TOKEN_BYTES);
  const { claimant, keepalive } = introduce(site, request, checked, token);
  const term = new Term(options, site.closing, signal);
  const claim = newClaim(site, checked, claimant, term);
  const world = site.world(checked.key, {
    patience: site.timing.startPatience,
    signal: term.signal,
    ready: term.isReady ? undefined : term.ready,
    session: keepalive?.session,
    ...(onProgress === undefined
      ? {}
      : {
          onStanding: (standing, trouble) => onProgress(progressOf(standing, trouble, world.now())),
        }),
  });
  // A claim that takes the lock now or not at all waits for a silent store only as long as at its start.
  term.ready?.addEventListener("abort", () => {
    if (!term.mayWait) world.phase("starting");
  });
  return live(term, {
    stand: () => pursue(site, world, claim, keepalive),
    hold: (grant) => hold(site, claim, checked, grant, token, keepalive),
    async end(isHeld) {
      if (isHeld) return;
      if (claim.isStranded) site.finishBeforeClose(leaveLater(site, claim));
      // If the store never answered, the session is in nobody's way. If it has fallen silent, waiting for it
      // again is in vain.
      if (world.hasAnswered && !claim.isStranded) await keepalive?.stop(site.timing.leavePatience);
      else keepalive?.leave();
    },
    async whyNot(limit) {
      const { key } = checked;
      const answers = world.hasAnswered || (await answersAfter(site, key, limit));
      if (answers) return notAcquired(key, limit, whyNot(world, site.url, world.now()));
      return neverAnswered(limit, world.trouble ?? `The store ${site.url} did not answer`);
    },
  });
}

async function pursue(
  site: Site,
  world: RegisterWorld,
  claim: Claim,
  keepalive: Keepalive | null,
): Promise<Grant | null> {
  try {
    if (keepalive !== null) {
      world.phase("starting");
      // A claim that is named in a document must be seen to live. What is read meanwhile names nobody.
      const begun = world.call(({ signal }) => keepalive.begin(signal));
      world.writesAfter(begun.then(() => keepalive.start()));
    }
    for (;;) {
      const grant = await perform(world, claimSteps(claim));
      const isOwn = grant?.holder.id === claim.claimant.id;
      if (!isOwn || keepalive === null) return grant;
      if (await isProved(site, world, claim, keepalive)) return grant;
    }
  } catch (error) {
    if (error instanceof Cancelled) return null;
    throw error;
  }
}

/**
 * Proves that a grant still stands. A claim that was stopped while it waited may have been granted its lock long
 * ago, and its session may have been dead since. Another claim that saw that has a swap under way which takes
 * the lock; a swap of this claim that comes first ends it. False: this claim came too late, and joins the line
 * again.
 */
async function isProved(
  site: Site,
  world: RegisterWorld,
  { key, claimant }: Claim,
  keepalive: Keepalive,
): Promise<boolean> {
  // The answer of a swap may also be late: the session may then have been dead once more.
  while (keepalive.isDoubtful) {
    await world.call(({ signal }) => keepalive.renew(signal));
    const { doubt } = keepalive;
    const steps = renewSteps(key, byClaim(claimant.id), false);
    const document = await site.run(key, site.timing.startPatience, steps);
    keepalive.proved(doubt);
    if (document === null) return false;
  }
  return true;
}

/**
 * Whether the store answers a look at all. A claim's time may be shorter than a slow server takes to answer, so
 * a server counts as away only if it is silent for as long as a look would wait.
 */
function answersAfter(site: Site, key: string, waited: number): Promise<boolean> {
  const patience = Math.max(EXPLAIN_MS, site.timing.lookPatience - waited);
  return site
    .world(key, { patience, isLook: true })
    .read(false)
    .then(
      () => true,
      () => false,
    );
}

/** Leaves the line later: the register was away when the claim ended, and its place is in the way of others. */
function leaveLater(site: Site, claim: Claim): Promise<void> {
  const { closing: signal, timing } = site;
  return site.run(claim.key, timing.releasePatience, leaveSteps(claim), { signal });
}

function introduce(site: Site, request: DocumentRequest, checked: CheckedRequest, token: string) {
  const id = randomHex(ID_BYTES);
  const { signs } = site.register.traits;
  const given = checked.run === null ? (request.life ?? site.life) : lifeOf(checked.run);
  // A session says more than a job does: that this very claim is still waiting or holding.
  const hasSession = signs !== undefined && (given === undefined || given.kind === "job");
  const life: Life = hasSession ? { kind: "session", id } : (given ?? { kind: "heartbeat" });
  const deadAfter = Math.max(checked.deadAfter, leastSilence(site, life));
  if (request.deadAfter !== undefined && deadAfter > checked.deadAfter) {
    const { url } = site;
    site.tell(deadAfterRaised({ url, leastDeadAfter: deadAfter }, checked.deadAfter) ?? "");
  }
  const claimant: Claimant = {
    id,
    owner: checked.owner.id,
    digest: sha256(token),
    ttl: checked.ttl,
    deadAfter,
    note: checked.note,
    metadata: checked.owner.metadata,
    life,
    ...(checked.run === null ? {} : { run: checked.run.id }),
  };
  const outage = signs?.outage ?? 0;
  const pace = { deadAfter, giveUpAfter: giveUpAfter(deadAfter, checked.grace, outage), outage };
  const session = site.register.session(id, deadAfter);
  const keepalive = hasSession ? new Keepalive(session, pace, site.closed) : null;
  return { claimant, keepalive };
}

/** A run lives as its forge says; if the forge cannot be asked, until its ttl is over. */
function lifeOf({ forge }: Run): Life {
  return forge === null ? { kind: "until", at: null } : { kind: "run", ...forge };
}

/** The shortest silence that the register can keep: a shorter one is raised to it. */
function leastSilence({ register, timing }: Site, life: Life): number {
  if (life.kind === "session") return register.traits.signs?.leastDeadAfter ?? 0;
  return life.kind === "heartbeat" && !register.traits.push ? timing.heartbeatDeadAfter : 0;
}

function newClaim(
  site: Site,
  { key, slots, weight, priority, resources, reclaim, line }: CheckedRequest,
  claimant: Claimant,
  term: Term,
): Claim {
  return {
    key,
    claimant,
    slots,
    resources,
    rank: { ...(weight === 1 ? {} : { weight }), ...(priority === 0 ? {} : { priority }) },
    allowed: reclaim,
    newest: line === "newest",
    isReady: term.isReady,
    get mayWait() {
      return term.mayWait;
    },
    pushes: site.register.traits.push,
    timing: site.timing,
    started: site.clock.monotonic(),
    observations: new Observations(),
    tries: new Tries(),
    isStranded: false,
  };
}

function hold(
  site: Site,
  claim: Claim,
  { key, refresh, grace }: CheckedRequest,
  grant: Grant,
  token: string,
  keepalive: Keepalive | null,
): Holding {
  const { fence, slot, since, ttl } = grant.holder;
  const slots = slotsOf(grant.holder);
  const monotonic = site.clock.monotonic();
  const lease: Lease = {
    key,
    store: site.url,
    owner: claim.claimant.owner,
    fence,
    slot,
    slots,
    resources: resourcesOf(grant.seen.document.resources ?? null, slots),
    since,
    ttl: Math.ceil(ttl / 1_000),
    waited: Math.max(0, Math.round(monotonic - claim.started)),
    token,
  };
  // The others may count its ttl from earlier than this process saw the grant. Half of the ttl is left to renew
  // it.
  const ago = Math.min(monotonic - grant.notBefore, ttl / 2);
  // A shared hold lives as its first claim's life says, not as this claim's session.
  const isShared = grant.holder.id !== claim.claimant.id;
  if (isShared && keepalive !== null)
    site.finishBeforeClose(keepalive.stop(site.timing.leavePatience));
  return new DocumentHolding(lease, grant, performance.now() - ago, {
    site,
    keepalive: isShared ? null : keepalive,
    refresh,
    grace,
  });
}
