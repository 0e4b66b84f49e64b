import { formatDuration } from "../../../lock/duration.ts";
import type { LockError } from "../../../lock/errors.ts";
import { cutToBytes, maySendSecret } from "../../../lock/text.ts";
import type { StoreOptions } from "../../options.ts";
import { AnswerLost, unreachable } from "../../remote/trouble.ts";
import { withoutSecrets } from "../credentials.ts";
import { type Answer, HttpServer } from "../http.ts";
import type { CallOptions } from "../register.ts";
import { type GitAddress, type GitLogin, loginOf } from "./address.ts";
import { ServerSaid } from "./protocol/messages.ts";
import { ProtocolError, Truncated } from "./protocol/pkt-line.ts";
import { halfAnswered, notGit, otherIds, pushRefused, refusedBy, troubled } from "./refusal.ts";

/** What the environment and tests may set besides the store's options. */
export interface GitSettings {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds until an answer must be complete. */
  readonly patience?: number;
  /** The clock of the token's age, in milliseconds. Only tests bring another. */
  readonly now?: () => number;
}

/** A push is answered in some hundred bytes, a commit in as many as its document has. */
export const ANSWER_BYTES_LIMIT = 1024 * 1024;
/** The most bytes of a list of refs. It grows with the store's keys: this is enough for a hundred thousand. */
export const LIST_BYTES_LIMIT = 8 * 1024 * 1024;

/**
 * How long an answer may take. A push through all hooks of a busy forge takes a few seconds; with more than this
 * it is stuck.
 */
const ANSWER_MS = 15_000;
/** Shorter than servers and gateways keep silent connections: a push on a dead connection is a lost answer. */
const IDLE_MS = 10_000;
const REDIRECTS_LIMIT = 3;
const SHOWN_BYTES = 300;
/** How far a title is looked for in a page: in all of a long answer it could cost seconds. */
const TITLE_BYTES = 4 * 1024;

const LIMITS = {
  // GitHub says 403 too where a limit is reached.
  asksToWait: ({ status }: { readonly status: number }) =>
    status === 429 ? "always" : status === 503 || status === 403 ? "if-told" : "no",
  firstWait: 5_000,
  advice: "try again later, and poll less often",
} as const;

export type Service = "git-upload-pack" | "git-receive-pack";

/** A question to the server. */
export interface Question {
  readonly service: Service;
  readonly body: Buffer;
  /** Bytes that the answer may have. */
  readonly limit: number;
}

/** A git server over smart HTTP. It knows what the server's refusals mean, and where it redirects to. */
export class GitServer {
  readonly address: GitAddress;
  readonly #login: GitLogin;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #http: HttpServer;
  readonly #patience: number;
  readonly #tokenAge: TokenAge;
  /** Where the repository is now: a forge redirects from an earlier name. */
  #path: string;

  constructor(address: GitAddress, options: StoreOptions, settings: GitSettings) {
    this.address = address;
    this.#env = settings.env ?? process.env;
    this.#login = loginOf(address, options, this.#env);
    this.#http = new HttpServer(address, options, IDLE_MS, LIMITS);
    this.#patience = settings.patience ?? ANSWER_MS;
    this.#tokenAge = new TokenAge(this.#login.isJobs, this.#env, settings.now);
    this.#path = address.path;
  }

