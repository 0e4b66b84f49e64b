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
import type { GatedRun } from "../http/context.ts";
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
      const claim = claimFor(request, party, door, "claim");
      return typeof claim === "string" ? refuse(claim) : grantOrWait(claim, request, door);
    }
    case "r":
    case "sr": {
      // A job that shares the hold of its run has nothing of its own: the gate releases it in the end.
      if (isOfRun(request, party, door)) return OK_LINE;
      const claim = table.release(request.key, request.token);
      return typeof claim === "string" ? refuse(claim) : OK_LINE;
    }
    case "n":
    case "sn": {
      const claim = table.renew(party, request.key, request.token, leaseOf(request, door));
      return typeof claim === "string" ? refuse(claim) : renewedLine(told(claim, request, door));
    }
    case "e":
    case "se": {
      const claim = claimFor(request, party, door, "enqueue");
      if (typeof claim === "string") return refuse(claim);
      const isHeld = claim.state === "held";
      return isHeld ? acquiredLine(claim.token, told(claim, request, door)) : QUEUED_LINE;
    }
    case "w":
    case "sw": {
      const claim = table.attend(party, request.key);
      return typeof claim === "string" ? refuse(claim) : grantOrWait(claim, request, door);
    }
    case "stats":
      return statsLine(describe(request, party, door));
    case "auth":
      return authenticateAgain(request, door);
  }
}

function grantOrWait(claim: Claim, request: Request, door: Door): string | Claim {
  return claim.state === "held" ? grantedLine(claim.token, told(claim, request, door)) : claim;
}

/** Claims as one of the party's run, where that waits at the gate or was let in there. */
function claimFor(
  request: Request,
  party: Party,
  door: Door,
  how: "claim" | "enqueue",
): Claim | Refusal {
  const { key, limit } = request;
  const run = runOf(request, party, door);
  if (run === null) return door.table[how](party, key, limit, leaseOf(request, door));
  const claim = door.table[how](party, key, limit, run.ttl, { run: run.id });
  if (typeof claim !== "string" && claim.state === "waiting") door.gate?.lend(claim);
  return claim;
}

function runOf({ key }: Request, { introduction }: Party, { gate }: Door): GatedRun | null {
  return gate?.runOf({ identity: null, introduction }, key) ?? null;
}

function isOfRun(request: Request, party: Party, door: Door): boolean {
  const run = runOf(request, party, door);
  if (run === null) return false;
  return door.table.holdOfRun(request.key, run.id)?.token === request.token;
}

/** The seconds that a client may count on. No renewal makes a run's hold last longer. */
function told(claim: Claim, request: Request, door: Door): number {
  if (claim.run === null) return claim.lease / 1_000;
  const left = claim.expires - door.clock.monotonic();
  return Math.max(1, Math.floor(Math.min(left, leaseOf(request, door)) / 1_000));
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
