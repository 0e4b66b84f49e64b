import { NoAnswer } from "../../remote/exchange.ts";
import type { CallOptions } from "../register.ts";
import { otherIds } from "./explain.ts";
import { foreignState, type State } from "./protocol/commit.ts";
import {
  fetchRequest,
  listRequest,
  readCommit,
  readList,
  ServerSaid,
} from "./protocol/messages.ts";
import { NotState } from "./protocol/pkt-line.ts";
import { ANSWER_BYTES_LIMIT, type GitServer, LIST_BYTES_LIMIT } from "./server.ts";

/** So long a list of refs may show what an own push has replaced: replicas lag by less. */
const LAG_MS = 30_000;
const STATES_KEPT = 1_000;
const REPLACED_KEPT = 16;
const LOOKS_LIMIT = 3;
/** So long a list of all refs answers those who only look at one key after the other. */
const LISTED_MS = 2_000;

interface Sight {
  readonly state: State;
  /** What own pushes have replaced, and when: the latest first. */
  readonly replaced: readonly { readonly id: string; readonly at: number }[];
}

/**
 * What refs were seen to be. A commit never changes, so that it is fetched once: looking again costs
 * one small request, and a second one only where the ref has moved.
 */
export class Sights {
  readonly #server: GitServer;
  readonly #sights = new Map<string, Sight>();
  /** The last list of all refs, unless something was written here since. */
  #listed: { readonly ids: ReadonlyMap<string, string>; readonly at: number } | null = null;

  constructor(server: GitServer) {
    this.#server = server;
  }

  /** As it was last seen or written here. */
  of(ref: string): State | undefined {
    return this.#sights.get(ref)?.state;
  }

  /** An own push has replaced `version` by `state`. */
  wrote(ref: string, version: string | null, state: State): void {
    this.#listed = null;
    const earlier = this.#sights.get(ref)?.replaced ?? [];
    const replaced =
      version === null ? earlier : [{ id: version, at: performance.now() }, ...earlier];
    this.#keep(ref, { state, replaced: replaced.slice(0, REPLACED_KEPT) });
  }

  /**
   * The state of a ref, or null where it is not there. A list that shows what was replaced here a
   * moment ago lags behind, and the newer state is known: `as told` takes it as it is all the same.
   * `listed`: a list of all refs of a moment ago will do.
   */
  async look(
    ref: string,
    options: CallOptions,
    manner?: "as told" | "listed",
  ): Promise<State | null> {
    for (let looks = 1; ; looks++) {
      const known = manner === "listed" && looks === 1 ? this.#known : null;
      const id = (known ?? (await this.list(ref, options))).get(ref);
      if (id === undefined) return null;
      const sight = this.#sights.get(ref);
      if (sight !== undefined && manner !== "as told" && isReplaced(sight, id)) return sight.state;
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
    const sight = this.#sights.get(ref);
    if (sight?.state.id === id) return sight.state;
    if (id.length !== 40) throw otherIds(this.#server.address);
    const state = await this.#read(id, options).catch((error) => {
      if (error instanceof NotState) return foreignState(id, error.message);
      if (isEndless(error)) return foreignState(id, "an object without end");
      throw error;
    });
    this.#keep(ref, { state, replaced: sight?.replaced ?? [] });
    return state;
  }

  async #read(id: string, options: CallOptions): Promise<State> {
    const question = { body: fetchRequest(id), limit: ANSWER_BYTES_LIMIT };
    const asked = { service: "git-upload-pack", ...question } as const;
    return readCommit(await this.#server.read(asked, options), id);
  }

  /** All refs of the store, which need not be listed again for each of them. */
  async listAll(prefix: string, options: CallOptions): Promise<Map<string, string>> {
    const at = performance.now();
    const ids = await this.list(prefix, options);
    this.#listed = { ids, at };
    return ids;
  }

  get #known(): ReadonlyMap<string, string> | null {
    const listed = this.#listed;
    return listed !== null && performance.now() - listed.at < LISTED_MS ? listed.ids : null;
  }

  /** Refs whose names begin so, and their ids. */
  async list(prefix: string, options: CallOptions): Promise<Map<string, string>> {
    try {
      return readList(await this.#ask(listRequest(prefix), options));
    } catch (error) {
      const explained = this.#server.misunderstood(error);
      if (await this.#hasOtherIds(prefix, options)) throw otherIds(this.#server.address);
      throw explained;
    }
  }

  /** A server that is spoken to with ids of the wrong length says nothing at all. */
  async #hasOtherIds(prefix: string, options: CallOptions): Promise<boolean> {
    try {
      readList(await this.#ask(listRequest(prefix, "sha256"), options));
      return true;
    } catch {
      return false;
    }
  }

  #ask(body: Buffer, options: CallOptions): Promise<Buffer> {
    return this.#server.read(
      { service: "git-upload-pack", body, limit: LIST_BYTES_LIMIT },
      options,
    );
  }

  #keep(ref: string, sight: Sight): void {
    if (this.#sights.size >= STATES_KEPT && !this.#sights.has(ref)) this.#sights.clear();
    this.#sights.set(ref, sight);
  }
}

/** A document is answered in less: whatever the id names is none. */
function isEndless(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof NoAnswer && cause.how === "endless";
}

function isReplaced({ replaced }: Sight, id: string): boolean {
  const now = performance.now();
  return replaced.some((each) => each.id === id && now - each.at < LAG_MS);
}
