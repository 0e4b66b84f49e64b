import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { systemCode } from "../../../lock/errors.ts";

const BLOCK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
/** Something else under the log's name must neither be followed nor be waited for. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const NO_LOG = new Set(["ENOENT", "ELOOP", "ENXIO", "EISDIR"]);

/**
 * The lines of a log that contain a text, the last one first, read in blocks from the end of each
 * file. Whoever has seen enough stops asking; `bytes` bounds what is read for one who never has.
 */
export function* linesBackwards(
  paths: readonly string[],
  text: string,
  bytes: number,
): Generator<string, void> {
  const needle = Buffer.from(text, "utf8");
  const buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  let left = bytes;
  for (const path of paths) {
    const handle = open(path);
    if (handle === null) continue;
    try {
      const stat = fstatSync(handle);
      let end = stat.isFile() ? stat.size : 0;
      /** The end of a line that begins in a block before. */
      let rest: Buffer = Buffer.alloc(0);
      while (end > 0 && left > 0) {
        const start = Math.max(0, end - Math.min(BLOCK_BYTES, left));
        const length = readSync(handle, buffer, 0, end - start, start);
        const block = buffer.subarray(0, length);
        left -= end - start;
        end = start;
        const first = block.indexOf(NEWLINE);
        if (first === -1 && start > 0) {
          rest = Buffer.concat([block, rest]);
          continue;
        }
        const last = block.lastIndexOf(NEWLINE);
        // Only what is cut is put together; the many whole lines are searched where they are.
        yield* linesWith(needle, Buffer.concat([block.subarray(last + 1), rest]));
        const whole = start === 0 ? 0 : first + 1;
        const found = linesWith(needle, block.subarray(whole, last + 1));
        rest = Buffer.from(block.subarray(0, whole));
        yield* found.reverse();
      }
    } finally {
      closeSync(handle);
    }
  }
}

function open(path: string): number | null {
  try {
    return openSync(path, FLAGS);
  } catch (error) {
    if (NO_LOG.has(systemCode(error) ?? "")) return null;
    throw error;
  }
}

/** Searched as bytes: of a log that many keys share, most lines never become text. */
function linesWith(needle: Buffer, block: Buffer): string[] {
  const lines: string[] = [];
  let from = 0;
  for (;;) {
    const hit = block.indexOf(needle, from);
    if (hit === -1) return lines;
    const start = block.lastIndexOf(NEWLINE, hit) + 1;
    const next = block.indexOf(NEWLINE, hit);
    const end = next === -1 ? block.length : next;
    lines.push(block.toString("utf8", start, end));
    from = end;
  }
}
