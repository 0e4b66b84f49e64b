import type { Readable } from "node:stream";

/** A peer that sends more than this without a newline is not one of ours. */
export const LINE_LIMIT = 1024 * 1024;

/** Calls back for every line of a stream; `onEnd` once, whichever way it ends. */
export function readLines(
  stream: Readable,
  onLine: (line: string) => void,
  onEnd: () => void,
): void {
  let rest = "";
  let ended = false;
  const end = () => {
    if (ended) return;
    ended = true;
    onEnd();
  };
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    rest += chunk;
    for (let newline = rest.indexOf("\n"); newline !== -1 && !ended; newline = rest.indexOf("\n")) {
      const line = rest.slice(0, newline);
      rest = rest.slice(newline + 1);
      onLine(line);
    }
    if (rest.length > LINE_LIMIT) stream.destroy();
  });
  stream.on("end", end);
  stream.on("close", end);
  stream.on("error", end);
}

/** The JSON object of a line, or null. */
export function parseLine(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
