import { byteLength, cleanText } from "../../../lock/text.ts";
import { badRequest, type Exchange } from "../exchange.ts";

/**
 * Reads the key that a request of an operator names; null: none. It stands in the path behind the
 * prefix, or as `?key=`, since URL parsers take keys such as `..` for a way up and never send them.
 */
export function keyOf(exchange: Exchange, prefix: string | null): string | null {
  const inQuery = exchange.query.getAll("key");
  const inPath = prefix === null ? "" : exchange.path.slice(prefix.length);
  if (inQuery.length + (inPath === "" ? 0 : 1) > 1) {
    throw badRequest("The key is given more than once: name it in the path or as ?key=, not both.");
  }
  const key = inQuery[0] ?? inPath;
  if (key === "" && inQuery.length === 1) throw badRequest("The key is empty: name a lock.");
  return key === "" ? null : key;
}

/** Reads a text of the query without what could forge a line of the log; null where there is none. */
export function textOf({ query }: Exchange, name: string, limit: number): string | null {
  const text = cleanText(query.get(name) ?? "").trim();
  if (byteLength(text) > limit) {
    throw badRequest(`The ${name} has ${byteLength(text)} bytes: use at most ${limit}.`);
  }
  return text === "" ? null : text;
}

export function numberOf(
  { query }: Exchange,
  name: string,
  least: number,
  most: number,
): number | null {
  const text = query.get(name);
  if (text === null) return null;
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= least && number <= most)) {
    throw badRequest(`The ${name} must be a whole number from ${least} to ${most}.`);
  }
  return number;
}
