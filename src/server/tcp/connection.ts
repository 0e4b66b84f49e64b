import type { Socket } from "node:net";
import { Alarm } from "../../lock/time.ts";
import { errorLine, grantedLine, OK_LINE, TIMEOUT_LINE } from "../../wire/reply.ts";
import type { Request } from "../../wire/request.ts";
import { RequestReader } from "../../wire/request-reader.ts";
import { type Violation, violations } from "../../wire/violation.ts";
import type { Claim, Listener, Party } from "../table/claim.ts";
import type { EndReason } from "../table/ends.ts";
import { Watch } from "../watch.ts";
import { answer } from "./answer.ts";
import type { Door } from "./context.ts";
import { Outbox } from "./outbox.ts";

/** How much a client may send ahead while its request waits. The rest is not read, and TCP holds it up. */
const AHEAD_LIMIT_BYTES = 16_384;
/** How much of one connection is served in one turn, before the other connections have theirs. */
const TURN_REQUESTS = 256;
const TURN_REPLY_CHARACTERS = 65_536;
/** How late a wrong secret is answered: it slows down guessing. */
const DENIED_DELAY_MS = 100;
/**
 * How long and how much the server still reads after its last reply. Closing at once would answer
 * what the client is sending with a reset, and a reset can destroy the reply on its way.
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
  readonly #outbox: Outbox;
  #waiting: Claim | null = null;
  #alarm: Alarm | null = null;
  #authenticated: boolean;
  /** It has authenticated where that is asked for, and sent a request: see `Admission`. */
  #proven = false;
  /** The client has sent its last byte. */
  #sentAll = false;
  #paused = false;
  #scheduled = false;
  /** When the socket is destroyed. Set with the last reply; what comes after it is thrown away. */
  #leaveBy: number | null = null;
  #thrownAway = 0;
  readonly #watch: Watch;

  constructor(socket: Socket, door: Door) {
    this.#socket = socket;
    this.#door = door;
    this.#outbox = new Outbox(socket);
    this.#authenticated = door.secret === null;
    this.#watch = new Watch(door.clock.monotonic());
    this.party = door.table.admit(this);
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("end", () => this.#onEnd());
    socket.on("drain", () => this.#unblock());
    socket.on("error", (error) => {
      door.log.write("debug", "connection failed", {
        connection: this.party.id,
        reason: error.message,
      });
    });
    socket.on("close", () => this.#dismiss());
  }

  granted(claim: Claim): void {
    if (claim !== this.#waiting) return;
    this.#endWait(grantedLine(claim.token, claim.lease / 1_000));
  }

  ended(claim: Claim, reason: EndReason): void {
    if (claim === this.#waiting) {
      const { sharing } = claim;
      // What its run holds it is told of as soon as it renews.
      this.#endWait(sharing === null ? errorLine("error") : grantedLine(sharing.token, 1));
    }
    // The wire has no word for it. Our own clients ask as soon as their connection is closed, and not
    // only at their next renewal. Other clients may not expect to be closed, so they are left alone.
    else if (reason === "broken" && this.party.introduction !== null) {
      setImmediate(() => this.leaveIfIdle());
    }
  }

  /** Closes the connection where its client is silent or does not read. Called at an interval. */
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

  /** Closes the connection where it holds nothing and waits for nothing, since the server is closing. */
  leaveIfIdle(): void {
    if (!this.party.hasClaims) this.#leave();
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
      if (served === TURN_REQUESTS || this.#outbox.length > TURN_REPLY_CHARACTERS) {
        this.#workLater();
        break;
      }
      const request = this.#reader.next();
      if (request === null) {
        if (this.#reader.violation !== null) this.#refuse(this.#reader.violation);
        else if (this.#sentAll) this.#leave();
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
      if (!this.#proven) this.#prove();
      const reply = answer(request, this.party, this.#door);
      if (typeof reply !== "string") this.#wait(reply, request.timeout);
      else if (request.command === "stats") this.#outbox.addWide(reply);
      else this.#outbox.add(reply);
      if (this.#door.closing) this.leaveIfIdle();
      return;
    }
    if (request.command === "auth" && this.#door.secret?.matches(request.token)) {
      this.#authenticated = true;
      this.#prove();
      this.#outbox.add(OK_LINE);
    } else {
      const isReader = request.command === "auth" && this.#door.readSecret?.matches(request.token);
      this.#deny(isReader ? "error_auth_read_only" : "error_auth");
    }
  }

  /** Waits for the claim, so many seconds at most; its reply is written when the wait ends. */
  #wait(claim: Claim, timeoutSeconds: number): void {
    if (timeoutSeconds === 0 || this.#sentAll) {
      this.#door.table.withdraw(claim);
      this.#outbox.add(TIMEOUT_LINE);
      return;
    }
    this.#waiting = claim;
    this.#alarm = new Alarm(timeoutSeconds * 1_000, () => this.#giveUp());
  }

  #prove(): void {
    this.#proven = true;
    this.#door.admission.prove(this.#socket);
  }

  #deny(word: "error_auth" | "error_auth_read_only" = "error_auth"): void {
    this.#door.log.limited("warn", "authentication failed", {
      connection: this.party.id,
      peer: this.#socket.remoteAddress,
    });
    this.#outbox.add(errorLine(word));
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
    this.#outbox.add(errorLine("error"));
    this.#leave();
  }

  #giveUp(): void {
    const claim = this.#waiting;
    if (claim === null) return;
    this.#door.table.withdraw(claim);
    this.#endWait(TIMEOUT_LINE);
  }

  /** Ends the wait with a reply. Another connection's request may cause it, so what is buffered is served later. */
  #endWait(reply: string): void {
    this.#waiting = null;
    this.#alarm?.cancel();
    this.#alarm = null;
    this.#watch.active = true;
    this.#outbox.add(reply);
    this.#flush();
    if (this.#reader.buffered > 0 || this.#sentAll || this.#paused) this.#workLater();
  }

  /**
   * The client has closed its side. A request before its FIN is still answered, but nothing waits any
   * longer: a lock that it got would be released again at once.
   */
  #onEnd(): void {
    this.#sentAll = true;
    if (this.#waiting !== null) this.#giveUp();
    else if (!this.#scheduled && this.#leaveBy === null) this.#work();
  }

  #unblock(): void {
    if (!this.#outbox.blocked) return;
    this.#outbox.blocked = false;
    this.#watch.active = true;
    if (!this.#scheduled) this.#work();
  }

  #flush(): void {
    if (this.#outbox.length === 0) return;
    this.#outbox.flush(this.party.isKept ? this.#door.settled() : null);
  }

  #leave(delayMs = 0): void {
    if (this.#leaveBy !== null) return;
    this.#leaveBy = this.#door.clock.monotonic() + delayMs + LINGER_MS;
    this.#dismiss();
    this.#flush();
    this.#outbox.end(delayMs);
    if (this.#paused) this.#socket.resume();
  }

  #dismiss(): void {
    this.#reader.clear();
    this.#alarm?.cancel();
    this.#alarm = null;
    this.#waiting = null;
    this.#door.table.dismiss(this.party, this.#door.autoRelease);
  }

  #owesRequest(): boolean {
    return this.#waiting === null && !this.#outbox.blocked && this.#leaveBy === null;
  }
}
