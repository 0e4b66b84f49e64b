import { setTimeout as delay } from "node:timers/promises";
import { isLockError, LockError } from "../../lock/errors.ts";
import type { CheckedRequest } from "../../lock/request.ts";
import { slotsMismatch } from "../../lock/request.ts";
import { quote } from "../../lock/text.ts";
import { unreachable } from "../remote/errors.ts";
import { REJOIN_LIMIT_MS, REJOIN_MS } from "../remote/in-line.ts";
import { type Answer, type Fields, numberIn } from "./answer.ts";
import { ANSWER_MS, type LockServer } from "./client.ts";
import { speaksOtherwise } from "./errors.ts";
import { confirmOwn, refuseSlots } from "./foreign.ts";
import type { Lookout } from "./lookout.ts";
import type { Session } from "./session.ts";
import { pictureIn } from "./status.ts";

/** A request waits so long, then it is asked again: below what proxies allow, some of them 30 s. */
const WAIT_S = 20;
/** A server that knows no line is asked again after this, then less and less often. */
const POLL_MS = 250;
const POLL_LIMIT_MS = 5_000;
const AT_ONCE_MS = 500;

export type Turn =
  | {
      readonly kind: "granted";
      readonly session: Session;
      /** By `performance.now`: the lease lasts at least from here. */
      readonly provenAt: number;
      readonly fence: number | null;
      readonly slot: number;
      /** By the server's clock. */
      readonly since: string;
    }
  /** Only to those who do not wait. */
  | { readonly kind: "timeout" }
  /** The server no longer knows the session, and with it the place in line. */
  | { readonly kind: "dropped"; readonly error: LockError };

export interface LineOptions {
  readonly server: LockServer;
  readonly session: Session;
  readonly serverKey: string;
  readonly request: CheckedRequest;
  readonly leaseSeconds: number;
  /** Leaves the line; the session is for the caller to end. */
  readonly signal: AbortSignal;
  readonly waits: boolean;
  /** By `performance.now`: when the claim gives up; null: never. */
  readonly endsAt: number | null;
  readonly lookout: Lookout | null;
  /** The claim has stood in line before, in another session. */
  readonly wasPlaced: boolean;
  /** The server has said that it stands in line. */
  readonly onPlaced: () => void;
  readonly traces: Traces;
}

/** What a claim leaves at a server. */
export interface Traces {
  session: Session | null;
  /** The server may have granted it the lock, without an answer that came here. */
  mayHold: boolean;
}

/** One session's time in line: it asks again and again, until it is granted or sent away for good. */
export async function standInLine(options: LineOptions): Promise<Turn> {
  const { signal } = options;
  const line = new Line(options);
  for (;;) {
    const next = await line.ask();
    if (typeof next !== "number") return next;
    // Those who were sent away together do not come back together.
    const pause = next * (0.75 + Math.random() / 2);
    if (pause > 0) await delay(pause, undefined, { signal }).catch(() => {});
  }
}

class Line {
  readonly #options: LineOptions;
  #isPlaced: boolean;
  #failingSince: number | null = null;
  #pollMs = POLL_MS;

  constructor(options: LineOptions) {
    this.#options = options;
    this.#isPlaced = options.wasPlaced;
  }

  /** How it ended, or the milliseconds after which to ask again. */
  async ask(): Promise<Turn | number> {
    const { session, serverKey, request, signal, waits, endsAt, lookout, traces } = this.#options;
    const recall = lookout?.recall();
    const sentAt = performance.now();
    // One second more than wanted: our own deadline decides. But should nobody hear that we leave,
    // the server must not keep the place for long.
    const left = endsAt === null ? WAIT_S : Math.ceil((endsAt - sentAt) / 1_000) + 1;
    const wait = waits ? Math.max(1, Math.min(WAIT_S, left)) : 0;
    traces.mayHold = true;
    let answer: Answer;
    try {
      answer = await session.lock("acquire", serverKey, {
        ...(request.slots === 1 ? {} : { slots: request.slots }),
        ...(waits ? { wait } : {}),
        signal: recall === undefined ? signal : AbortSignal.any([signal, recall]),
        patience: wait * 1_000 + ANSWER_MS,
      });
    } catch (error) {
      if (signal.aborted) throw error;
      // The place is gone, as the lookout saw: it is asked for anew.
      if (recall?.aborted) return 0;
      // The server was there when it opened the session: it may be back.
      return this.#forgive(error, true);
    }
    try {
      return await this.#hear(answer, sentAt);
    } catch (error) {
      if (signal.aborted) throw error;
      const pause = await this.#forgive(error, waited(sentAt));
      return Math.max(answer.retryAfter ?? 0, pause);
    }
  }

