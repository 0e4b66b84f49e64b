import { isLockError, LockError, messageOf } from "../../lock/errors.ts";
import type { CheckedRequest } from "../../lock/request.ts";
import { slotsMismatch } from "../../lock/request.ts";
import { quote } from "../../lock/text.ts";
import type { Deadline } from "../../lock/time.ts";
import { within } from "../../lock/time.ts";
import { type Introduction, introductionRequest } from "../../wire/introduction.ts";
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
import type { Connection } from "./connection.ts";
import { silent, speaksOtherwise } from "./errors.ts";
import type { Lookout } from "./lookout.ts";
import type { LockServer } from "./server.ts";
import { keyIn } from "./status.ts";

/** For requests that a server answers at once. */
const ANSWER_MS = 10_000;

export type Turn =
  | {
      readonly kind: "granted";
      readonly connection: Connection;
      readonly token: string;
      /** By `performance.now`: the lease lasts at least from here. */
      readonly provenAt: number;
      readonly slot: number;
      /** By the server's clock; null: not told. */
      readonly since: string | null;
    }
  /** Only to those who do not wait. */
  | { readonly kind: "timeout" }
  /** The place in line is gone, without the claim's doing. */
  | { readonly kind: "dropped"; readonly why: string };

export interface TurnOptions {
  readonly server: LockServer;
  readonly wireKey: string;
  readonly request: CheckedRequest;
  /** Its signal closes the connection, and so leaves the line. */
  readonly deadline: Deadline;
  /** Milliseconds; 0: do not wait; null: without limit. */
  readonly waitFor: number | null;
  readonly introduction: Introduction;
  readonly wantsProgress: boolean;
  readonly onQueued: () => void;
  /** Called when the claim stands in line. */
  readonly openLookout: (onForgotten: () => void) => Lookout | null;
}

/** One time in line, on a connection of its own: from the introduction to the grant. */
export async function takeTurn(options: TurnOptions): Promise<Turn> {
  const { server, introduction, deadline } = options;
  const hello = introductionRequest(introduction);
  const { connection } = await server.greet(hello, { signal: deadline.signal });
  let left: Promise<void> | null = null;
  const leave = () => {
    // Our server says goodbye once the claim is out of its line; others notice nobody who waits.
    if (server.isOurs) left ??= connection.leave();
    else connection.destroy();
  };
  deadline.signal.addEventListener("abort", leave, { once: true });
  let granted = false;
  try {
    if (deadline.signal.aborted) leave();
    const turn = await standInLine(connection, options);
    granted = turn.kind === "granted" && !deadline.signal.aborted;
    return turn;
  } finally {
    deadline.signal.removeEventListener("abort", leave);
    await left;
    if (!granted) connection.destroy();
  }
}

async function standInLine(connection: Connection, options: TurnOptions): Promise<Turn> {
  const { server, wireKey: key, request, waitFor } = options;
  const { slots: limit } = request;
  const lease = leaseSecondsOf(request);
  const sentAt = performance.now();
  const joined = connection.ask(
    waitFor === 0
      ? acquireRequest({ key, timeout: 0, limit, lease })
      : enqueueRequest({ key, limit, lease }),
  );
  // Asked in the same breath: the last in line is then this claim, whoever else comes.
  const looked = options.wantsProgress ? connection.ask(keyStatsRequest(key)) : null;
  const reply = await soon(joined, server);
  if (reply.kind === "timeout") return { kind: "timeout" };
  if (reply.kind === "error") {
    // A full line means that the lock is held, and that is all that this claim wants to know.
    if (reply.word === "error_max_waiters" && waitFor === 0) return { kind: "timeout" };
    throw await refusal(reply.word, connection, options);
  }
  if (reply.kind === "acquired" || reply.kind === "granted") {
    return describeGrant(connection, reply.token, sentAt, options);
  }
  if (reply.kind !== "queued") throw speaksOtherwise(server.address, reply.kind, null);
  options.onQueued();
  return waitInLine(connection, looked, options);
}

