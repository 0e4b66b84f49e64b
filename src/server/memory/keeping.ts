import type { Freeze } from "../../lock/status.ts";
import type { Clock } from "../../lock/time.ts";
import type { Storage, StoredLease, StoredPlace } from "../storage/types.ts";
import type { Claim } from "../table/claim.ts";
import type { Observer } from "../table/types.ts";
import { type History, holdOf } from "./history.ts";

/**
 * How long what needs not be safe at once is gathered: fences of nameless clients, which may grow a
 * hundred thousand times a second, and who joined and left the lines. A claim whose joining is lost
 * in a crash only loses its place.
 */
const GATHER_MS = 50;

export interface Keeping extends Observer {
  /**
   * From now on a connection that closes was closed by the server's own end: its lease stays on
   * record, so that a planned restart keeps it as a crash does.
   */
  retain(): void;
  /** Gives the storage what is still waiting to be written. */
  flush(): void;
}

/**
 * Writes what happens in the table to the storage and to history. Only the leases and places in line
 * of deployments are kept: connections that introduced themselves, and sessions. Of other connections
 * the fence is kept.
 */
export function createKeeping(
  storage: Pick<Storage, "record" | "found">,
  history: History,
  clock: Clock,
): Keeping {
  let fences = new Map<string, number>();
  /** Who joined a line, left one or came back to one, since that was last written. */
  const joining = new Set<Claim>();
  /** Who stands otherwise in a line than was written. */
  const changed = new Set<Claim>();
  let left: number[] = [];
  let back: number[] = [];
  let lastPlace = storage.found.line.at(-1)?.place ?? 0;
  let timer: NodeJS.Timeout | null = null;
  let retaining = false;

  function flush(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    writeLine();
    if (fences.size === 0) return;
    storage.record({ kind: "fences", fences });
    fences = new Map();
  }

  function gather(): void {
    timer ??= setTimeout(flush, GATHER_MS);
  }

  /** Is called with each change that is written anyway: so lines cost the disk no work of their own. */
  function writeLine(): void {
    if (joining.size + changed.size + left.length + back.length === 0) return;
    const joined = Array.from(joining, (claim) => {
      lastPlace += 1;
      claim.place = lastPlace;
      return storedPlace(claim, clock);
    });
    const otherwise = Array.from(changed, ({ place, passed, declared }) => ({
      place,
      passed,
      ready: declared,
    }));
    storage.record({ kind: "line", joined, changed: otherwise, left, back });
    joining.clear();
    changed.clear();
    left = [];
    back = [];
  }

  function leave(claim: Claim): void {
    if (joining.delete(claim) || claim.place === 0) return;
    changed.delete(claim);
    left.push(claim.place);
    claim.place = 0;
    gather();
  }

  function keep(claim: Claim): void {
    claim.kept = claim.lease;
    writeLine();
    storage.record({ kind: "granted", lease: storedLease(claim) });
  }

  function remember(
    key: string,
    freeze: Freeze,
    endedBy: string | null,
    slot: number | null,
  ): void {
    const only = slot === null ? {} : { slot };
    const past = { ...freeze, ...only, ended: new Date(clock.now()).toISOString(), endedBy };
    history.addFreeze(key, past);
    storage.record({ kind: "freeze-ended", key, freeze: past });
  }

  return {
    frozen(key, freeze, replaced, only) {
      if (replaced !== null) remember(key, replaced, freeze.by, only?.slot ?? null);
      storage.record({ kind: "frozen", key, freeze, only });
    },
    renumbered({ key, limit, resources, frozenSlots }, before) {
      for (const slot of before) storage.record({ kind: "thawed", key, slot });
      for (const [slot, freeze] of frozenSlots)
        storage.record({ kind: "frozen", key, freeze, only: { slot, limit, resources } });
    },
    thawed(key, freeze, by, slot) {
      storage.record({ kind: "thawed", key, slot });
      remember(key, freeze, by, slot);
    },
    joined(claim) {
      if (!claim.party.canReturn) return;
      joining.add(claim);
      gather();
    },
    changed(claim) {
      // One that is still to be written will be written as it is then.
      if (claim.place === 0) return;
      changed.add(claim);
      gather();
    },
    returned(claim) {
      back.push(claim.place);
      gather();
    },
    granted(claim) {
      leave(claim);
      if (claim.party.isKept) {
        keep(claim);
        return;
      }
      // The lock of a single write: its fence is never shown, and must not be higher than one that is.
      if (claim.party.session !== null) return;
      fences.set(claim.entry.key, claim.fence);
      gather();
    },
    renewed(claim) {
      if (!claim.party.isKept) return;
      if (claim.kept === 0) {
        keep(claim);
        return;
      }
      // A keeper's lease starts anew with the server; that of a session ends when its client was told.
      if (claim.party.session === null && claim.kept === claim.lease) return;
      claim.kept = claim.lease;
      const { fence, lease, entry } = claim;
      const expiresAt = claim.renewed + lease;
      storage.record({ kind: "renewed", key: entry.key, fence, lease, expiresAt });
    },
    ended(claim, reason, wasHeld) {
      // A claim that a planned stop sends away comes back to its place, as after a crash.
      if (!wasHeld && reason !== "shutdown") leave(claim);
      if (!wasHeld || claim.kept === 0 || (retaining && reason === "hangup")) return;
      const { key } = claim.entry;
      const hold = holdOf(claim, reason, clock.now());
      history.add(key, hold);
      storage.record({ kind: "ended", key, fence: claim.fence, hold });
    },
    retain() {
      retaining = true;
    },
    flush,
  };
}

function storedLease(claim: Claim): StoredLease {
  const { entry, party, slots, fence, token, since, renewed, waited, lease, run, newest } = claim;
  return {
    key: entry.key,
    limit: entry.limit,
    resources: entry.resources,
    slots,
    fence,
    token,
    since,
    waited,
    lease,
    // As clients are told it.
    expiresAt: renewed + lease,
    session: party.session,
    introduction: party.introduction,
    run,
    newest,
  };
}

function storedPlace(claim: Claim, clock: Clock): StoredPlace {
  const { entry, party, place, lease, since, origin, run, newest } = claim;
  return {
    place,
    key: entry.key,
    limit: entry.limit,
    resources: entry.resources,
    weight: claim.weight,
    priority: claim.priority,
    passed: claim.passed,
    ready: claim.declared,
    lease,
    since,
    asked: Math.round(clock.now() - (clock.monotonic() - origin)),
    session: party.session,
    introduction: party.session === null ? party.introduction : null,
    run,
    newest,
    missed: 0,
  };
}