  async #hear(answer: Answer, sentAt: number): Promise<Turn | number> {
    const { server, session, waits } = this.#options;
    const { status, body } = answer;
    if (status >= 400 && status < 500) this.#options.traces.mayHold = false;
    if (status === 200) {
      const turn = await grant(answer, sentAt, this.#options);
      if (turn === null) this.#failingSince = null;
      return turn ?? POLL_MS;
    }
    if (status === 423 && body !== null) return waits ? this.#wait(body, sentAt) : TIMEOUT;
    if (status === 401 && !session.isGiven && waits) {
      return { kind: "dropped", error: unreachable(server.address, "no longer knows this claim") };
    }
    throw await refusalOf(answer, this.#options);
  }

  #wait(body: Fields, sentAt: number): number {
    const { server, request, lookout, onPlaced } = this.#options;
    const picture = pictureIn(body);
    this.#failingSince = null;
    if (picture.position === undefined) {
      refuseSlots(server, request);
      server.isOurs = false;
      lookout?.tell(picture);
      const pause = this.#pollMs;
      this.#pollMs = Math.min(pause * 1.5, POLL_LIMIT_MS);
      return pause;
    }
    this.#isPlaced = true;
    server.isOurs = true;
    onPlaced();
    return waited(sentAt) ? 0 : REJOIN_MS;
  }

  /** Whoever stood in line once does not fail for a server or a network that may come back. */
  async #forgive(error: unknown, stood: boolean): Promise<number> {
    const { server, waits, lookout } = this.#options;
    this.#isPlaced ||= stood || lookout?.isPlaced === true;
    this.#failingSince ??= performance.now();
    const isPatient = performance.now() - this.#failingSince < REJOIN_LIMIT_MS;
    const mayPass = isLockError(error, "STORE_UNREACHABLE") || isLockError(error, "STORE_FULL");
    if (!waits || !this.#isPlaced || !isPatient || !mayPass) throw error;
    lookout?.report(`${error.message.replace(/\.$/, "")}; asking again`);
    await server.dropIdle();
    return REJOIN_MS;
  }
}

const TIMEOUT: Turn = { kind: "timeout" };

/** An answer that took so long came from somebody who let us wait. */
function waited(sentAt: number): boolean {
  return performance.now() - sentAt > AT_ONCE_MS;
}

/** Null: the server said so, but it is not true, or no longer. */
async function grant(
  { status, body, ...rest }: Answer,
  sentAt: number,
  options: LineOptions,
): Promise<Turn | null> {
  const { server, session, serverKey, leaseSeconds, signal } = options;
  if (body?.message === undefined) {
    throw speaksOtherwise(server.address, { status, body, ...rest }, server.secret);
  }
  const fence = numberIn(body, "fence");
  const lockedAt = numberIn(body, "lockedAt");
  let provenAt = sentAt;
  server.isOurs = fence !== null;
  if (fence === null) {
    if (!(await confirmOwn(options))) return null;
  } else if (performance.now() - sentAt > (leaseSeconds * 1_000) / 6) {
    // How long ago that was said is not known, if this process was stopped for a while, and the
    // session may be over by now. A refresh is proof.
    provenAt = performance.now();
    const proof = await session.lock("refresh", serverKey, { signal });
    if (proof.status !== 200 || numberIn(proof.body, "fence") !== fence) return null;
  }
  return {
    kind: "granted",
    session,
    provenAt,
    fence,
    slot: numberIn(body, "slot") ?? 0,
    since: new Date(lockedAt ?? Date.now()).toISOString(),
  };
}

async function refusalOf(
  answer: Answer,
  { server, session, serverKey, request, signal }: LineOptions,
): Promise<LockError> {
  if (answer.status !== 409) return server.refusal(answer);
  const { body } = await session.lock("status", serverKey, { signal });
  const present = numberIn(body, "slots");
  if (present !== null && present !== request.slots) {
    return slotsMismatch(request.key, request.slots, present);
  }
  return new LockError(
    "SLOTS_MISMATCH",
    `The lock server ${server.address.shown} remembers the key ${quote(request.key)} with another number of slots than ${request.slots}: use the same number, or wait until it has forgotten it.`,
  );
}
