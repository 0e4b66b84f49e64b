import type { Socket } from "node:net";
import { Alarm } from "../../lock/time.ts";
import { errorLine, grantedLine, OK_LINE, TIMEOUT_LINE } from "../../wire/reply.ts";
import type { Request } from "../../wire/request.ts";
import { RequestReader } from "../../wire/request-reader.ts";
import { type Violation, violations } from "../../wire/violation.ts";
import type { Claim, EndReason, Listener, Party } from "../table/claim.ts";
import { answer } from "./answer.ts";
import type { Door } from "./context.ts";
import { Watch } from "./watch.ts";

/** What a client may send ahead while its request waits; beyond it is not read, and TCP holds it up. */
const AHEAD_LIMIT_BYTES = 16_384;
/** One connection is served so much at a time, then the others have their turn. */
const TURN_REQUESTS = 256;
const TURN_REPLY_CHARACTERS = 65_536;
/** Slows down those who try tokens. */
const DENIED_DELAY_MS = 100;
/**
 * After the last reply the server still reads for a moment what the client is sending: closing at
 * once would answer that with a reset, and a reset can eat the reply.
 */
const LINGER_MS = 1_000;
const LINGER_BYTES = 1_048_576;

/**
 * One TCP client: bytes to requests, requests to the table, one at a time and in order. While `l`
 * or `w` waits nothing further is served, but the socket is still read, to see at once when the
 * client hangs up.
 */
export class Connection implements Listener {
  readonly party: Party;
  readonly #socket: Socket;
  readonly #door: Door;
  readonly #reader = new RequestReader();
  #out = "";
  /** Only `stats` has more than ASCII to say; all else is written the cheaper way. */
  #wide = false;
  #waiting: Claim | null = null;
  #alarm: Alarm | null = null;
  #authenticated: boolean;
  /** The client has sent its last byte. */
  #finished = false;
  /** The client does not read: nothing is served until it does. */
  #blocked = false;
  #paused = false;
  #scheduled = false;
  /** Set when the last reply is written: what still comes is thrown away, until then. */
  #leaveBy: number | null = null;
  #thrownAway = 0;
  /** The last of the replies that wait for the storage, and how many there are. */
  #unsettled: Promise<void> | null = null;
  #unsettledCount = 0;
  readonly #watch: Watch;

