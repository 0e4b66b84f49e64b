import { messageOf } from "../../../lock/errors.ts";
import { brokenWords } from "../../../lock/history.ts";
import type { Lease, ReleaseOutcome } from "../../../lock/store.ts";
import { randomHex } from "../../../machine/random.ts";
import { countIn } from "../../remote/fields.ts";
import { type Released, RenewingHolding } from "../../remote/holding.ts";
import { LeaseClock } from "../../remote/lease-clock.ts";
import { pathOf } from "../address.ts";
import type { Answer } from "../answer.ts";
import type { LockServer } from "../client.ts";
import { type Operation, visit } from "../session.ts";

/**
 * How often the server is asked, in milliseconds: a run's hold does not hang on that, but a break is noticed.
 */
const LOOK_LIMIT_MS = 10_000;
/** After a question that got no answer. Nothing is in danger meanwhile. */
const RETRY_MS = 1_000;
/** As a lease, in seconds: silence never ends what a run holds. */
const ENDLESS_S = 1_000_000_000;
const ANSWER_MS = 10_000;
const NONCE_BYTES = 8;

const RUN_TOKEN = /^run\.([0-9a-f]{32})\.[0-9a-f]+$/;

/** The token of one lease of a run's hold: the server's own token, and a part that tells the leases apart. */
export function runToken(serverToken: string): string {
  return `run.${serverToken}.${randomHex(NONCE_BYTES)}`;
}

/** The server's token in that of a lease; null if the lease is a session's. */
export function serverTokenIn(token: string): string | null {
  return RUN_TOKEN.exec(token)?.[1] ?? null;
}

export interface HeldRun {
  readonly server: LockServer;
  readonly serverKey: string;
  readonly lease: Lease;
  readonly run: string;
  /** By `performance.now`, like the end. */
  readonly provenAt: number;
  readonly boundAt: number;
  readonly deadAfter: number;
}

/**
 * A lock that belongs to a run. It outlives this process and its sessions, so nothing has to be renewed: the
 * server is only asked whether the lock is still there.
 */
export class HttpRunHolding extends RenewingHolding {
  readonly #held: HeldRun;
  #retryAt: number | null = null;

  constructor(held: HeldRun) {
    const { lease, boundAt, provenAt, server, deadAfter } = held;
    const clock = new LeaseClock(ENDLESS_S, provenAt, {
      silenceLimit: Math.min(LOOK_LIMIT_MS, deadAfter / 3),
      serverPatience: Number.POSITIVE_INFINITY,
      giveUpLimit: Number.POSITIVE_INFINITY,
    });
    const silence = `the lock server ${server.address.shown} does not answer`;
    super({ lease, clock, boundAt, silence });
    this.#held = held;
    this.schedule();
  }

  protected ask(): void {
    const { server, serverKey, run, lease } = this.#held;
    const sentAt = performance.now();
    this.clock.sent(sentAt);
    const manner = { patience: ANSWER_MS, signal: this.over, background: !this.isAwaited };
    const terms = { run, ...(lease.fence === null ? {} : { fence: lease.fence }) };
    visit(server, manner, (session) => session.lock("refresh", serverKey, manner, terms))
      .then((answer) => this.#hear(answer, sentAt))
      .catch((error) => this.#fail(messageOf(error)));
  }

  protected get nextAt(): number {
    return this.#retryAt ?? this.clock.nextAt;
  }

  protected askAgain(): void {
    if (this.#retryAt !== null || this.clock.isUnanswered) void this.#held.server.dropIdle();
    this.#retryAt = null;
    this.ask();
  }

  protected tellRelease(): Promise<Released> {
    const { server, serverKey, lease } = this.#held;
    return releaseByToken(server, serverKey, serverTokenIn(lease.token) ?? "");
  }

  /** Nothing is told: at the end of its ttl the server ends it, by the clock that the others see. */
  protected tellReleaseOfLost(): void {}

  protected leave(): void {}

  #hear(answer: Answer, sentAt: number): void {
    if (this.isOver) return;
    const { status, body } = answer;
    const isOurWord = body !== null && (body.error !== undefined || body.message !== undefined);
    const isHeld = status === 200 && countIn(body, "fence") === this.lease.fence;
    if (isOurWord && isHeld) {
      this.#retryAt = null;
      this.proven(sentAt, Number.POSITIVE_INFINITY);
    } else if (isOurWord && (status === 404 || status === 200)) {
      const broken = status === 404 ? brokenWords(body) : null;
      this.lose(broken ?? "the server no longer counts it as held", { isFree: true });
    } else this.#fail(this.#held.server.refusal(answer).message);
  }

  #fail(trouble: string): void {
    if (this.isOver) return;
    this.trouble = trouble;
    this.#retryAt = performance.now() + RETRY_MS;
    this.schedule();
  }
}

/** Releases a run's hold by the server's token. A lock that belongs to somebody else by now is left alone. */
export async function releaseByToken(
  server: LockServer,
  serverKey: string,
  holdToken: string,
): Promise<ReleaseOutcome> {
  const manner = { patience: ANSWER_MS };
  const alone = await byToken(server, "release", serverKey, holdToken);
  if (alone !== null) return alone.status === 200 ? "released" : "already-gone";
  return visit(server, manner, async (session) => {
    const answer = await session.lock("release", serverKey, { ...manner, holdToken });
    if (answer.status === 200 && answer.body !== null) return "released";
    if (answer.status === 404 && answer.body?.error !== undefined) return "already-gone";
    throw server.refusal(answer);
  });
}

/** Whether a run still has the hold of that token; null: the server does not say it without a session. */
export async function isHeldByToken(
  server: LockServer,
  serverKey: string,
  holdToken: string,
  fence: number | null,
): Promise<boolean | null> {
  const answer = await byToken(server, "refresh", serverKey, holdToken);
  return answer && answer.status === 200 && countIn(answer.body, "fence") === fence;
}

/** Asks with the hold's token alone, as a job without a secret can; null: that is not enough. */
async function byToken(
  server: LockServer,
  operation: Operation,
  serverKey: string,
  holdToken: string,
): Promise<Answer | null> {
  if (server.secret !== null) return null;
  const path = `${pathOf(serverKey)}?lock=${operation}`;
  const question = { path, bearer: null, holdToken, patience: ANSWER_MS };
  const answer = await server.ask(question);
  const isTold = (answer.status === 200 || answer.status === 404) && answer.body !== null;
  return isTold ? answer : null;
}
