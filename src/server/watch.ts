import type { Socket } from "node:net";

/** Notices a client that is silent, or that does not read. Times are in milliseconds. */
export class Watch {
  /** Something came since the last look: on the hot path cheaper to note down than the time. */
  active = false;
  #silentSince: number;
  #writtenBefore = 0;
  #stuckSince: number | null = null;

  constructor(now: number) {
    this.#silentSince = now;
  }

  /**
   * It owes a request, or the rest of one, for longer than the timeout. Found out late by up to two
   * looks, never early.
   */
  isSilent(owesRequest: boolean, now: number, timeout: number): boolean {
    if (this.active || !owesRequest) this.#silentSince = now;
    this.active = false;
    return now - this.#silentSince > timeout;
  }

  /** No byte went out for the whole timeout, though there are some to be sent. */
  isStuck(socket: Socket, now: number, timeout: number): boolean {
    const pending = socket.writableLength;
    const written = socket.bytesWritten - pending;
    if (pending === 0 || written !== this.#writtenBefore) {
      this.#writtenBefore = written;
      this.#stuckSince = pending === 0 ? null : now;
      return false;
    }
    this.#stuckSince ??= now;
    return now - this.#stuckSince > timeout;
  }
}
