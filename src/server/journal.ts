import { decodeWireKey } from "../wire/key.ts";
import type { LogFields, Logger, LogLevel } from "./log.ts";
import type { Claim, EndReason } from "./table/claim.ts";
import type { Observer } from "./table/types.ts";

const EVENTS: Record<EndReason, string> = {
  released: "released",
  withdrawn: "left the line",
  hangup: "connection closed, lock released",
  expired: "lease expired",
  broken: "lock broken",
  shutdown: "refused, since the server stops",
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
    ended(claim, reason, wasHeld) {
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
    fence: claim.fence,
    slot: entry.limit > 1 ? claim.slot : undefined,
    waiting: entry.waiters.size,
  };
}
