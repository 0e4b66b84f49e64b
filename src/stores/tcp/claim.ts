import { isLockError, LockError } from "../../lock/errors.ts";
import { type CheckedRequest, slotsMismatch } from "../../lock/request.ts";
import type { KeyStatus } from "../../lock/status.ts";
import type { ClaimOptions } from "../../lock/store.ts";
import { quote } from "../../lock/text.ts";
import { within } from "../../lock/time.ts";
import { randomHex } from "../../machine/random.ts";
import type { Introduction } from "../../wire/introduction.ts";
import type { Reply } from "../../wire/reply.ts";
import {
  acquireRequest,
  enqueueRequest,
  LONGEST_WAIT_SECONDS,
  renewRequest,
  waitRequest,
} from "../../wire/request.ts";
import { keyStatsRequest } from "../../wire/stats.ts";
import { fenceOf } from "../../wire/token.ts";
import { EXPLAIN_MS, RemoteClaim, type Turn } from "../remote/claim.ts";
import { leaseSecondsOf } from "../remote/lease-clock.ts";
import { silent, unreachable } from "../remote/trouble.ts";
import type { Connection } from "./connection.ts";
import { speaksOtherwise } from "./errors.ts";
import { TcpHolding } from "./holding.ts";
import { TcpLookout } from "./lookout.ts";
import type { LockServer } from "./server.ts";
import { keyIn, statusOf } from "./status.ts";

/**
 * The bytes of a claim's id. The id is a secret: by it the server gives back the place, or the lock, that it
 * keeps for the claim.
 */
const CLAIM_BYTES = 16;
/** For requests that a server answers at once. */
const ANSWER_MS = 10_000;

export interface ClaimContext {
  readonly server: LockServer;
  readonly store: string;
  readonly wireKey: string;
}

interface Grant {
  readonly connection: Connection;
  readonly token: string;
  /** By `performance.now`: the lease lasts at least from here. */
  readonly provenAt: number;
  readonly slot: number;
  /** By the server's clock; null: not told. */
  readonly since: string | null;
}

/** The slot of a grant if there is only one, or the server does not tell which. */
const PLAIN: Pick<Grant, "slot" | "since"> = { slot: 0, since: null };

/** A claim at a dflockd server. Each time in line has a connection of its own, which then holds the lock. */
export class TcpClaim extends RemoteClaim<Grant> {
  readonly #server: LockServer;
  readonly #store: string;
  readonly #wireKey: string;
  readonly #introduction: Introduction;
  readonly #leaseSeconds: number;
  #lookout: TcpLookout | null = null;

  constructor(request: CheckedRequest, options: ClaimOptions, context: ClaimContext) {
    super(request, options);
    this.#server = context.server;
    this.#store = context.store;
    this.#wireKey = context.wireKey;
    const claim = randomHex(CLAIM_BYTES);
    this.#introduction = { owner: request.owner, note: request.note, claim };
    this.#leaseSeconds = leaseSecondsOf(request);
  }

  protected get shown(): string {
    return this.#server.address.shown;
  }

  protected report(trouble: string): void {
    this.#lookout?.report(trouble);
  }

