import { isLockError, LockError } from "../../lock/errors.ts";
import {
  furtherIntroductions,
  type Introduction,
  introductionRequest,
} from "../../wire/introduction.ts";
import type { Reply } from "../../wire/reply.ts";
import { authRequest, type Request } from "../../wire/request.ts";
import { isHoldfast, parseStats, type Stats } from "../../wire/stats.ts";
import type { StoreOptions } from "../options.ts";
import { readTrusted } from "../remote/certificates.ts";
import { denied, mayOnlyLook } from "../remote/errors.ts";
import type { Pace } from "../remote/lease-clock.ts";
import { silent, unreachable } from "../remote/trouble.ts";
import { aborted } from "../sentences.ts";
import type { Address } from "./address.ts";
import { Connection } from "./connection.ts";
import { speaksOtherwise } from "./errors.ts";

/** From the first packet to the first answer: a busy server far away needs a second or two. */
export const GREETING_MS = 10_000;

/** A connection on which the server has said who it is. */
export interface Greeted {
  readonly connection: Connection;
  /** The answer to the first request. */
  readonly stats: Stats;
}

export interface GreetingOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds. */
  readonly patience?: number;
  /** False: it does not keep this process running. */
  readonly keepAlive?: boolean;
}

/** One lock server, as its clients know it: how to reach it, and what it turned out to be. */
export class LockServer {
  readonly address: Address;
  readonly #options: StoreOptions;
  #certificates: Promise<readonly string[] | undefined> | null = null;
  /** The server has no token, and answers `error` when it is shown one. */
  #wantsNoToken = false;
  #isOurs: boolean | null = null;
  #pace = tcpPace();

  constructor(address: Address, options: StoreOptions) {
    this.address = address;
    this.#options = options;
  }

  /** Whether its tokens carry a fence and its stats names; null: not yet known. */
  get isOurs(): boolean | null {
    return this.#isOurs;
  }

  /** How often its holders have to speak. */
  get pace(): Pace {
    return this.#pace;
  }

  /**
   * Opens a connection, shows the token if there is one, and sends `first`: any form of `stats`, which every
   * server answers. Throws what is wrong with the server.
   */
  async greet(first: Request, options: GreetingOptions = {}): Promise<Greeted> {
    const { signal, patience = GREETING_MS } = options;
    const certificates = await this.#trusted();
    if (signal?.aborted) throw aborted();
    const secret = this.#secret();
    const connection = new Connection(this.address, { secret, ...certificates });
    if (options.keepAlive === false) connection.keepAlive(false);
    const late = setTimeout(
      () => connection.destroy(silent(this.address, patience)),
      Math.max(1, patience),
    );
    if (options.keepAlive === false) late.unref();
    const cancel = () => connection.destroy(aborted());
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      if (secret !== null && !(await this.#authenticate(connection, secret))) {
        connection.destroy();
        return await this.greet(first, options);
      }
      const stats = this.statsOf(await connection.ask(first));
      this.#isOurs = isHoldfast(stats);
      this.#pace = tcpPace(stats.server?.read_timeout_s);
      return { connection, stats };
    } catch (error) {
      connection.destroy();
      // It may have been started anew, with a token: next time it is shown ours again.
      if (isLockError(error, "STORE_DENIED")) this.#wantsNoToken = false;
      throw error;
    } finally {
      clearTimeout(late);
      signal?.removeEventListener("abort", cancel);
    }
  }

  /**
   * Greets with an introduction, and tells our server the rest of it. The replies to that come before
   * all others and say nothing.
   */
  async introduce(introduction: Introduction, options: GreetingOptions = {}): Promise<Greeted> {
    const greeted = await this.greet(introductionRequest(introduction), options);
    if (this.#isOurs) {
      for (const more of furtherIntroductions(introduction)) void greeted.connection.ask(more);
    }
    return greeted;
  }

  /** The content of a reply to `stats`; throws if it has none. */
  statsOf(reply: Reply): Stats {
    if (reply.kind === "error") throw this.refusal(reply.word);
    const stats = reply.kind === "stats" ? parseStats(reply.json) : null;
    if (stats !== null) return stats;
    throw speaksOtherwise(this.address, reply.kind, null);
  }

  /** What an `error…` means that has no meaning of its own for the question. */
  refusal(word: string): LockError {
    if (word === "error_auth_read_only") return mayOnlyLook(this.address);
    if (word === "error_auth") return this.#denied();
    return unreachable(this.address, `refused the request (${word}): it may be about to stop`);
  }

  /** A job that has an ID token and no secret is told of the door that takes it. */
  #denied(): LockError {
    const { HOLDFAST_ID_TOKEN, ACTIONS_ID_TOKEN_REQUEST_URL } =
      this.#options.variables ?? process.env;
    const secret = this.#secret();
    if (secret !== null || !(HOLDFAST_ID_TOKEN || ACTIONS_ID_TOKEN_REQUEST_URL)) {
      return denied(this.address, secret);
    }
    return new LockError(
      "NOT_SUPPORTED",
      `The lock server ${this.address.shown} asks for a token, and an ID token does not fit into a line of this protocol: use the server's https:// address, or give its token in HOLDFAST_TOKEN or the token input.`,
    );
  }

  /**
   * False: the server has no token. Some servers close the connection then, and some do not: a new start suits
   * both.
   */
  async #authenticate(connection: Connection, secret: string): Promise<boolean> {
    const reply = await connection.ask(authRequest(secret));
    if (reply.kind === "ok") return true;
    if (reply.kind !== "error") throw speaksOtherwise(this.address, reply.kind, null);
    if (reply.word !== "error") throw this.refusal(reply.word);
    this.#wantsNoToken = true;
    return false;
  }

  /** Servers trim their token, and a secret from a file often ends in a newline. */
  #secret(): string | null {
    return this.#wantsNoToken ? null : this.#options.token?.trim() || null;
  }

  async #trusted(): Promise<{ certificates?: readonly string[] }> {
    if (!this.address.secure) return {};
    this.#certificates ??= readTrusted(this.#options);
    const certificates = await this.#certificates;
    return certificates === undefined ? {} : { certificates };
  }
}

/** dflockd's default: a server that does not tell its timeout is taken to have this one. */
const USUAL_PATIENCE_MS = 23_000;

/**
 * How often a holder speaks. A server cuts off a connection that is silent for its read timeout, and frees the
 * lock with it, however long its lease. So a holder speaks three times as often, and gives up while there is
 * time left for its command to end. Our server tells its timeout; a timeout longer than usual is not relied
 * upon.
 */
export function tcpPace(readTimeoutSeconds?: number): Pace {
  const told = Number(readTimeoutSeconds) * 1_000;
  const serverPatience = told > 0 ? Math.min(told, USUAL_PATIENCE_MS) : USUAL_PATIENCE_MS;
  return {
    serverPatience,
    silenceLimit: (serverPatience * 7) / 23,
    giveUpLimit: (serverPatience * 20) / 23,
  };
}
