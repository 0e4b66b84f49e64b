import { DURATION_LIMIT_MS } from "../../../lock/duration.ts";
import {
  parseLine,
  parsePriority,
  parseSlots,
  parseWeight,
  shareOf,
} from "../../../lock/request.ts";
import { parseResources } from "../../../lock/resources.ts";
import { hasControl, quote } from "../../../lock/text.ts";
import { badRequest, type Exchange, Problem } from "../exchange.ts";
import type { Session } from "../sessions/session.ts";

export const LOCK_WORDS = ["acquire", "release", "refresh", "status"] as const;
export type LockWord = (typeof LOCK_WORDS)[number];

/** How long one request may wait: proxies allow no more. A client that wants to wait longer asks again. */
const WAIT_LIMIT_SECONDS = 60;

/** Reads what is to be done with the lock; null: the request is about the file. */
export function lockWord(exchange: Exchange): LockWord | null {
  switch (exchange.rawQuery) {
    case "":
      return null;
    case "lock=acquire":
      return "acquire";
    case "lock=release":
      return "release";
  }
  const text = single(exchange, "lock");
  if (text === null) return null;
  const word = LOCK_WORDS.find((known) => known === text);
  if (word === undefined) {
    throw badRequest(
      `The operation lock=${quote(text)} is not known: use ${LOCK_WORDS.join(", ")}.`,
    );
  }
  return word;
}

const RUN_ID_LIMIT = 500;

/** The terms of an acquire; times are in milliseconds. */
export interface Terms {
  readonly wait: number;
  readonly slots: number;
  readonly weight: number;
  readonly priority: number;
  /** The names of the slots; null: they have none. */
  readonly resources: readonly string[] | null;
  /** False: it only keeps a place in line. */
  readonly ready: boolean;
  readonly newest: boolean;
  /** How long ago its client first asked. */
  readonly age: number;
  /** The run that the lock is to belong to, and for how long at most. */
  readonly run: { readonly id: string; readonly ttl: number } | null;
}

const PLAIN_TERMS: Terms = {
  wait: 0,
  slots: 1,
  weight: 1,
  priority: 0,
  resources: null,
  ready: true,
  newest: false,
  age: 0,
  run: null,
};

/** Words of an acquire that a server before them did not know, and would have ignored. */
export const LATER_WORDS = ["weight", "priority", "resources", "ready"] as const;

/** What tells a client that its words were heeded; nothing to one that has used none of them. */
export function heededIn({ rawQuery, query }: Exchange): { readonly heeded?: readonly string[] } {
  if (rawQuery === "lock=acquire") return {};
  const heeded = LATER_WORDS.filter((word) => query.has(word));
  return heeded.length === 0 ? {} : { heeded };
}

export function readTerms(exchange: Exchange, session: Session): Terms {
  if (exchange.rawQuery === "lock=acquire") return PLAIN_TERMS;
  const read = <T>(name: string, parse: (text: string) => T): T | undefined => {
    const text = single(exchange, name);
    return text === null ? undefined : parse(text);
  };
  const share = shareOf({
    slots: read("slots", parseSlots),
    weight: read("weight", parseWeight),
    priority: read("priority", parsePriority),
    resources: read("resources", parseResources),
  });
  const wait = readWait(single(exchange, "wait"));
  const ready = readReady(single(exchange, "ready"));
  if (!ready && wait === 0)
    throw badRequest("A claim that is not ready only waits: give wait= with ready=false.");
  return {
    ...share,
    wait,
    ready,
    newest: parseLine(single(exchange, "line") ?? "fifo") === "newest",
    age: readMilliseconds(single(exchange, "age"), "age", 0) ?? 0,
    run: readRunTerms(exchange, session),
  };
}

/**
 * Reads the run that a request is about; null: the session itself. A job that was let in by its ID
 * token belongs to the run that the token names, whichever it says.
 */
export function readRun(exchange: Exchange, { identity }: Session): string | null {
  const run = single(exchange, "run");
  if (run === null) return null;
  if (identity !== null) {
    if (identity.run !== null) return identity.run;
    throw new Problem(403, "No run", "The ID token of this session names no run of its job.");
  }
  if (run.length > 0 && run.length <= RUN_ID_LIMIT && !hasControl(run)) return run;
  throw badRequest(
    `The run ${quote(run)} is not 1 to ${RUN_ID_LIMIT} characters without control characters.`,
  );
}

/** Reads the fence that a client saw; null: none is named. */
export function readSeenFence(exchange: Exchange): number | null {
  const text = single(exchange, "fence");
  if (text === null) return null;
  if (/^\d{1,16}$/.test(text)) return Number(text);
  throw badRequest(`The fence ${quote(text)} is not a number.`);
}

function readRunTerms(exchange: Exchange, session: Session): Terms["run"] {
  const id = readRun(exchange, session);
  const ttl = readMilliseconds(single(exchange, "ttl"), "ttl", 1_000);
  if (id === null && ttl === null) return null;
  if (id !== null && ttl !== null) return { id, ttl };
  throw badRequest(
    "A run and its ttl belong together: a lock that no session refreshes needs an end. Give run= and ttl=.",
  );
}

function readMilliseconds(text: string | null, name: string, least: number): number | null {
  if (text === null) return null;
  const value = /^\d{1,11}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= DURATION_LIMIT_MS) return value;
  throw badRequest(
    `The ${name} ${quote(text)} is not a number of milliseconds from ${least} to ${DURATION_LIMIT_MS}.`,
  );
}

function readReady(text: string | null): boolean {
  if (text === null || text === "true") return true;
  if (text === "false") return false;
  throw badRequest(`The word ready=${quote(text)} is not known: use true or false.`);
}

function readWait(text: string | null): number {
  if (text === null) return 0;
  const seconds = /^\d{1,3}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds <= WAIT_LIMIT_SECONDS)) {
    throw badRequest(
      `The wait ${quote(text)} is not a number of seconds from 0 to ${WAIT_LIMIT_SECONDS}.`,
    );
  }
  return Math.round(seconds * 1_000);
}

function single({ query }: Exchange, name: string): string | null {
  const values = query.getAll(name);
  if (values.length > 1) throw badRequest(`The parameter ${name} is given more than once.`);
  return values[0] ?? null;
}
