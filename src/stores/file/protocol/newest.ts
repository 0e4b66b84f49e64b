import { join } from "node:path";
import { superseded } from "../../../lock/errors.ts";
import type { Owner } from "../../../lock/owner.ts";
import { type Place, SUPERSEDED_SUFFIX, TICKET_SUFFIX } from "../disk/place.ts";
import {
  arrivalOf,
  lineOf,
  parseSupersession,
  supersessionsIn,
  type Ticket,
  writeSupersession,
} from "../format/ticket.ts";
import { examineTicket, type Observations } from "./examine.ts";
import { type Steps, step } from "./world.ts";

/** A claim, as far as its line depends on it. */
export interface Contender {
  readonly place: Place;
  readonly owner: Owner;
  readonly observations: Observations;
  /** A newer claim of this kind ends it while it waits. */
  readonly newest: boolean;
  /** When it first joined the line, as the number of its ticket; null: it has not yet. */
  arrived: number | null;
}

/**
 * Ends the older claims in line that want to be the newest. Called under the guard, once this claim
 * has its own ticket, or the lock: a crash in between then ends nobody for a claim that came to nothing.
 * `names` are those in the side directory before.
 */
export function* supersedeOlder(claim: Contender, names: readonly string[]): Steps<void> {
  const { id: by, metadata } = claim.owner;
  const url = pageOf(metadata.run_url);
  for (const [name, { process }] of yield* newestIn(claim, names)) {
    const ticket = join(claim.place.side, name);
    const word = supersessionPath(ticket);
    // The word comes first: it counts once the ticket is gone, and is whole by then.
    yield* step("remove", word);
    yield* step("close", yield* step("create", word, writeSupersession({ by, url, process })));
    // A claim leaves the line without the guard: it may have gone meanwhile, and reads nothing.
    if (!(yield* step("remove", ticket))) yield* step("remove", word);
  }
  yield* pruneSupersessions(claim, names);
}

/**
 * Checks a claim that lost its place while it stood still, before it joins again or takes the lock: one
 * that came after it has ended it by that, though the two were not in line together.
 */
export function* checkNewer(claim: Contender, names: readonly string[]): Steps<void> {
  const { newest, arrived } = claim;
  if (!newest || arrived === null) return;
  for (const [name, ticket] of yield* newestIn(claim, names))
    if (arrivalOf(name, ticket) > arrived)
      throw superseded(claim.place.key, ticket.owner, pageOf(ticket.metadata.run_url));
}

/** Throws where this claim's ticket is gone because a newer claim ended it. Under the guard. */
export function* checkSuperseded(claim: Contender, ticket: string): Steps<void> {
  if (!claim.newest) return;
  const view = yield* step("read", supersessionPath(ticket));
  const found = view === null ? null : parseSupersession(view.content);
  if (found !== null) throw superseded(claim.place.key, found.by, found.url);
}

/** The file that tells the claim with that ticket that it was ended. */
export function supersessionPath(ticket: string): string {
  return ticket.slice(0, -TICKET_SUFFIX.length) + SUPERSEDED_SUFFIX;
}

/** The living claims in line with `newest`. */
function* newestIn(claim: Contender, names: readonly string[]): Steps<[string, Ticket][]> {
  const found: [string, Ticket][] = [];
  for (const name of lineOf(names)) {
    const examined = yield* examineTicket(join(claim.place.side, name), claim.observations);
    if (examined?.ticket?.newest && !examined.dead) found.push([name, examined.ticket]);
  }
  return found;
}

/** Removes words that nobody will read, since the claims that they were meant for are dead. */
function* pruneSupersessions({ place }: Contender, names: readonly string[]): Steps<void> {
  for (const name of supersessionsIn(names)) {
    const path = join(place.side, name);
    const view = yield* step("read", path);
    const found = view === null ? null : parseSupersession(view.content);
    if (found !== null && (yield* step("alive", found.process)) === false)
      yield* step("remove", path);
  }
}

function pageOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
