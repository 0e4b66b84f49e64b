import type { Claim } from "../../table/claim.ts";
import type { DoorState } from "../context.ts";
import type { Exchange, Reply, Rights } from "../exchange.ts";
import { settle } from "../settle.ts";
import { readSeenFence } from "./query.ts";
import { notHeld, notOfRun, refreshed, released, withLeft } from "./replies.ts";
import { GAP_MS } from "./wait.ts";

/** Carries the token of a run's hold, which is no part of an address, since addresses are logged. */
export const TOKEN_HEADER = "holdfast-token";

/** Tells a run whether it still holds the lock. It does not last longer by that. */
export function refreshRun(
  exchange: Exchange,
  key: string,
  run: string,
  state: DoorState,
  rights: Rights | null,
): Reply | Promise<Reply> {
  const held = state.table.holdOfRun(key, run);
  if (held !== null) {
    return settle(state, withLeft(refreshed(exchange, held), held, state.clock.monotonic()));
  }
  // Also where the policy has changed meanwhile, a job hears that its lock is lost.
  if (rights?.knows(exchange.path) === false) return notHeld(exchange, "refreshed", null);
  const fence = readSeenFence(exchange);
  const past = state.history.of(key).find((hold) => hold.fence === fence);
  if (past?.reason === undefined) return notOfRun(exchange, "refreshed", state.table.find(key));
  const broken = { reason: past.reason, by: past.by ?? null, fence: past.fence ?? 0 };
  return notHeld(exchange, "refreshed", broken);
}

/** Releases what a run holds, by its id or by the token of its hold, whichever session asks. */
export function releaseRun(
  exchange: Exchange,
  key: string,
  run: string | null,
  state: DoorState,
  rights: Rights | null,
): Reply | Promise<Reply> {
  const { table } = state;
  const held = run === null ? holdByToken(exchange, key, state) : table.holdOfRun(key, run);
  if (held === null) {
    if (rights?.knows(exchange.path) === false) rights.demand("look", exchange.path);
    return notOfRun(exchange, "released", table.find(key));
  }
  table.release(key, held.token);
  return settle(state, released(exchange, held));
}

/** The request has no session, only the token of a run's hold: a job's ID token opens no second one. */
export function isByToken({ request: { headers } }: Exchange): boolean {
  const { authorization, cookie } = headers;
  return headers[TOKEN_HEADER] !== undefined && authorization === undefined && cookie === undefined;
}

/** Releases what a run holds, or tells whether it does, to whoever has the token of the hold. */
export function serveByToken(
  exchange: Exchange,
  key: string,
  word: "release" | "refresh",
  state: DoorState,
): Reply | Promise<Reply> {
  const held = holdByToken(exchange, key, state);
  if (held === null) return notHeld(exchange, word === "release" ? "released" : "refreshed", null);
  state.prove(exchange.request.socket);
  if (word === "refresh") return settle(state, refreshed(exchange, held));
  state.table.release(key, held.token);
  return settle(state, released(exchange, held));
}

function holdByToken(exchange: Exchange, key: string, { table }: DoorState): Claim | null {
  const held = table.find(key)?.findHolder(exchange.header(TOKEN_HEADER) ?? "") ?? null;
  return held === null || held.run === null ? null : table.holdOfRun(key, held.run);
}

/**
 * Takes back a grant to a run whose client hung up before it heard of it, unless a job of the run
 * asks again in time. No session ends it, so it would stay until its ttl is over.
 */
export function doubtRun(claim: Claim, { table }: DoorState): void {
  if (claim.shared) return;
  const release = () => {
    if (claim.state === "held" && !claim.shared) table.release(claim.entry.key, claim.token);
  };
  setTimeout(release, GAP_MS).unref();
}
