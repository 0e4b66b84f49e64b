import { formatDuration } from "../../../lock/duration.ts";
import type { LockError } from "../../../lock/errors.ts";
import { cutToBytes, maySendSecret } from "../../../lock/text.ts";
import { sleep, Waits } from "../../document/pauses.ts";
import type { StoreOptions } from "../../options.ts";
import type { ServerClock } from "../../remote/server-clock.ts";
import type { CallOptions } from "../register.ts";
import { AnswerLost } from "../trouble.ts";
import type { GitAddress } from "./address.ts";
import { type Credentials, credentialsOf, withoutSecrets } from "./credentials.ts";
import { askedTooOften, halfAnswered, notGit, otherIds, troubled, unreachable } from "./explain.ts";
import { ServerSaid } from "./protocol/messages.ts";
import { ProtocolError, Truncated } from "./protocol/pkt-line.ts";
import { pushRefused, refusedBy } from "./refusal.ts";
import { TokenAge } from "./token-age.ts";
import { type Question, type Reply, Transport } from "./transport.ts";

/** What the environment and tests may set apart from the store's options. */
export interface GitSettings {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds until an answer must be complete. */
  readonly patience?: number;
  /** The clock of the token's age, in milliseconds. Only tests bring another. */
  readonly now?: () => number;
}

/** A push is answered in some hundred bytes, a commit in as many as its document has. */
export const ANSWER_BYTES_LIMIT = 1024 * 1024;
/** Of a list of refs, which is as long as the store has keys: about a hundred thousand. */
export const LIST_BYTES_LIMIT = 8 * 1024 * 1024;

const REDIRECTS_LIMIT = 3;
/** The first wait where the server does not say how long; it doubles. */
const WAIT_DEFAULT_MS = 5_000;
const SHOWN_BYTES = 300;
/** Where a page has its title. Looked for in all of a long answer, it could cost seconds. */
const TITLE_BYTES = 4 * 1024;

/** An answer of git's, and whether an earlier try of the same request may have been carried out. */
export interface Answer {
  readonly bytes: Buffer;
  readonly isSecond: boolean;
}

/** A git server over smart HTTP: waits where it asks for patience, and knows what its refusals mean. */
export class GitServer {
  readonly address: GitAddress;
  readonly #credentials: Credentials;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #transport: Transport;
  readonly #tokenAge: TokenAge;
  /** Where the repository is now; a forge redirects from a name that it had before. */
  #path: string;

  constructor(address: GitAddress, options: StoreOptions, settings: GitSettings) {
    this.address = address;
    this.#env = settings.env ?? process.env;
    this.#credentials = credentialsOf(address, options, this.#env);
    this.#transport = new Transport(address, this.#credentials, options, settings.patience);
    this.#tokenAge = new TokenAge(this.#credentials.isJobs, this.#env, settings.now);
    this.#path = address.path;
  }

