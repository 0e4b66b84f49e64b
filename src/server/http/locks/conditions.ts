import { quote } from "../../../lock/text.ts";
import type { FileConditions, FileInfo } from "../../storage/types.ts";
import { badRequest, type Exchange } from "../exchange.ts";

const TAG = /^(?:W\/)?"[\u0021\u0023-\u007e]*"$/;

/** How far a fence may be ahead. It is a time, and one of the far future would refuse all writes until then. */
const FENCE_AHEAD_MS = 86_400_000;

/** Reads `If-Match`, `If-None-Match` and `Holdfast-Fence`. Throws 400 for what cannot be read. */
export function readConditions(exchange: Exchange, now: number): FileConditions {
  const match = readTags(exchange, "if-match");
  const noneMatch = readTags(exchange, "if-none-match");
  const fence = readFence(exchange, now);
  return {
    // A weak tag never counts as a match for a write, so it is left out: then nothing matches.
    ...(match === null ? {} : { match: match === "*" ? match : match.filter(isStrong) }),
    ...(noneMatch === null
      ? {}
      : { noneMatch: noneMatch === "*" ? noneMatch : noneMatch.map(strong) }),
    ...(fence === null ? {} : { fence }),
  };
}

function readTags(exchange: Exchange, name: string): readonly string[] | "*" | null {
  const text = exchange.header(name)?.trim();
  if (text === undefined) return null;
  if (text === "*") return "*";
  const tags = text.split(",").map((tag) => tag.trim());
  if (tags.every((tag) => TAG.test(tag))) return tags;
  throw badRequest(`The header ${name} is ${quote(text)}: use * or tags in double quotes.`);
}

function isStrong(tag: string): boolean {
  return !tag.startsWith("W/");
}

function strong(tag: string): string {
  return isStrong(tag) ? tag : tag.slice(2);
}

function readFence(exchange: Exchange, now: number): number | null {
  const text = exchange.header("holdfast-fence")?.trim();
  if (text === undefined) return null;
  const fence = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(fence) && fence <= (now + FENCE_AHEAD_MS) * 1_000) return fence;
  throw badRequest(
    `The header Holdfast-Fence is ${quote(text)}: use the number that came with the lock.`,
  );
}

/** Judges a read: the status of its answer, as RFC 9110 orders the conditions. */
export function judge(file: FileInfo, { match, noneMatch }: FileConditions): 200 | 304 | 412 {
  if (match !== undefined && match !== "*" && !match.includes(file.etag)) return 412;
  if (noneMatch !== undefined && (noneMatch === "*" || noneMatch.includes(file.etag))) return 304;
  return 200;
}
