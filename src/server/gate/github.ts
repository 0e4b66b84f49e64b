import { type IncomingMessage, request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";
import { SignJWT } from "jose";
import { messageOf } from "../../lock/errors.ts";
import type { Clock } from "../../lock/time.ts";
import type { GateConfig } from "./config.ts";

const ANSWER_MS = 10_000;
/** A page of a hundred jobs has some 300 kB; a delivery with its payload less. */
const ANSWER_BYTES_LIMIT = 8 * 2 ** 20;
/** GitHub takes tokens of an App that are good for ten minutes at most, also by its own clock. */
const APP_TOKEN_SECONDS = 480;
const APP_TOKEN_FRESH_MS = 240_000;
const CLOCKS_DIFFER_SECONDS = 60;
/** An installation's token lasts an hour. It is not used to its end. */
const TOKEN_RESERVE_MS = 300_000;
/** What a wait that GitHub asks for is cut to. */
const PAUSE_LIMIT_MS = 15 * 60_000;

/** GitHub did not answer, or not as it does: nothing is known of what became of the request. */
export class GitHubTrouble extends Error {
  /** Milliseconds that it asks for before the next request; null: it does not say. */
  readonly pause: number | null;

  constructor(message: string, pause: number | null = null) {
    super(message);
    this.name = "GitHubTrouble";
    this.pause = pause;
  }
}

/** The App is installed there no more, or not allowed to act. */
export class Uninstalled extends GitHubTrouble {}

export interface GitHubAnswer {
  readonly status: number;
  /** Null where it was no JSON. */
  readonly body: unknown;
  /** The path of the next page, where there is one. */
  readonly next: string | null;
}

interface Token {
  readonly text: string;
  /** By the monotonic clock. */
  readonly until: number;
}

/**
 * GitHub's API, as the App and as its installations. Every request goes to the host of the
 * configuration: whatever a payload says, no token is sent anywhere else, and no redirect is followed.
 */
export class GitHub {
  readonly #config: Pick<GateConfig, "api" | "appId" | "privateKey">;
  readonly #clock: Clock;
  readonly #agent: string;
  readonly #controller = new AbortController();
  /** Milliseconds by which GitHub's wall clock is ahead of this machine's, by its last answer. */
  #ahead = 0;
  #appToken: Token | null = null;
  readonly #tokens = new Map<number, Token>();
  /** By the monotonic clock: GitHub has asked to be left alone until then. */
  #pausedUntil = 0;

  constructor(
    config: Pick<GateConfig, "api" | "appId" | "privateKey">,
    clock: Clock,
    version: string,
  ) {
    this.#config = config;
    this.#clock = clock;
    this.#agent = `holdfast/${version}`;
  }

  /** Wall clock of GitHub, milliseconds, to the second. */
  now(): number {
    return this.#clock.now() + this.#ahead;
  }

  /** Ends the requests that are under way. */
  close(): void {
    this.#controller.abort();
  }

  /** A request as the App itself. */
  async askAsApp(method: string, path: string, body?: object): Promise<GitHubAnswer> {
    const answer = await this.#send(method, path, await this.#signed(), body);
    if (answer.status !== 401) return answer;
    // The clocks may differ: the answer has told by how much, and the next token is made for that.
    this.#appToken = null;
    return this.#send(method, path, await this.#signed(), body);
  }

  /** A request as an installation, whose token is made where it is missing or old. */
  async ask(
    installation: number,
    method: string,
    path: string,
    body?: object,
  ): Promise<GitHubAnswer> {
    const answer = await this.#send(method, path, await this.#tokenOf(installation), body);
    if (answer.status !== 401) return answer;
    this.#tokens.delete(installation);
    return this.#send(method, path, await this.#tokenOf(installation), body);
  }

  async #signed(): Promise<string> {
    const now = this.#clock.monotonic();
    if (this.#appToken !== null && this.#appToken.until > now) return this.#appToken.text;
    const { appId, privateKey } = this.#config;
    const seconds = Math.floor(this.now() / 1_000);
    const text = await new SignJWT({})
      .setProtectedHeader({ alg: "RS256", typ: "JWT" })
      .setIssuer(appId)
      .setIssuedAt(seconds - CLOCKS_DIFFER_SECONDS)
      .setExpirationTime(seconds + APP_TOKEN_SECONDS)
      .sign(privateKey);
    this.#appToken = { text, until: now + APP_TOKEN_FRESH_MS };
    return text;
  }

  async #tokenOf(installation: number): Promise<string> {
    const known = this.#tokens.get(installation);
    if (known !== undefined && known.until > this.#clock.monotonic()) return known.text;
    const path = `/app/installations/${installation}/access_tokens`;
    // No more than what the gate needs, whatever else the App may do.
    const permissions = { actions: "read", deployments: "write" };
    const { status, body } = await this.askAsApp("POST", path, { permissions });
    if (status === 404 || status === 403) {
      throw new Uninstalled(`the App's installation ${installation} is gone or suspended`);
    }
    const { token, expires_at: expires } = fieldsOf(body);
    if (status !== 201 || typeof token !== "string" || typeof expires !== "string") {
      throw new GitHubTrouble(`no token for the installation ${installation}: ${status}`);
    }
    const lasts = Date.parse(expires) - this.now() - TOKEN_RESERVE_MS;
    const until = this.#clock.monotonic() + (Number.isNaN(lasts) ? 0 : lasts);
    this.#tokens.set(installation, { text: token, until });
    return token;
  }

  async #send(method: string, path: string, token: string, body?: object): Promise<GitHubAnswer> {
    const rest = this.#pausedUntil - this.#clock.monotonic();
    if (rest > 0) throw new GitHubTrouble("GitHub asks for a pause", rest);
    let answer: { head: IncomingMessage; text: string };
    try {
      answer = await this.#exchange(method, path, token, body);
    } catch (error) {
      throw new GitHubTrouble(`${method} ${path}: ${messageOf(error)}`);
    }
    const { head, text } = answer;
    const { statusCode: status = 0, headers } = head;
    const date = Date.parse(headers.date ?? "");
    if (!Number.isNaN(date)) this.#ahead = date - this.#clock.now();
    const pause = status === 403 || status === 429 ? this.#pauseIn(headers) : null;
    if (pause !== null || status === 429) {
      this.#pausedUntil = this.#clock.monotonic() + (pause ?? CLOCKS_DIFFER_SECONDS * 1_000);
      throw new GitHubTrouble(`${method} ${path}: ${status}, too many requests`, pause);
    }
    if (status >= 500 || status < 200) throw new GitHubTrouble(`${method} ${path}: ${status}`);
    return { status, body: parsed(text), next: this.#nextIn(headers.link) };
  }

  #exchange(
    method: string,
    path: string,
    token: string,
    body?: object,
  ): Promise<{ head: IncomingMessage; text: string }> {
    const url = `${this.#config.api}${path}`;
    const content = body === undefined ? null : JSON.stringify(body);
    const signal = AbortSignal.any([this.#controller.signal, AbortSignal.timeout(ANSWER_MS)]);
    const headers = {
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28",
      "user-agent": this.#agent,
      authorization: `Bearer ${token}`,
      ...(content === null
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(content) }),
    };
    const send = url.startsWith("https:") ? tlsRequest : plainRequest;
    return new Promise((resolve, reject) => {
      const sent = send(url, { method, headers, signal, agent: false }, (head) => {
        const parts: Buffer[] = [];
        let size = 0;
        head.on("data", (part: Buffer) => {
          size += part.length;
          if (size > ANSWER_BYTES_LIMIT) head.destroy(new Error("the answer is too large"));
          else parts.push(part);
        });
        head.once("error", reject);
        head.once("close", () => reject(new Error("the answer is not complete")));
        head.once("end", () => resolve({ head, text: Buffer.concat(parts).toString("utf8") }));
      });
      sent.once("error", reject);
      sent.end(content ?? undefined);
    });
  }

  /** How long GitHub asks to be left alone; null: it does not. */
  #pauseIn(headers: IncomingMessage["headers"]): number | null {
    const after = Number(headers["retry-after"] ?? Number.NaN) * 1_000;
    const left = headers["x-ratelimit-remaining"];
    const reset = Number(headers["x-ratelimit-reset"] ?? Number.NaN) * 1_000 - this.now();
    const pause = Number.isNaN(after) ? (left === "0" ? reset : Number.NaN) : after;
    return Number.isNaN(pause) ? null : Math.min(PAUSE_LIMIT_MS, Math.max(1_000, pause));
  }

  /** The next page, where it is one of the same API. */
  #nextIn(link: string | string[] | undefined): string | null {
    const [, url] = /<([^>]+)>;\s*rel="next"/.exec(String(link ?? "")) ?? [];
    const { api } = this.#config;
    return url?.startsWith(`${api}/`) ? url.slice(api.length) : null;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The fields of an object; of anything else none. Names of the prototype are no fields. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return Object.assign(Object.create(null), isObject ? value : {});
}
