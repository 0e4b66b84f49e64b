import { parseSlots } from "../../../lock/request.ts";
import { quote } from "../../../lock/text.ts";
import { badRequest, type Exchange } from "../exchange.ts";

const LOCK_WORDS = ["acquire", "release", "refresh", "status"] as const;
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

/** The terms of an acquire; `wait` is in milliseconds. */
export interface Terms {
  readonly wait: number;
  readonly slots: number;
}

const PLAIN_TERMS: Terms = { wait: 0, slots: 1 };

export function readTerms(exchange: Exchange): Terms {
  if (exchange.rawQuery === "lock=acquire") return PLAIN_TERMS;
  const slots = single(exchange, "slots");
  return {
    wait: readWait(single(exchange, "wait")),
    slots: slots === null ? 1 : parseSlots(slots),
  };
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
