import type { OutgoingHttpHeaders } from "node:http";
import { formatDuration } from "../../lock/duration.ts";
import type { StoreOptions } from "../options.ts";
import { Exchange, retryAfterIn, type Sending, type WholeAnswer } from "../remote/exchange.ts";
import { proxyOf } from "../remote/proxy.ts";
import { explainNoAnswer, type Named, unanswered, unreachable } from "../remote/trouble.ts";
import type { CallOptions } from "./register.ts";
import { sleep, Waits } from "./waits.ts";

/** A request, which may have to be sent more than once. */
export interface Request extends Omit<Sending, "host" | "port" | "headers" | "signal"> {
  /** Made anew for each try: a signature holds for a while only. */
  headers(): OutgoingHttpHeaders | Promise<OutgoingHttpHeaders>;
  /** Bytes that the answer may have. */
  readonly limit: number;
}

export interface Answer extends WholeAnswer {
  /** An earlier try of the same request may have been carried out. */
  readonly isSecond: boolean;
}

/** How a server says that it is asked too often. */
export interface Limits {
  /** `always`: it asks for a wait, and may say how long. `if-told`: it asks only if it says how long. */
  asksToWait(answer: WholeAnswer): "always" | "if-told" | "no";
  /** Milliseconds of the first wait if the server does not say how long; it doubles. */
  readonly firstWait: number;
  /** What helps if the server asks again and again. */
  readonly advice: string;
}

/** One HTTP server of an engine, on connections that are kept in between. It gets the patience that it asks for. */
export class HttpServer {
  readonly #server: Named & { readonly port: number };
  readonly #limits: Limits;
  readonly #exchange: Exchange;
  readonly #explain: (error: unknown, patience: number) => unknown;

  /** `idle`: milliseconds after which a silent connection is closed, before the server does so. */
  constructor(
    server: Named & { readonly port: number; readonly secure: boolean },
    options: StoreOptions,
    idle: number,
    limits: Limits,
  ) {
    const proxy = proxyOf(server, options.variables ?? process.env);
    this.#server = server;
    this.#limits = limits;
    this.#exchange = new Exchange(server, options, { timeout: idle });
    this.#explain = (error, patience) =>
      unanswered(error, (none) => explainNoAnswer(server, proxy, none, patience));
  }

  /** By the Date header of the answers. */
  get clock() {
    return this.#exchange.clock;
  }

  /**
   * The whole answer, whatever its status. Throws a LockError if nothing was sent, AnswerLost if something was,
   * and the signal's reason if the signal fires.
   */
  async ask(request: Request, { signal, onTrouble }: CallOptions = {}): Promise<Answer> {
    const { limit, headers, ...rest } = request;
    const { host, port, called } = this.#server;
    const waits = new Waits();
    let isSecond = false;
    for (let tries = 0; ; tries++) {
      const sending = { ...rest, host, port, headers: await headers(), signal };
      const answer = await this.#exchange.ask(sending, limit).catch((error) => {
        throw this.#explain(error, rest.patience);
      });
      const asked = this.#waitAskedFor(answer, tries);
      if (asked === null) return { ...answer, isSecond };
      const wait = waits.next(asked);
      if (wait === null) {
        const why = `is rate-limiting requests again and again, for ${formatDuration(waits.waited)} by now: ${this.#limits.advice}`;
        throw unreachable(this.#server, why);
      }
      // A proxy may say 503 about a request that it has passed on; 429 says that nothing was done.
      if (answer.status >= 500) isSecond = true;
      onTrouble?.(
        `${called} is rate-limiting requests (${answer.status}): trying again in ${formatDuration(wait)}.`,
      );
      await sleep(wait, signal);
    }
  }

  close(): Promise<void> {
    return this.#exchange.close();
  }

  /** Milliseconds that the server asks to wait; null: it does not ask. */
  #waitAskedFor(answer: WholeAnswer, tries: number): number | null {
    const asks = this.#limits.asksToWait(answer);
    if (asks === "no") return null;
    const told = retryAfterIn(answer.headers);
    return asks === "if-told" ? told : (told ?? this.#limits.firstWait * 2 ** tries);
  }
}
