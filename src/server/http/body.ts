import { type Exchange, Problem } from "./exchange.ts";

/** How much memory all bodies that are being received may take together, or one of the largest. */
const ROOM_BYTES = 256 * 2 ** 20;

/** The memory that is left for bodies. */
export class BodyRoom {
  #left: number;

  constructor(largest: number) {
    this.#left = Math.max(ROOM_BYTES, largest);
  }

  take(bytes: number): void {
    if (bytes > this.#left) {
      throw new Problem(
        503,
        "Busy",
        "The server is receiving too much at once: try again in a moment.",
        { "retry-after": 1 },
      );
    }
    this.#left -= bytes;
  }

  giveBack(bytes: number): void {
    this.#left += bytes;
  }
}

/** Throws 413 before anything is read, where the length is announced. */
export function checkLength({ request }: Exchange, limit: number): void {
  if (Number(request.headers["content-length"] ?? 0) > limit) throw tooLarge(limit);
}

/** Receives the whole body and calls `use` with it; until that is done the body counts as in memory. */
export async function withBody<T>(
  exchange: Exchange,
  limit: number,
  room: BodyRoom,
  use: (body: Buffer) => Promise<T> | T,
): Promise<T> {
  checkLength(exchange, limit);
  let taken = 0;
  try {
    const body = await receive(exchange, limit, (bytes) => {
      room.take(bytes);
      taken += bytes;
    });
    return await use(body);
  } finally {
    room.giveBack(taken);
  }
}

function receive(
  { request, response }: Exchange,
  limit: number,
  onBytes: (bytes: number) => void,
): Promise<Buffer> {
  // The client waits to hear that its body is wanted. Only now is that certain.
  if (request.headers.expect !== undefined) response.writeContinue();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = (reason: Error): void => {
      request.removeAllListeners("data");
      reject(reason);
    };
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > limit) {
        stop(tooLarge(limit));
        return;
      }
      try {
        onBytes(chunk.length);
      } catch (error) {
        stop(error as Error);
      }
    });
    request.once("end", () =>
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)),
    );
    // The client hung up or was cut off: it cannot be told, and the log need not know.
    const unfinished = (): void => {
      reject(new Problem(400, "Bad request", "The body is not complete."));
    };
    request.once("error", unfinished);
    request.once("close", unfinished);
  });
}

function tooLarge(limit: number): Problem {
  return new Problem(
    413,
    "Content too large",
    `The body is larger than this server takes: use at most ${limit} bytes.`,
  );
}
