/** A table for people: the first column to the left, numbers to the right. */
export function printTable(title: string, header: string[], rows: string[][]): void {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ");
  process.stdout.write(`\n${title}\n`);
  for (const row of all) process.stdout.write(`  ${line(row).trimEnd()}\n`);
}

/** An aim and what came out, as one sentence. */
export function printAim(aim: string, value: string, met: boolean): void {
  process.stdout.write(`  ${met ? "met    " : "NOT met"}  aim ${aim}: ${value}\n`);
}

export function ratio(value: number): string {
  return `${value.toFixed(2)}x`;
}