  /** A read: it may be sent again, and whatever fails is a LockError. */
  async read(question: Question, { onTrouble, signal }: CallOptions = {}): Promise<Buffer> {
    const asked = { ...question, signal };
    try {
      return (await this.#ask(asked, onTrouble, true)).bytes;
    } catch (error) {
      throw error instanceof AnswerLost ? error.why : error;
    }
  }

  /** A write: throws AnswerLost where it may have been carried out, and a LockError where it was not. */
  write(question: Question, { onTrouble, signal }: CallOptions = {}): Promise<Answer> {
    return this.#ask({ ...question, signal }, onTrouble, false);
  }

  /** What an answer means that is not what git's protocol says. */
  misunderstood(error: unknown): LockError {
    if (!(error instanceof ProtocolError)) throw error;
    const words = withoutSecrets(error.message, this.#credentials);
    // git's words where the asker's ids are of another length.
    if (/object.?format|sha256/i.test(words)) return otherIds(this.address);
    if (error instanceof Truncated) return halfAnswered(this.address, words);
    if (!(error instanceof ServerSaid)) return notGit(this.address, words);
    return unreachable(this.address, `could not answer (${cutToBytes(words, SHOWN_BYTES)})`);
  }

  /** The push was understood and refused. */
  pushRefused(reason: string, words: string): LockError {
    const shown = withoutSecrets(words, this.#credentials);
    return pushRefused(withoutSecrets(reason, this.#credentials), shown, this.#asker);
  }

  get clock(): ServerClock {
    return this.#transport.clock;
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  get #asker() {
    const hasToken = this.#credentials.authorization !== null;
    return { address: this.address, hasToken, env: this.#env };
  }

  async #ask(
    question: Question,
    onTrouble: CallOptions["onTrouble"],
    isRead: boolean,
  ): Promise<Answer> {
    const waits = new Waits();
    let isSecond = false;
    const warning = onTrouble === undefined ? null : this.#tokenAge.warning();
    if (warning !== null) onTrouble?.(warning);
    for (let tries = 0; ; tries++) {
      const reply = await this.#post(question, isRead);
      const asked = waitAskedFor(reply, tries);
      if (asked === null) return { bytes: this.#contentOf(reply, question, isRead), isSecond };
      const wait = waits.next(asked);
      if (wait === null) throw askedTooOften(this.address, waits.waited);
      // A gateway that says 503 may have passed the request on before; 429 says that nobody did.
      if (reply.status >= 500) isSecond = true;
      onTrouble?.(
        `The git server of ${this.address.shown} asks for patience (${reply.status}): trying again in ${formatDuration(wait)}.`,
      );
      await sleep(wait, question.signal);
    }
  }

  async #post(question: Question, isRead: boolean): Promise<Reply> {
    for (let hops = 0; ; hops++) {
      const reply = await this.#transport.post(this.#path, question).catch((error) => {
        // A kept connection may have been closed meanwhile: a read is simply sent on another.
        if (isRead && error instanceof AnswerLost && error.isStale) {
          return this.#transport.post(this.#path, question);
        }
        throw error;
      });
      if (reply.status < 300 || reply.status >= 400) return reply;
      const path = this.#pathFrom(reply, question);
      if (path === null || hops >= REDIRECTS_LIMIT) throw this.#redirected(reply);
      this.#path = path;
    }
  }

  #contentOf(reply: Reply, { service }: Question, isRead: boolean): Buffer {
    const { status, type, bytes } = reply;
    if (status === 200 && type === `application/x-${service}-result`) return bytes;
    const words = withoutSecrets(wordsOf(reply), this.#credentials);
    if (status >= 200 && status < 300) {
      const error = notGit(this.address, `${type || "no type"}, ${JSON.stringify(words)}`);
      throw isRead ? error : new AnswerLost(error);
    }
    if (status >= 500 || status === 408)
      throw new AnswerLost(troubled(this.address, status, words));
    throw refusedBy(status, words, this.#asker);
  }

  /** Where a redirect leads on the same server; null elsewhere: the token is for this server alone. */
  #pathFrom({ location }: Reply, { service }: Question): string | null {
    if (location === null) return null;
    const target = URL.parse(location, `${this.address.origin}${this.#path}/${service}`);
    if (target === null || !maySendSecret(target.origin, this.address.origin)) return null;
    const end = `/${service}`;
    return target.pathname.endsWith(end) ? target.pathname.slice(0, -end.length) : null;
  }

  #redirected({ status, location }: Reply): LockError {
    const target = location === null ? null : URL.parse(location, this.address.origin);
    // A query may carry a secret of the redirecting side.
    const where = target === null ? "nowhere" : `${target.origin}${target.pathname}`;
    return notGit(this.address, `${status}, it redirects to ${cutToBytes(where, SHOWN_BYTES)}`);
  }
}

/** Milliseconds; null: it does not ask for patience. GitHub says 403 too where a limit is reached. */
function waitAskedFor({ status, retryAfter }: Reply, tries: number): number | null {
  if (status === 429) return retryAfter ?? WAIT_DEFAULT_MS * 2 ** tries;
  return status === 503 || status === 403 ? retryAfter : null;
}

/** What a server says in place of an answer, or the title of its page. */
function wordsOf({ bytes }: Reply): string {
  const text = bytes.toString("utf8", 0, TITLE_BYTES);
  const title = /<title[^>]*>([^<]*)</i.exec(text)?.[1] ?? text;
  return cutToBytes(title.replace(/\s+/g, " ").trim(), SHOWN_BYTES);
}