  /**
   * One POST and, if the repository has moved on the same server, another one there. A push throws AnswerLost if
   * it may have been carried out; every other failure is a LockError.
   */
  async ask(
    question: Question,
    options: CallOptions = {},
  ): Promise<Pick<Answer, "bytes" | "isSecond">> {
    const { service, body, limit } = question;
    const isRead = service === "git-upload-pack";
    const warning = options.onTrouble === undefined ? null : this.#tokenAge.warning();
    if (warning !== null) options.onTrouble?.(warning);
    const rest = { method: "POST", body, limit, patience: this.#patience, isRepeatable: isRead };
    const headers = () => headersOf(question, this.#login);
    try {
      for (let hops = 0; ; hops++) {
        const path = `${this.#path}/${service}`;
        const answer = await this.#http.ask({ ...rest, path, headers }, options);
        if (answer.status < 300 || answer.status >= 400) {
          this.#check(answer, question);
          return answer;
        }
        const moved = this.#pathFrom(answer, question);
        if (moved === null || hops >= REDIRECTS_LIMIT) throw this.#redirected(answer);
        this.#path = moved;
      }
    } catch (error) {
      throw isRead && error instanceof AnswerLost ? error.why : error;
    }
  }

  /** What an answer means that does not follow git's protocol. */
  misunderstood(error: unknown): LockError {
    if (!(error instanceof ProtocolError)) throw error;
    const words = withoutSecrets(error.message, this.#login);
    // git's words for an asker whose ids have another length.
    if (/object.?format|sha256/i.test(words)) return otherIds(this.address);
    if (error instanceof Truncated) return halfAnswered(this.address, words);
    if (!(error instanceof ServerSaid)) return notGit(this.address, words);
    return unreachable(this.address, `could not answer (${cutToBytes(words, SHOWN_BYTES)})`);
  }

  /** The push was understood and refused. */
  pushRefused(reason: string, words: string): LockError {
    const shown = withoutSecrets(words, this.#login);
    return pushRefused(withoutSecrets(reason, this.#login), shown, this.#asker);
  }

  get clock() {
    return this.#http.clock;
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  get #asker() {
    const hasToken = this.#login.authorization !== null;
    return { address: this.address, hasToken, env: this.#env };
  }

  /** Throws if it is not an answer of git's. */
  #check(answer: Answer, { service }: Question): void {
    const { status } = answer;
    const type = (answer.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
    if (status === 200 && type === `application/x-${service}-result`) return;
    const words = withoutSecrets(wordsOf(answer), this.#login);
    if (status >= 200 && status < 300) {
      const error = notGit(this.address, `${type || "no type"}, ${JSON.stringify(words)}`);
      throw service === "git-upload-pack" ? error : new AnswerLost(error);
    }
    if (status >= 500 || status === 408)
      throw new AnswerLost(troubled(this.address, status, words));
    throw refusedBy(status, words, this.#asker);
  }

  /**
   * Where a redirect leads on the same server; null if it leads elsewhere: the token is for this server alone.
   */
  #pathFrom({ headers }: Answer, { service }: Question): string | null {
    const location = headers.location;
    if (location === undefined) return null;
    const target = URL.parse(location, `${this.address.origin}${this.#path}/${service}`);
    if (target === null || !maySendSecret(target.origin, this.address.origin)) return null;
    const end = `/${service}`;
    return target.pathname.endsWith(end) ? target.pathname.slice(0, -end.length) : null;
  }

  #redirected({ status, headers }: Answer): LockError {
    const { location } = headers;
    const target = location === undefined ? null : URL.parse(location, this.address.origin);
    // A query may carry a secret of the redirecting side.
    const where = target === null ? "nowhere" : `${target.origin}${target.pathname}`;
    return notGit(this.address, `${status}, it redirects to ${cutToBytes(where, SHOWN_BYTES)}`);
  }
}

function headersOf({ service, body }: Question, { authorization }: GitLogin) {
  return {
    accept: `application/x-${service}-result`,
    "content-type": `application/x-${service}-request`,
    "content-length": String(body.length),
    // By this name forges tell git from browsers.
    "user-agent": "git/holdfast",
    // The push has no second version: it is the same in all of them.
    ...(service === "git-upload-pack" ? { "git-protocol": "version=2" } : {}),
    ...(authorization === null ? {} : { authorization }),
  };
}

/** What a server says in place of an answer, or the title of its page. */
function wordsOf({ bytes }: Answer): string {
  const text = bytes.toString("utf8", 0, TITLE_BYTES);
  const title = /<title[^>]*>([^<]*)</i.exec(text)?.[1] ?? text;
  return cutToBytes(title.replace(/\s+/g, " ").trim(), SHOWN_BYTES);
}

type Environment = Readonly<Record<string, string | undefined>>;

const HOUR_MS = 3_600_000;
/** How long GitHub's token of a job is good for, from the job's begin. */
const HOSTED_MS = 6 * HOUR_MS;
const SELF_HOSTED_MS = 24 * HOUR_MS;
/** How long before its end the token's end is told: time enough for a person to read it and act. */
const WARN_MS = HOUR_MS / 2;

/**
 * The age of a job's own token. It is told once, shortly before the token ends. After that the job can neither
 * verify nor release the lock, so the sentence must be in the log by then. The store is opened when the job
 * begins: so its own age is the token's.
 */
class TokenAge {
  readonly #life: number | null;
  readonly #now: () => number;
  readonly #since: number;
  #isTold = false;

  /** `isJobs`: whether the forge made the token for this job. */
  constructor(isJobs: boolean, env: Environment, now: () => number = () => performance.now()) {
    // Gitea and Forgejo end a job's token with the job, not with the time.
    const isGithub = env.GITHUB_ACTIONS === "true" && !env.GITEA_ACTIONS && !env.FORGEJO_ACTIONS;
    const life = env.RUNNER_ENVIRONMENT === "github-hosted" ? HOSTED_MS : SELF_HOSTED_MS;
    this.#life = isJobs && isGithub ? life : null;
    this.#now = now;
    this.#since = now();
  }

  /** One sentence, once; null: it is not time yet, or it was said. */
  warning(): string | null {
    if (this.#life === null || this.#isTold) return null;
    const left = this.#since + this.#life - this.#now();
    if (left > WARN_MS) return null;
    this.#isTold = true;
    return `The job's token ends ${formatDuration(this.#life)} after the job began, in about ${formatDuration(Math.max(0, left))}: from then on this job can neither verify nor release its lock, which is free when the job is over. A longer job needs a token of its own (contents: write) in the action's token input or HOLDFAST_TOKEN.`;
  }
}
