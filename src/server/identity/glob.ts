/**
 * Whether a text matches a pattern as a whole. `*` stands for any text without a slash, `**` for any
 * text; everything else stands for itself, in exactly this spelling. It takes steps in proportion to
 * pattern times text at most: strangers choose the text.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  const parts = pattern.match(/\*\*|\*|[^*]/gsu) ?? [];
  let places = reach(parts, new Set([0]));
  for (const letter of text) {
    const next = new Set<number>();
    for (const place of places) {
      const part = parts[place];
      if (part === "**" || (part === "*" && letter !== "/")) next.add(place);
      else if (part === letter && letter !== "*") next.add(place + 1);
    }
    places = reach(parts, next);
    if (places.size === 0) return false;
  }
  return places.has(parts.length);
}

/** The same places, and those behind a star that stands for nothing. */
function reach(parts: readonly string[], places: Set<number>): Set<number> {
  for (const place of places) {
    if (parts[place]?.startsWith("*")) places.add(place + 1);
  }
  return places;
}
