import { NoAnswer } from "../../remote/exchange.ts";
import type { CallOptions } from "../register.ts";
import {
  fetchRequest,
  listRequest,
  readCommit,
  readList,
  ServerSaid,
} from "./protocol/messages.ts";
import { foreignState, type State } from "./protocol/objects.ts";
import { NotState } from "./protocol/pkt-line.ts";
import { otherIds } from "./refusal.ts";
import { ANSWER_BYTES_LIMIT, type GitServer, LIST_BYTES_LIMIT, type Question } from "./server.ts";

/** So long a list of refs may show what an own push has replaced: replicas lag by less. */
const LAG_MS = 30_000;
const STATES_KEPT = 1_000;
const REPLACED_KEPT = 16;
const LOOKS_LIMIT = 3;

/** A ref as it was seen last. */
interface Seen {
  readonly state: State;
  /** What own pushes have replaced, and when: the latest first. */
  readonly replaced: readonly { readonly id: string; readonly at: number }[];
}

/**
 * What refs were seen to be. A commit never changes, so that it is fetched once: looking again costs
 * one small request, and a second one only where the ref has moved.
 */
export class RefCache {
  readonly #server: GitServer;
  readonly #refs = new Map<string, Seen>();

  constructor(server: GitServer) {
    this.#server = server;
  }

  /** As it was last seen or written here. */
  of(ref: string): State | undefined {
    return this.#refs.get(ref)?.state;
  }

  /** An own push has replaced `version` by `state`. */
  wrote(ref: string, version: string | null, state: State): void {
    const earlier = this.#refs.get(ref)?.replaced ?? [];
    const replaced =
      version === null ? earlier : [{ id: version, at: performance.now() }, ...earlier];
    this.#keep(ref, { state, replaced: replaced.slice(0, REPLACED_KEPT) });
  }

  /**
   * The state of a ref, or null where it is not there. A list that shows what was replaced here a
   * moment ago lags behind, and the newer state is known: `asTold` takes it as it is all the same.
   */
  async look(ref: string, options: CallOptions, asTold = false): Promise<State | null> {
    for (let looks = 1; ; looks++) {
      const id = (await this.list(ref, options)).get(ref);
      if (id === undefined) return null;
      const seen = this.#refs.get(ref);
      if (seen !== undefined && !asTold && isReplaced(seen, id)) return seen.state;
      try {
        return await this.fetch(ref, id, options);
      } catch (error) {
        // It was moved on in between, and the server gave the old state away at once.
        if (error instanceof ServerSaid && looks < LOOKS_LIMIT) continue;
        throw this.#server.misunderstood(error);
      }
    }
  }

  /**
   * The state that an id names, also where that is another tool's and no state at all. Throws a
   * ProtocolError where it is gone, or the answer is none of git's.
   */
  async fetch(ref: string, id: string, options: CallOptions): Promise<State> {
    const seen = this.#refs.get(ref);
    if (seen?.state.id === id) return seen.state;
    if (id.length !== 40) throw otherIds(this.#server.address);
    const state = await this.#read(id, options).catch((error) => {
      if (error instanceof NotState) return foreignState(id, error.message);
      if (isEndless(error)) return foreignState(id, "an object without end");
      throw error;
    });
    this.#keep(ref, { state, replaced: seen?.replaced ?? [] });
    return state;
  }

  async #read(id: string, options: CallOptions): Promise<State> {
    const question = { body: fetchRequest(id), limit: ANSWER_BYTES_LIMIT };
    const asked = { service: "git-upload-pack", ...question } as const;
    return readCommit((await this.#server.ask(asked, options)).bytes, id);
  }

  /** Refs whose names begin so, and their ids. */
  async list(prefix: string, options: CallOptions): Promise<Map<string, string>> {
    try {
      return readList((await this.#server.ask(listing(prefix), options)).bytes);
    } catch (error) {
      const explained = this.#server.misunderstood(error);
      if (await this.#hasOtherIds(prefix, options)) throw otherIds(this.#server.address);
      throw explained;
    }
  }

  /** A server that is spoken to with ids of the wrong length says nothing at all. */
  async #hasOtherIds(prefix: string, options: CallOptions): Promise<boolean> {
    try {
      readList((await this.#server.ask(listing(prefix, "sha256"), options)).bytes);
      return true;
    } catch {
      return false;
    }
  }

  #keep(ref: string, seen: Seen): void {
    if (this.#refs.size >= STATES_KEPT && !this.#refs.has(ref)) this.#refs.clear();
    this.#refs.set(ref, seen);
  }
}

function listing(prefix: string, format?: "sha256"): Question {
  return { service: "git-upload-pack", body: listRequest(prefix, format), limit: LIST_BYTES_LIMIT };
}

/** A document is answered in less: whatever the id names is none. */
function isEndless(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof NoAnswer && cause.how === "endless";
}

function isReplaced({ replaced }: Seen, id: string): boolean {
  const now = performance.now();
  return replaced.some((each) => each.id === id && now - each.at < LAG_MS);
}
