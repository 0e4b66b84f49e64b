import { Duplex } from "node:stream";
import type { Actor } from "./actor.ts";
import { present } from "./globals.ts";
import type { Due } from "./queue.ts";

/** What a socket asks of the network. */
export interface Wire {
  /** Bytes, or null for the end of them, on their way to the other side. */
  send(from: SimulatedSocket, bytes: Buffer | null): void;
  /** This side is closed: whatever comes from now on is answered with a reset. */
  closed(side: SimulatedSocket): void;
}

/** One side of a simulated connection: as Node's socket, as far as doors, agents and clients use it. */
export class SimulatedSocket extends Duplex {
  readonly actor: Actor;
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localPort: number;
  bytesWritten = 0;
  connecting: boolean;
  /** TCP's own probes find a peer that vanished. */
  isProbing = false;
  /** When bytes last went out: those are sent again and again, and nothing is probed meanwhile. */
  sentAt = Number.NEGATIVE_INFINITY;
  /** When anything was last heard of the other side. */
  heardAt = present().now;
  readonly #wire: Wire;
  #unsent: (() => void) | null = null;
  #idle: { readonly ms: number; due: Due } | null = null;

  constructor(
    wire: Wire,
    actor: Actor,
    ports: { readonly local: number; readonly remote: number; readonly address: string },
    connecting: boolean,
  ) {
    super({ allowHalfOpen: false });
    this.#wire = wire;
    this.actor = actor;
    this.localPort = ports.local;
    this.remotePort = ports.remote;
    this.remoteAddress = ports.address;
    this.connecting = connecting;
  }

  connected(): void {
    if (this.destroyed) return;
    this.connecting = false;
    this.emit("connect");
    this.#unsent?.();
    this.#unsent = null;
  }

  /** Bytes have come, or null: the end of them. */
  receive(bytes: Buffer | null): void {
    this.heardAt = present().now;
    this.#stir();
    this.push(bytes);
  }

  fail(code: string): void {
    const error = Object.assign(new Error(`simulated ${code}`), { code });
    this.destroy(error);
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#out(chunk, done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.#out(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: () => void): void {
    this.#out(null, done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (this.#idle !== null) this.#idle.due.isCancelled = true;
    this.#wire.closed(this);
    done(error);
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(isWanted: boolean): this {
    this.isProbing = isWanted;
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once("finish", () => this.destroy());
  }

  /** Emits "timeout" after so many milliseconds without traffic; 0: never. */
  setTimeout(ms: number, ring?: () => void): this {
    if (this.#idle !== null) this.#idle.due.isCancelled = true;
    this.#idle = null;
    if (ring !== undefined) {
      if (ms === 0) this.off("timeout", ring);
      else this.once("timeout", ring);
    }
    if (ms > 0) this.#idle = { ms, due: this.#watch(ms) };
    return this;
  }

  #stir(): void {
    if (this.#idle === null) return;
    this.#idle.due.isCancelled = true;
    this.#idle.due = this.#watch(this.#idle.ms);
  }

  #watch(ms: number): Due {
    return present().plan(ms, this.actor, "idle", () => this.emit("timeout"));
  }

  #out(bytes: Buffer | null, done: () => void): void {
    const send = () => {
      this.bytesWritten += bytes?.length ?? 0;
      this.#stir();
      this.#wire.send(this, bytes);
      done();
    };
    if (this.connecting) this.#unsent = send;
    else send();
  }
}
