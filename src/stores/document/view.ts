import { frozenInLine } from "../../forecast/words.ts";
import type { LockError } from "../../lock/errors.ts";
import { nameOf } from "../../lock/people/who.ts";
import type { ReclaimReason, Vitality } from "../../lock/reclaim.ts";
import { resourcesOf } from "../../lock/resources.ts";
import {
  type Holder,
  type KeyStatus,
  oneSlot,
  PLAIN_KEY,
  type SlotFreeze,
  type Waiter,
} from "../../lock/status.ts";
import type { Progress } from "../../lock/store.ts";
import { claimsAhead, describeHolders } from "../sentences.ts";
import {
  freeSlots,
  freezeAt,
  frozenSlotsAt,
  type HolderEntry,
  type Instant,
  type KeyDocument,
  slotsOf,
  type WaiterEntry,
} from "./document.ts";
import { inOrder, isReady } from "./operations/line.ts";
import type { Judgement } from "./protocol/judge.ts";
import type { Standing } from "./protocol/world.ts";

const RECLAIMABLE: Partial<Record<Vitality, ReclaimReason>> = {
  dead: "HOLDER_DEAD",
  expired: "LOCK_EXPIRED",
};

/** A document as `status` shows it. Claims in line that are known to be dead are left out. */
export function statusOf(document: KeyDocument, store: string, judged: Judgement): KeyStatus {
  const { key, slots, resources = null, holders, line } = document;
  const { alive, vitality } = judged;
  const waiters = inOrder(line.filter((entry) => alive(entry) !== false)).map((entry, index) =>
    waiterOf(entry, index + 1, alive(entry)),
  );
  return {
    key,
    store,
    slots,
    resources,
    holders: holders.map((entry) => holderOf(entry, resources, alive(entry), vitality(entry))),
    waiting: waiters.length,
    waiters,
    frozen: freezeAt(document, judged),
    frozenSlots: frozenSlotsAt(document, judged),
  };
}

/** `resources`: the names of the key's slots, where they have any. */
export function holderOf(
  entry: HolderEntry,
  resources: readonly string[] | null | undefined,
  alive: boolean | null,
  vitality: Vitality,
): Holder {
  const { owner, since, ttl, fence, slot, note, metadata, renewed } = entry;
  const slots = slotsOf(entry);
  return {
    owner,
    since,
    ttl: Math.ceil(ttl / 1_000),
    fence,
    slot,
    weight: slots.length,
    slots,
    resources: resourcesOf(resources ?? null, slots),
    pid: typeof metadata.process_id === "number" ? metadata.process_id : null,
    host: typeof metadata.hostname === "string" ? metadata.hostname : null,
    alive: vitality === "dead" ? false : alive,
    reclaimable: RECLAIMABLE[vitality] ?? null,
    note,
    metadata,
    heartbeat: renewed,
    ...runOf(entry),
  };
}

function runOf({ run, ends, since, ttl }: HolderEntry): Pick<Holder, "run"> {
  if (run === undefined) return {};
  return { run: { id: run, until: ends ?? new Date(Date.parse(since) + ttl).toISOString() } };
}

export function waiterOf(entry: WaiterEntry, position: number, alive: boolean | null): Waiter {
  const { owner, joined: since, weight = 1, priority = 0, note, metadata } = entry;
  const ready = isReady(entry);
  return { owner, since, position, weight, priority, ready, alive, note, metadata };
}

/** Shown where a document cannot be read: held, by nobody knows whom. */
export function unreadableStatus(key: string, store: string, error: LockError): KeyStatus {
  const { code, message } = error;
  const holder: Holder = {
    owner: "unknown",
    since: null,
    ttl: null,
    fence: null,
    ...oneSlot(0),
    pid: null,
    host: null,
    alive: null,
    reclaimable: null,
    note: null,
    metadata: {},
    heartbeat: null,
    problem: message,
  };
  const nobody = { ...PLAIN_KEY, waiting: 0, waiters: [], frozen: null };
  return { key, store, error: { code, message }, slots: 1, holders: [holder], ...nobody };
}

/** How a waiting claim stands, for its caller. */
export function progressOf(standing: Standing, said: string | null, now: Instant): Progress {
  const { document, place, ahead, alive } = standing;
  return {
    position: place + 1,
    waiting: document.line.filter((entry) => alive(entry) !== false).length,
    holders: shownHolders(standing),
    ahead: ahead.map((entry) => {
      const { owner, metadata, weight = 1 } = entry;
      return { owner, metadata, weight, ready: isReady(entry) };
    }),
    frozen: freezeAt(document, now),
    frozenSlots: frozenNow(document, now),
    ...(said === null ? {} : { trouble: said }),
  };
}

/** Those of its slots that are frozen by themselves. */
function frozenNow(document: KeyDocument, now: Instant): SlotFreeze[] {
  return frozenSlotsAt(document, now).filter(({ slot }) => slot < document.slots);
}

function shownHolders({ document, alive }: Standing): Holder[] {
  return document.holders.map((entry) => {
    const known = alive(entry);
    const vitality = known === null ? "unknown" : known ? "alive" : "dead";
    return holderOf(entry, document.resources, known, vitality);
  });
}

/** Why a claim that should wait no longer got nothing. `trouble`: what the store said last. */
export function whyNot(
  { standing, trouble }: { standing: Standing | null; trouble: string | null },
  url: string,
  now: Instant,
): string {
  if (standing === null) return trouble ?? `the store ${url} did not answer in that time`;
  const frozen = freezeAt(standing.document, now);
  if (frozen !== null) return frozenInLine(frozen);
  const holders = shownHolders(standing);
  const frozenSlots = frozenNow(standing.document, now);
  if (holders.length + frozenSlots.length > 0 && freeSlots(standing.document) < standing.weight)
    return describeHolders({ holders, waiting: standing.place, frozenSlots }, now.now);
  return standing.place === 0 ? "it was held until a moment ago" : claimsAhead(standing.place);
}

/** Why a hold is no longer there, in words: who took it, or who has it now. */
export function lossOf(document: KeyDocument, fence: number): string {
  const taken = document.taken.find((each) => each.fence === fence);
  if (taken?.how === "break") return `it was broken by ${taken.by} (${taken.reason})`;
  if (taken !== undefined) return `it was taken over by ${taken.by}, ${taken.reason}`;
  const [now] = document.holders;
  return now === undefined ? "it is gone from its document" : `it is now held by ${nameOf(now)}`;
}