async function waitInLine(
  connection: Connection,
  looked: Promise<Reply> | null,
  options: TurnOptions,
): Promise<Turn> {
  const { server, wireKey: key, request, openLookout } = options;
  const { slots: limit } = request;
  const lookout = openLookout(() => connection.destroy());
  try {
    const turn = connection.ask(waitRequest({ key, limit, timeout: secondsOf(options.waitFor) }));
    if (looked !== null) lookout?.start(server.statsOf(await soon(looked, server)));
    const reply = await turn;
    if (reply.kind !== "granted") return { kind: "dropped", why: wordOf(reply) };
    // How long ago that was said is not known, if this process was stopped for a while; and one
    // version of the real server says it of leases that are over. A renewal is proof of both.
    const { token } = reply;
    const sentAt = performance.now();
    const lease = leaseSecondsOf(request);
    const proof = await soon(connection.ask(renewRequest({ key, limit, token, lease })), server);
    if (proof.kind !== "renewed") return { kind: "dropped", why: "the turn came and went" };
    return await describeGrant(connection, token, sentAt, options);
  } catch (error) {
    // Whoever stood in line once does not fail for a network that may come back.
    const why = connection.failure ?? error;
    if (connection.failure === null && !isLockError(error, "STORE_UNREACHABLE")) throw error;
    return { kind: "dropped", why: messageOf(why) };
  } finally {
    lookout?.stop();
  }
}

/** Our server tells which of several slots it is; one that only counts does not. */
async function describeGrant(
  connection: Connection,
  token: string,
  provenAt: number,
  { server, wireKey, request }: TurnOptions,
): Promise<Turn> {
  const grant = { kind: "granted", connection, token, provenAt } as const;
  if (request.slots === 1 || !server.isOurs) return { ...grant, slot: 0, since: null };
  const reply = await soon(connection.ask(keyStatsRequest(wireKey)), server);
  const leases = keyIn(server.statsOf(reply), wireKey)?.leases ?? [];
  const mine = leases.find(({ fence }) => fence === fenceOf(token));
  return { ...grant, slot: mine?.slot ?? 0, since: mine?.since ?? null };
}

/**
 * The server counts one time only: how long it hears nothing until it gives the lock to the next.
 * That is the lease, or the ttl where it is shorter, since the lock must not outlive its last
 * refresh by more. A longer ttl needs nothing from the server: the renewals go on as long as the
 * holder lives, or, where the ttl is a hard bound, until its end.
 */
export function leaseSecondsOf({ deadAfter, ttl }: CheckedRequest): number {
  return Math.max(1, Math.ceil(Math.min(deadAfter, ttl) / 1_000));
}

/** One second more than wanted: our own deadline decides, and leaves by closing the connection. */
function secondsOf(waitFor: number | null): number {
  if (waitFor === null) return LONGEST_WAIT_SECONDS;
  return Math.min(LONGEST_WAIT_SECONDS, Math.ceil(waitFor / 1_000) + 1);
}

function soon(answer: Promise<Reply>, server: LockServer): Promise<Reply> {
  return within(answer, ANSWER_MS, () => silent(server.address, ANSWER_MS));
}

function wordOf(reply: Reply): string {
  return reply.kind === "error" ? "the server sent it away" : `the server said ${reply.kind}`;
}

async function refusal(
  word: string,
  connection: Connection,
  { server, wireKey, request }: TurnOptions,
): Promise<LockError> {
  const name = quote(request.key);
  const { shown } = server.address;
  switch (word) {
    case "error_max_locks":
      return new LockError(
        "STORE_FULL",
        `The lock server ${shown} keeps as many keys as it may: raise its --max-locks, or try again when some are free.`,
      );
    case "error_max_waiters":
      return new LockError(
        "STORE_FULL",
        `The line for ${name} at the lock server ${shown} is full: raise its --max-waiters, or try again later.`,
      );
    case "error_limit_mismatch": {
      const reply = await soon(connection.ask(keyStatsRequest(wireKey)), server);
      const present = keyIn(server.statsOf(reply), wireKey)?.slots;
      if (present !== undefined) return slotsMismatch(request.key, request.slots, present);
      return new LockError(
        "SLOTS_MISMATCH",
        `The lock server ${shown} remembers the key ${name} with another number of slots than ${request.slots}: use the same number, or wait a minute until it has forgotten it.`,
      );
    }
    default:
      return server.refusal(word);
  }
}
