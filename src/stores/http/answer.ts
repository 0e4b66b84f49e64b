/** What a server said: any status, JSON or not. */
export interface Answer {
  readonly status: number;
  /** Null where it was no JSON object. */
  readonly body: Fields | null;
  /** The beginning of the page or text that came instead of JSON, for a sentence. */
  readonly text: string;
  readonly type: string;
  /** Milliseconds that the server asks for before the next try; null: it does not say. */
  readonly retryAfter: number | null;
  /** Of a redirect. */
  readonly location: string | null;
}

export type Fields = Readonly<Record<string, unknown>>;

/** As much of a page as a sentence can show. */
const TEXT_SHOWN = 80;
const RETRY_LIMIT_MS = 60_000;

interface Head {
  readonly statusCode?: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export function readAnswer({ statusCode = 0, headers }: Head, content: Buffer): Answer {
  const text = content.toString("utf8");
  return {
    status: statusCode,
    body: fieldsOf(text),
    text: titleOf(text),
    type: (headerOf(headers["content-type"]).split(";")[0] as string).trim() || "no type",
    retryAfter: readRetryAfter(headerOf(headers["retry-after"])),
    location: headerOf(headers.location) || null,
  };
}

export function textIn(fields: Fields | null, name: string): string | null {
  const value = fields?.[name];
  return typeof value === "string" ? value : null;
}

export function numberIn(fields: Fields | null, name: string): number | null {
  const value = fields?.[name];
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function asFields(value: unknown): Fields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : null;
}

/** An empty answer is as good as an empty object: 204 says all there is to say. */
function fieldsOf(text: string): Fields | null {
  if (text === "") return {};
  try {
    return asFields(JSON.parse(text));
  } catch {
    return null;
  }
}

/** The title of a page, which mostly tells what answered; of other text its beginning. */
function titleOf(text: string): string {
  const title = /<title[^>]*>([^<]*)</i.exec(text)?.[1] ?? text;
  return title.replace(/\s+/g, " ").trim().slice(0, TEXT_SHOWN);
}

function headerOf(value: string | string[] | undefined): string {
  return (Array.isArray(value) ? value[0] : value) ?? "";
}

function readRetryAfter(text: string): number | null {
  if (text === "") return null;
  const wait = /^\d+$/.test(text.trim()) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(wait) ? null : Math.min(RETRY_LIMIT_MS, Math.max(0, wait));
}
