import { resourcesOf } from "../lock/resources.ts";
import { decodeWireKey } from "../wire/key.ts";
import type { LogFields, Logger, LogLevel } from "./log.ts";
import type { Claim } from "./table/claim.ts";
import type { EndReason } from "./table/ends.ts";
import type { Observer } from "./table/types.ts";

const EVENTS: Record<EndReason, string> = {
  released: "released",
  withdrawn: "left the line",
  hangup: "connection closed, lock released",
  expired: "lease expired",
  broken: "lock broken",
  shutdown: "refused, since the server stops",
  superseded: "superseded by a newer claim",
  shared: "shares the lock of its run",
};

/**
 * Writes to the log what an operator wants to read about locks. Clients that introduced themselves are
 * deployments, few and of interest; nameless ones may claim a thousand times a second, and are for
 * debugging.
 */
export function createJournal(log: Logger): Observer {
  const quietAboutNameless = !log.enabled("debug");
  return {
    granted(claim) {
      if (quietAboutNameless && claim.party.introduction === null) return;
      log.write(usualLevel(claim), "granted", fieldsOf(claim));
    },
    frozen(key, { by, reason, until }, _, only) {
      const slot = only?.slot;
      log.write("warn", "frozen", { key: decodeWireKey(key), slot, by, reason, until });
    },
    thawed(key, { by: frozenBy, reason }, by, only) {
      const slot = only ?? undefined;
      const event = by === null ? "freeze is over" : "thawed";
      log.write("warn", event, { key: decodeWireKey(key), slot, by, frozen_by: frozenBy, reason });
    },
    ended(claim, reason, wasHeld) {
      if (reason === "superseded") {
        log.write(usualLevel(claim), EVENTS[reason], { ...fieldsOf(claim), by: claim.newer?.by });
      }
      if (!wasHeld && reason === "expired") {
        log.write(
          "info",
          "did not come back after the restart, its place is gone",
          fieldsOf(claim),
        );
      }
      if (!wasHeld) return;
      const forced = reason === "expired" || reason === "broken";
      if (!forced && quietAboutNameless && claim.party.introduction === null) return;
      log.write(forced ? "warn" : usualLevel(claim), EVENTS[reason], fieldsOf(claim));
    },
  };
}

function usualLevel(claim: Claim): LogLevel {
  return claim.party.introduction === null ? "debug" : "info";
}

function fieldsOf(claim: Claim): LogFields {
  const { entry, party } = claim;
  return {
    key: decodeWireKey(entry.key),
    owner: party.introduction?.owner.id,
    connection: party.id,
    fence: claim.fence === 0 ? undefined : claim.fence,
    run: claim.run,
    slot: entry.limit > 1 ? claim.slots.join(",") : undefined,
    resources: resourcesOf(entry.resources, claim.slots)?.join(","),
    waiting: entry.waiters.size,
  };
}