  /** From the introduction to the grant. */
  protected async stand(): Promise<Turn<Grant>> {
    const { signal } = this;
    const server = this.#server;
    const { connection, stats } = await server.introduce(this.#introduction, { signal });
    let left: Promise<void> | null = null;
    const leave = () => {
      // Our server says goodbye once the claim is out of its line; other servers do not notice that it left.
      if (server.isOurs) left ??= connection.leave();
      else connection.destroy();
    };
    signal.addEventListener("abort", leave, { once: true });
    let granted = false;
    try {
      if (signal.aborted) leave();
      const turn = await this.#joinLine(connection, stats.server?.conn_id ?? null);
      granted = turn.kind === "granted" && !signal.aborted;
      return turn;
    } finally {
      signal.removeEventListener("abort", leave);
      await left;
      if (!granted) connection.destroy();
    }
  }

  protected hold({ connection, token, provenAt, slot, since }: Grant): TcpHolding {
    const { slots, ttl, refresh, grace } = this.request;
    const fence = this.#server.isOurs ? fenceOf(token) : null;
    return new TcpHolding({
      server: this.#server,
      connection,
      introduction: this.#introduction,
      lease: this.leaseOf({
        store: this.#store,
        fence,
        slots: [slot],
        resources: null,
        since: since ?? sinceOf(fence),
        token,
      }),
      wireKey: this.#wireKey,
      slots,
      leaseSeconds: this.#leaseSeconds,
      provenAt,
      grace,
      boundAt: refresh ? null : provenAt + ttl,
    });
  }

  protected async look(): Promise<KeyStatus> {
    const question = keyStatsRequest(this.#wireKey);
    const { connection, stats } = await this.#server.greet(question, { patience: EXPLAIN_MS });
    connection.destroy();
    return statusOf(keyIn(stats, this.#wireKey), this.#store, this.request.key);
  }

  /** `number`: the server's name for the connection; null: not told. */
  async #joinLine(connection: Connection, number: number | null): Promise<Turn<Grant>> {
    const key = this.#wireKey;
    const { slots: limit } = this.request;
    const lease = this.#leaseSeconds;
    const waits = this.term.mayWait;
    const sentAt = performance.now();
    const joined = connection.ask(
      waits
        ? enqueueRequest({ key, limit, lease })
        : acquireRequest({ key, timeout: 0, limit, lease }),
    );
    // Asked in the same packet: if no number is told, the last in line is then this claim.
    const looked =
      this.onProgress !== undefined && waits ? connection.ask(keyStatsRequest(key)) : null;
    const reply = await this.#soon(joined);
    if (reply.kind === "timeout") return { kind: "timeout" };
    if (reply.kind === "error") {
      // A full line means that the lock is held. This claim wants to know no more.
      if (reply.word === "error_max_waiters" && !waits) return { kind: "timeout" };
      throw await this.#refusal(reply.word, connection);
    }
    if (reply.kind === "acquired" || reply.kind === "granted") {
      const { token } = reply;
      const isFresh = this.isFresh(sentAt, lease);
      if (!isFresh || this.#isSlotTold) return this.#proveGrant(connection, token);
      return { kind: "granted", grant: { connection, token, provenAt: sentAt, ...PLAIN } };
    }
    if (reply.kind !== "queued") throw speaksOtherwise(this.#server.address, reply.kind, null);
    this.placed();
    return this.#waitInLine(connection, looked, number);
  }

  async #waitInLine(
    connection: Connection,
    looked: Promise<Reply> | null,
    number: number | null,
  ): Promise<Turn<Grant>> {
    const key = this.#wireKey;
    const { slots: limit } = this.request;
    const lookout = this.#openLookout(() => connection.destroy());
    try {
      const turn = connection.ask(waitRequest({ key, limit, timeout: this.#secondsToWait() }));
      if (looked !== null) lookout?.start(this.#server.statsOf(await this.#soon(looked)), number);
      const reply = await turn;
      if (reply.kind !== "granted") return this.#dropped(wordOf(reply));
      return await this.#proveGrant(connection, reply.token);
    } catch (error) {
      // A claim that has stood in line does not fail because of a network that may come back.
      const failure = connection.failure ?? error;
      if (connection.failure === null && !isLockError(error, "STORE_UNREACHABLE")) throw error;
      return { kind: "dropped", error: failure as LockError };
    } finally {
      lookout?.stop();
    }
  }

  /**
   * Renews a lock that was granted. How long ago that was said is not known if this process was stopped or the
   * network is slow; and one version of the real server grants leases that are already over.
   */
  async #proveGrant(connection: Connection, token: string): Promise<Turn<Grant>> {
    const { slots: limit } = this.request;
    const renewal = { key: this.#wireKey, limit, token, lease: this.#leaseSeconds };
    for (;;) {
      // Asked before the proof, so that a slow answer about the slot does not make the proof old.
      const described = this.#isSlotTold ? this.#describe(connection, token) : PLAIN;
      const provenAt = performance.now();
      const asked = this.#soon(connection.ask(renewRequest(renewal)));
      const [proof, place] = await Promise.all([asked, described]);
      if (proof.kind !== "renewed") return this.#dropped("gave the turn away before it was taken");
      const isLate = this.isLate(provenAt, this.#leaseSeconds);
      if (!isLate) return { kind: "granted", grant: { connection, token, provenAt, ...place } };
    }
  }

  #openLookout(onForgotten: () => void): TcpLookout | null {
    if (this.onProgress === undefined) return null;
    const { onProgress, request } = this;
    this.#lookout = new TcpLookout({
      server: this.#server,
      wireKey: this.#wireKey,
      owner: request.owner.id,
      onProgress,
      onForgotten,
    });
    return this.#lookout;
  }

  /** Whether there are several slots and the server is ours, which tells the slot of a grant. */
  get #isSlotTold(): boolean {
    return this.request.slots > 1 && this.#server.isOurs === true;
  }

  async #describe(connection: Connection, token: string): Promise<Pick<Grant, "slot" | "since">> {
    const reply = await this.#soon(connection.ask(keyStatsRequest(this.#wireKey)));
    const leases = keyIn(this.#server.statsOf(reply), this.#wireKey)?.leases ?? [];
    const mine = leases.find(({ fence }) => fence === fenceOf(token));
    return { slot: mine?.slot ?? 0, since: mine?.since ?? null };
  }

  #dropped(why: string): Turn<Grant> {
    return { kind: "dropped", error: unreachable(this.#server.address, why) };
  }

  /** One second more than wanted: our own deadline decides, and leaves by closing the connection. */
  #secondsToWait(): number {
    const { endsAt } = this.term;
    if (endsAt === null) return LONGEST_WAIT_SECONDS;
    const left = Math.max(0, endsAt - performance.now());
    return Math.min(LONGEST_WAIT_SECONDS, Math.ceil(left / 1_000) + 1);
  }

  #soon(answer: Promise<Reply>): Promise<Reply> {
    return within(answer, ANSWER_MS, () => silent(this.#server.address, ANSWER_MS));
  }

  async #refusal(word: string, connection: Connection): Promise<LockError> {
    const { key, slots } = this.request;
    const { shown } = this;
    switch (word) {
      case "error_max_locks":
        return new LockError(
          "STORE_FULL",
          `The lock server ${shown} keeps as many keys as it may: raise its --max-locks, or try again when some are free.`,
        );
      case "error_max_waiters":
        return new LockError(
          "STORE_FULL",
          `The line for ${quote(key)} at the lock server ${shown} is full: raise its --max-waiters, or try again later.`,
        );
      case "error_limit_mismatch": {
        const reply = await this.#soon(connection.ask(keyStatsRequest(this.#wireKey)));
        const present = keyIn(this.#server.statsOf(reply), this.#wireKey)?.slots;
        if (present !== undefined) return slotsMismatch(key, slots, present);
        return new LockError(
          "SLOTS_MISMATCH",
          `The lock server ${shown} remembers the key ${quote(key)} with another number of slots than ${slots}: use the same number, or wait a minute until it has forgotten it.`,
        );
      }
      default:
        return this.#server.refusal(word);
    }
  }
}

/** A fence is the server's own clock at the grant, in microseconds. */
function sinceOf(fence: number | null): string {
  const milliseconds = fence === null ? Date.now() : Math.floor(fence / 1_000);
  return new Date(milliseconds).toISOString();
}

function wordOf(reply: Reply): string {
  return reply.kind === "error" ? "sent this claim away" : `said ${reply.kind}`;
}
