/**
 * What is read of S3's XML: a few flat elements, whose names are never nested in themselves. So patterns are
 * enough, and no parser has to be trusted with a stranger's entities.
 */

/** The code of an error; empty if the answer is not S3's. */
export function codeOf(text: string): string {
  return elementOf("Code", text) ?? "";
}

/** The first element of this name. */
export function elementOf(name: string, text: string): string | null {
  const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];
  return found === undefined ? null : decoded(found);
}

/** An object in a list. */
export interface Listed {
  readonly name: string;
  /** By the server's clock, in milliseconds. */
  readonly written: number;
}

export interface ListPage {
  readonly objects: readonly Listed[];
  /** For the next page; null: this one is the last. */
  readonly next: string | null;
}

/** One page of ListObjectsV2; null if it is none. */
export function readList(text: string): ListPage | null {
  if (!/<ListBucketResult[\s>]/.test(text)) return null;
  const objects = [...text.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, content = ""]) => ({
    name: elementOf("Key", content) ?? "",
    written: Date.parse(elementOf("LastModified", content) ?? ""),
  }));
  const isCut = elementOf("IsTruncated", text) === "true";
  return { objects, next: isCut ? elementOf("NextContinuationToken", text) : null };
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function decoded(text: string): string {
  return text.replace(
    /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi,
    (whole, ...groups) => {
      const [name, decimal, hex] = groups as (string | undefined)[];
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
      const point = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    },
  );
}
