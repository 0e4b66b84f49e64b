import type { Socket } from "node:net";

/**
 * The replies of one connection on their way out. What one turn of serving brings is written at
 * once, and a reply that tells of a grant leaves only when the grant is on the disk.
 */
export class Outbox {
  readonly #socket: Socket;
  #text = "";
  /** Only `stats` has more than ASCII to say; all else is written the cheaper way. */
  #wide = false;
  /** The last of the replies that wait for the storage, and how many there are. */
  #unsettled: Promise<void> | null = null;
  #unsettledCount = 0;
  /** The client does not read: Node's buffer is full, long after that of the kernel. */
  blocked = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Characters that are not yet flushed. */
  get length(): number {
    return this.#text.length;
  }

  add(reply: string): void {
    this.#text += reply;
  }

  /** Adds a reply that may hold more than ASCII. */
  addWide(reply: string): void {
    this.#text += reply;
    this.#wide = true;
  }

  /** Writes what was added, once `settled` resolves where it is a promise. Replies keep their order. */
  flush(settled: Promise<void> | null): void {
    if (this.#text === "" || this.#socket.destroyed) return;
    const text = this.#text;
    const wide = this.#wide;
    this.#text = "";
    this.#wide = false;
    if (settled === null && this.#unsettled === null) this.#write(text, wide);
    else this.#writeAfter(settled, text, wide);
  }

  /** Closes this side of the connection once the last reply is written, `delayMs` later at the earliest. */
  end(delayMs: number): void {
    if (this.#unsettled !== null) void this.#unsettled.then(() => this.#socket.end());
    else if (delayMs === 0) this.#socket.end();
    else setTimeout(() => this.#socket.end(), delayMs);
  }

  #write(text: string, wide: boolean): void {
    if (!this.#socket.write(text, wide ? "utf8" : "latin1")) this.blocked = true;
  }

  #writeAfter(settled: Promise<void> | null, text: string, wide: boolean): void {
    const before = this.#unsettled;
    this.#unsettledCount += 1;
    this.#unsettled = (settled ?? Promise.resolve()).then(async () => {
      await before;
      this.#unsettledCount -= 1;
      if (this.#unsettledCount === 0) this.#unsettled = null;
      if (!this.#socket.destroyed) this.#write(text, wide);
    });
  }
}