  constructor(socket: Socket, door: Door) {
    this.#socket = socket;
    this.#door = door;
    this.#authenticated = door.secret === null;
    this.#watch = new Watch(door.clock.monotonic());
    this.party = door.table.admit(this);
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("end", () => this.#finish());
    socket.on("drain", () => this.#unblock());
    socket.on("error", (error) => {
      door.log.write("debug", "connection failed", {
        connection: this.party.id,
        reason: error.message,
      });
    });
    socket.on("close", () => {
      this.#dismiss();
      door.forget(this);
    });
  }

  granted(claim: Claim): void {
    if (claim !== this.#waiting) return;
    this.#endWait(grantedLine(claim.token, claim.lease / 1_000));
  }

  ended(claim: Claim, reason: EndReason): void {
    if (claim === this.#waiting) this.#endWait(errorLine("error"));
    // The wire has no word for it. Our own clients ask as soon as their connection is closed, and not
    // only at their next renewal; others may not know what to make of that.
    else if (reason === "broken" && this.party.introduction !== null) {
      setImmediate(() => this.retire());
    }
  }

  /** Called every now and then: closes on clients that are silent or do not read. */
  patrol(now: number): void {
    const { readTimeout, writeTimeout, log } = this.#door;
    const unsent = this.#socket.writableLength > 0;
    if (this.#leaveBy !== null && now > this.#leaveBy && (!unsent || writeTimeout === 0)) {
      this.#socket.destroy();
    } else if (writeTimeout > 0 && this.#watch.isStuck(this.#socket, now, writeTimeout)) {
      log.limited("info", "client does not read", { connection: this.party.id });
      this.#socket.destroy();
    } else if (this.#watch.isSilent(this.#owesRequest(), now, readTimeout)) {
      this.#refuse(violations.silence);
    }
  }

  /** The server is closing: who holds nothing has no more business here. */
  retire(): void {
    if (!this.party.hasClaims) this.#leave();
  }

  /** For `answer`: the reply comes later, when the claim is granted, or in so many seconds at most. */
  waitFor(claim: Claim, timeoutSeconds: number): string {
    if (timeoutSeconds === 0 || this.#finished) {
      this.#door.table.withdraw(claim);
      return TIMEOUT_LINE;
    }
    this.#waiting = claim;
    this.#alarm = new Alarm(timeoutSeconds * 1_000, () => this.#giveUp());
    return "";
  }

  #receive(chunk: Buffer): void {
    if (this.#leaveBy !== null) {
      this.#thrownAway += chunk.length;
      if (this.#thrownAway > LINGER_BYTES) this.#socket.destroy();
      return;
    }
    if (this.#reader.buffered === 0) this.#watch.active = true;
    this.#reader.push(chunk);
    if (!this.#scheduled) this.#work();
    if (this.#reader.buffered > AHEAD_LIMIT_BYTES) {
      this.#paused = true;
      this.#socket.pause();
    }
  }

  #work(): void {
    let served = 0;
    while (this.#owesRequest()) {
      if (served === TURN_REQUESTS || this.#out.length > TURN_REPLY_CHARACTERS) {
        this.#workLater();
        break;
      }
      const request = this.#reader.next();
      if (request === null) {
        if (this.#reader.violation !== null) this.#refuse(this.#reader.violation);
        else if (this.#finished) this.#leave();
        break;
      }
      served += 1;
      this.#serve(request);
    }
    if (served > 0) this.#watch.active = true;
    this.#flush();
    if (this.#paused && this.#reader.buffered <= AHEAD_LIMIT_BYTES) {
      this.#paused = false;
      this.#socket.resume();
    }
  }

  #workLater(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#work();
    });
  }

  #serve(request: Request): void {
    if (this.#authenticated) {
      this.#out += answer(request, this, this.#door);
      if (request.command === "stats") this.#wide = true;
      if (this.#door.closing) this.retire();
      return;
    }
    if (request.command === "auth" && this.#door.secret?.matches(request.token)) {
      this.#authenticated = true;
      this.#out += OK_LINE;
    } else {
      this.#deny();
    }
  }

  #deny(): void {
    this.#door.log.limited("warn", "authentication failed", {
      connection: this.party.id,
      peer: this.#socket.remoteAddress,
    });
    this.#out += errorLine("error_auth");
    this.#leave(DENIED_DELAY_MS);
  }

  #refuse(violation: Violation): void {
    if (!this.#authenticated) {
      this.#deny();
      return;
    }
    this.#door.log.limited("info", "connection closed for a protocol violation", {
      connection: this.party.id,
      peer: this.#socket.remoteAddress,
      owner: this.party.introduction?.owner.id,
      code: violation.code,
      reason: violation.reason,
    });
    this.#out += errorLine("error");
    this.#leave();
  }

  #giveUp(): void {
    const claim = this.#waiting;
    if (claim === null) return;
    this.#door.table.withdraw(claim);
    this.#endWait(TIMEOUT_LINE);
  }

  /** May be called from within another connection's request: what is buffered is served later. */
  #endWait(reply: string): void {
    this.#waiting = null;
    this.#alarm?.cancel();
    this.#alarm = null;
    this.#watch.active = true;
    this.#out += reply;
    this.#flush();
    if (this.#reader.buffered > 0 || this.#finished || this.#paused) this.#workLater();
  }

  /**
   * The client sends no more. A request that stands in front of its FIN is still answered, but
   * nothing waits any longer: what it got would be freed again at once.
   */
  #finish(): void {
    this.#finished = true;
    if (this.#waiting !== null) this.#giveUp();
    else if (!this.#scheduled && this.#leaveBy === null) this.#work();
  }

  #unblock(): void {
    if (!this.#blocked) return;
    this.#blocked = false;
    this.#watch.active = true;
    if (!this.#scheduled) this.#work();
  }

  #flush(): void {
    if (this.#out === "" || this.#socket.destroyed) return;
    const out = this.#out;
    const wide = this.#wide;
    this.#out = "";
    this.#wide = false;
    const settled = this.party.isKept ? this.#door.settled() : null;
    if (settled === null && this.#unsettled === null) this.#write(out, wide);
    else this.#writeAfter(settled, out, wide);
  }

  #write(out: string, wide: boolean): void {
    // A connection is blocked when Node's buffer is full, long after that of the kernel.
    if (!this.#socket.write(out, wide ? "utf8" : "latin1")) this.#blocked = true;
  }

  /** Replies leave in their order, each when what it tells is safe. */
  #writeAfter(settled: Promise<void> | null, out: string, wide: boolean): void {
    const before = this.#unsettled;
    this.#unsettledCount += 1;
    this.#unsettled = (settled ?? Promise.resolve()).then(async () => {
      await before;
      this.#unsettledCount -= 1;
      if (this.#unsettledCount === 0) this.#unsettled = null;
      if (!this.#socket.destroyed) this.#write(out, wide);
    });
  }

  #leave(delayMs = 0): void {
    if (this.#leaveBy !== null) return;
    this.#leaveBy = this.#door.clock.monotonic() + delayMs + LINGER_MS;
    this.#dismiss();
    this.#flush();
    if (this.#unsettled !== null) void this.#unsettled.then(() => this.#socket.end());
    else if (delayMs === 0) this.#socket.end();
    else setTimeout(() => this.#socket.end(), delayMs);
    if (this.#paused) this.#socket.resume();
  }

  #dismiss(): void {
    this.#reader.clear();
    this.#alarm?.cancel();
    this.#alarm = null;
    this.#waiting = null;
    this.#door.dismiss(this);
  }

  #owesRequest(): boolean {
    return this.#waiting === null && !this.#blocked && this.#leaveBy === null;
  }
}
