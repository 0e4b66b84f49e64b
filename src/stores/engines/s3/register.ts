import type { StoreOptions } from "../../options.ts";
import type { ServerClock } from "../../remote/server-clock.ts";
import { AnswerLost } from "../../remote/trouble.ts";
import type {
  AliveSessions,
  CallOptions,
  ChangedOptions,
  ReadOptions,
  Register,
  RegisterTraits,
  Session,
  Swap,
  Version,
} from "../register.ts";
import { type Own, sessionOn } from "../sessions.ts";
import { orAborted, pauseToNextLook } from "../waits.ts";
import { parseS3Address } from "./address.ts";
import { Conditions } from "./conditions.ts";
import { notS3 } from "./refusal.ts";
import { S3Server, type S3Settings } from "./server.ts";
import { S3_SIGNS, S3Sessions } from "./sessions.ts";
import { type Listed, readList } from "./xml.ts";

const DOCUMENTS_KEPT = 100;
/** After so much silence a session has no owner any more. An owner that comes back makes its object again. */
const LEFT_OVER_MS = 24 * 60 * 60_000;

export function openS3Register(
  store: string,
  options: StoreOptions = {},
  settings: S3Settings = {},
): Register {
  const env = settings.env ?? options.variables ?? process.env;
  return new S3Register(new S3Server(parseS3Address(store, env), options, { env }));
}

/**
 * A bucket as a register: one object a document, which is made with If-None-Match, replaced with
 * If-Match on its etag, and never deleted. Every state has a nonce in it, so that no two have the same
 * etag. S3 is strongly consistent: each read is as strong as a swap.
 */
class S3Register implements Register {
  readonly url: string;
  readonly traits: RegisterTraits = { push: false, backoff: [250, 4_000], signs: S3_SIGNS };
  readonly #sessions: S3Sessions;
  readonly #server: S3Server;
  readonly #conditions: Conditions;
  /** Documents as they were last read: a document is sent again only if it has changed. */
  readonly #documents = new Map<string, Version>();

  constructor(server: S3Server) {
    this.url = server.address.shown;
    this.#server = server;
    this.#conditions = new Conditions(server);
    this.#sessions = new S3Sessions(server, this.#conditions);
  }

  get clock(): ServerClock {
    return this.#server.clock;
  }

  async read(key: string, options: ReadOptions = {}): Promise<Version> {
    const { names } = this.#server.address;
    const known = this.#documents.get(key);
    const headers = known?.version ? { "if-none-match": known.version } : {};
    const question = { method: "GET", name: names.document(key), headers } as const;
    const { kind, etag, text } = await this.#server.ask(question, options);
    if (kind === "unchanged" && known !== undefined) return known;
    if (kind === "absent") return { version: null, text: null };
    if (kind !== "found" || etag === null)
      throw notS3(this.#server.address, "an object without an etag");
    const document = { version: etag, text };
    if (this.#documents.size >= DOCUMENTS_KEPT) this.#documents.clear();
    this.#documents.set(key, document);
    return document;
  }

  async swap(
    key: string,
    version: string | null,
    next: string,
    options: CallOptions = {},
  ): Promise<Swap> {
    await orAborted(this.#conditions.check(options), options.signal);
    const headers = {
      "content-type": "application/json",
      ...(version === null ? { "if-none-match": "*" } : { "if-match": version }),
    };
    const name = this.#server.address.names.document(key);
    try {
      const question = { method: "PUT", name, headers, body: next } as const;
      const { kind, etag, isSecond } = await this.#server.write(question, options);
      if (kind === "found" && etag !== null) return { outcome: "done", version: etag };
      // A first try that was put off may stand: then it is the second that came too late. If two writes met, S3
      // says to try again; only a read tells which of them stands.
      const isClear = !isSecond && (kind === "no" || kind === "absent");
      return isClear ? { outcome: "conflict" } : { outcome: "unknown", why: unclear(kind) };
    } catch (error) {
      if (error instanceof AnswerLost) return { outcome: "unknown", why: error.message };
      throw error;
    }
  }

  changed(_key: string, _version: string | null, options: ChangedOptions): Promise<void> {
    return pauseToNextLook(options);
  }

  session(id: string, deadAfter: number): Session {
    const own: Own = { id, deadAfter, stage: "new" };
    const renew = (options?: CallOptions) => this.#sessions.renew(own, options);
    const end = (options?: CallOptions) => this.#sessions.end(own, options);
    return sessionOn(this, own, { begin: renew, renew, end });
  }

  alive(ids: readonly string[], options: CallOptions = {}): Promise<AliveSessions> {
    return this.#sessions.alive(ids, options);
  }

  async keys(options: CallOptions = {}): Promise<string[]> {
    const { names } = this.#server.address;
    const keys: string[] = [];
    for await (const { name } of this.#list(names.documents, options)) {
      const key = names.keyOf(name);
      if (key !== null) keys.push(key);
    }
    return keys;
  }

  /** By a write that has to fail, on an object that is no lock. */
  mayWrite(options: CallOptions = {}): Promise<void> {
    return this.#conditions.checkMatch(options);
  }

  /** Removes sessions of processes that were killed. Only the server's clock tells their age. */
  async tidy({
    dryRun,
    ...options
  }: CallOptions & { readonly dryRun: boolean }): Promise<string[]> {
    const found: string[] = [];
    for await (const { name, age } of this.#list(this.#server.address.names.sessions, options)) {
      if (!(age >= LEFT_OVER_MS)) continue;
      if (!dryRun) await this.#server.ask({ method: "DELETE", name }, options);
      found.push(name);
    }
    return found;
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  async *#list(
    prefix: string,
    options: CallOptions,
  ): AsyncGenerator<Pick<Listed, "name"> & { readonly age: number }> {
    for (let from: string | null = ""; from !== null; ) {
      const query = {
        "list-type": "2",
        prefix,
        ...(from === "" ? {} : { "continuation-token": from }),
      };
      const { text, date } = await this.#server.ask({ method: "GET", name: "", query }, options);
      const page = readList(text);
      if (page === null) throw notS3(this.#server.address, "a list that is none");
      for (const { name, written } of page.objects)
        yield { name, age: (date ?? Number.NaN) - written };
      // The same place again would never come to an end.
      if (page.next !== null && page.next === from)
        throw notS3(this.#server.address, "a list that begins again");
      from = page.next;
    }
  }
}

function unclear(kind: string): string {
  return kind === "race" ? "two writes met" : "it is not known whether an earlier try stands";
}
