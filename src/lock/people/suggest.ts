/** What was probably meant: the nearest known word, if it is near enough. */
export function suggest(word: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let least = Math.min(3, Math.ceil(word.length / 2) + 1);
  for (const candidate of known) {
    const distance = distanceOf(word, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

/** Counts typing errors: inserted, left out, wrong and swapped letters. */
function distanceOf(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY;
  const rows: number[][] = [];
  const at = (row: number, column: number) =>
    row < 0 || column < 0 ? Number.POSITIVE_INFINITY : (rows[row]?.[column] ?? 0);
  for (let i = 0; i <= a.length; i++) {
    const row: number[] = [];
    rows.push(row);
    for (let j = 0; j <= b.length; j++) {
      if (i === 0 || j === 0) {
        row.push(i + j);
        continue;
      }
      const wrong = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? at(i - 2, j - 2) + 1
          : Number.POSITIVE_INFINITY;
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, wrong, swapped));
    }
  }
  return at(a.length, b.length);
}
