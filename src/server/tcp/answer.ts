import { joinIntroductions, parseIntroduction } from "../../wire/introduction.ts";
import {
  acquiredLine,
  type ErrorWord,
  errorLine,
  grantedLine,
  OK_LINE,
  QUEUED_LINE,
  renewedLine,
  statsLine,
} from "../../wire/reply.ts";
import type { Request } from "../../wire/request.ts";
import { askedKey } from "../../wire/stats.ts";
import type { Claim, Party } from "../table/claim.ts";
import type { Refusal } from "../table/types.ts";
import type { Door } from "./context.ts";
import { describeKey, describeServer, describeTable } from "./stats.ts";

/** The word for each refusal. Only words of the spec: one of the real clients throws at any other. */
const WORDS: Record<Refusal, ErrorWord> = {
  "max-locks": "error_max_locks",
  "max-waiters": "error_max_waiters",
  "limit-mismatch": "error_limit_mismatch",
  "resources-mismatch": "error_limit_mismatch",
  "already-enqueued": "error",
  "not-enqueued": "error",
  "not-held": "error",
  closing: "error",
};

/** Answers a request: with its reply, or with the claim that it has to wait for. */
export function answer(request: Request, party: Party, door: Door): string | Claim {
  const { table } = door;
  switch (request.command) {
    case "l":
    case "sl": {
      const claim = table.claim(party, request.key, request.limit, leaseOf(request, door));
      return typeof claim === "string" ? refuse(claim) : grantOrWait(claim);
    }
    case "r":
    case "sr": {
      const claim = table.release(request.key, request.token);
      return typeof claim === "string" ? refuse(claim) : OK_LINE;
    }
    case "n":
    case "sn": {
      const claim = table.renew(party, request.key, request.token, leaseOf(request, door));
      return typeof claim === "string" ? refuse(claim) : renewedLine(claim.lease / 1_000);
    }
    case "e":
    case "se": {
      const claim = table.enqueue(party, request.key, request.limit, leaseOf(request, door));
      if (typeof claim === "string") return refuse(claim);
      return claim.state === "held" ? acquiredLine(claim.token, claim.lease / 1_000) : QUEUED_LINE;
    }
    case "w":
    case "sw": {
      const claim = table.attend(party, request.key);
      return typeof claim === "string" ? refuse(claim) : grantOrWait(claim);
    }
    case "stats":
      return statsLine(describe(request, party, door));
    case "auth":
      return authenticateAgain(request, door);
  }
}

function grantOrWait(claim: Claim): string | Claim {
  return claim.state === "held" ? grantedLine(claim.token, claim.lease / 1_000) : claim;
}

/** The lease in milliseconds. A request without one gets the server's own, also to renew, as dflockd does. */
function leaseOf(request: Request, door: Door): number {
  return request.lease === 0 ? door.defaultLease : request.lease * 1_000;
}

function refuse(refusal: Refusal): string {
  return errorLine(WORDS[refusal]);
}

function describe(request: Request, party: Party, door: Door): string {
  const introduction = parseIntroduction(request);
  if (introduction !== null) {
    party.introduction = joinIntroductions(party.introduction, introduction);
    return describeServer(door.stats, party.id);
  }
  const asked = askedKey(request);
  return asked === null ? describeTable(door.stats) : describeKey(door.stats, asked);
}

/** Answers a second `auth`. On a server without a secret it has no use: an error, and no violation. */
function authenticateAgain(request: Request, { secret }: Door): string {
  if (secret === null) return errorLine("error");
  return secret.matches(request.token) ? OK_LINE : errorLine("error_auth");
}
