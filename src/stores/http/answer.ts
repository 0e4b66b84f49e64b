import { jsonObject } from "../../lock/text.ts";
import { retryAfterIn, type WholeAnswer } from "../remote/exchange.ts";
import type { Fields } from "../remote/fields.ts";

/** What a server said: any status, JSON or not. */
export interface Answer {
  readonly status: number;
  /** Null if it was no JSON object. */
  readonly body: Fields | null;
  /** The beginning of the page or text that came in place of JSON, for a sentence. */
  readonly text: string;
  readonly type: string;
  /** Milliseconds that the server asks for before the next try; null: it does not say. */
  readonly retryAfter: number | null;
  /** Where a redirect leads. */
  readonly location: string | null;
}

/** How much of a page a sentence can show. */
const TEXT_SHOWN = 80;
/** How much of a page is searched for its title; a shorter answer is parsed as it is. */
const PAGE_LOOKED_AT = 65_536;
/** How deep an answer may be nested: our own answers have five levels. */
const DEPTH_LIMIT = 32;

export function readAnswer({ status, headers, bytes }: WholeAnswer): Answer {
  const text = bytes.toString("utf8");
  return {
    status,
    body: fieldsOf(text),
    text: titleOf(text),
    type: (headers["content-type"] ?? "").split(";")[0]?.trim() || "no type",
    retryAfter: retryAfterIn(headers),
    location: headers.location || null,
  };
}

/** An empty answer is as good as an empty object: a 204 says everything. */
function fieldsOf(text: string): Fields | null {
  if (text === "") return {};
  return text.length > PAGE_LOOKED_AT && isDeep(text) ? null : jsonObject(text);
}

/** The title of a page, which mostly tells what answered; of other text its beginning. */
function titleOf(text: string): string {
  const page = text.slice(0, PAGE_LOOKED_AT);
  // Step by step: an expression would look for the end of each of a thousand titles anew.
  const tag = page.toLowerCase().indexOf("<title");
  const start = tag === -1 ? -1 : page.indexOf(">", tag);
  const end = start === -1 ? -1 : page.indexOf("<", start);
  const title = end === -1 ? page : page.slice(start + 1, end);
  return title.replace(/\s+/g, " ").trim().slice(0, TEXT_SHOWN);
}

/** Whether a text is nested deeper than any answer: each level costs far more memory than its text. */
function isDeep(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (quoted) {
      if (character === "\\") index++;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === "[" || character === "{") {
      depth += 1;
      if (depth > DEPTH_LIMIT) return true;
    } else if (character === "]" || character === "}") depth -= 1;
  }
  return false;
}
