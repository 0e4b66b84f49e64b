import { AnswerLost, NoAnswer, unreachable } from "../../remote/trouble.ts";
import type { CallOptions } from "../register.ts";
import { pauseToNextLook } from "../waits.ts";
import {
  fetchRequest,
  listRequest,
  pushRequest,
  type Report,
  readCommit,
  readList,
  readReport,
  ServerSaid,
} from "./protocol/messages.ts";
import { foreignState, type NewState, type State } from "./protocol/objects.ts";
import { NotState, ProtocolError } from "./protocol/pkt-line.ts";
import { causeOf, otherIds } from "./refusal.ts";
import { ANSWER_BYTES_LIMIT, type GitServer, LIST_BYTES_LIMIT, type Question } from "./server.ts";

/** How long a list of refs may show what an own push has replaced: replicas lag by less. */
const LAG_MS = 30_000;
const STATES_KEPT = 1_000;
const REPLACED_KEPT = 16;
const LOOKS_LIMIT = 3;
/** How long a list of all refs answers looks at one key after the other. */
const LISTED_MS = 2_000;
/** Reads that must agree that a ref is not there, and the milliseconds between them. */
const ABSENCES = 3;
const AGAIN_MS = 700;
/** How often a list may show a state again that the repository has left: some five seconds. */
const LAGS_LIMIT = 7;
/** How often the ref may have moved between the list and the push; with more moves the key is too busy. */
const MOVES_LIMIT = 30;

/** How a ref was last seen. */
interface Seen {
  readonly state: State;
  /** What own pushes have replaced, and when: the latest first. */
  readonly replaced: readonly { readonly id: string; readonly at: number }[];
}

/**
 * The refs of a repository, and a cache of their states. A commit never changes, so it is fetched once: looking
 * again costs one small request, and a second one only if the ref has moved.
 */
export class Refs {
  readonly #server: GitServer;
  readonly #refs = new Map<string, Seen>();
  /** The last list of all refs, unless something was written here since. */
  #listed: { readonly ids: ReadonlyMap<string, string>; readonly at: number } | null = null;

  constructor(server: GitServer) {
    this.#server = server;
  }

  /** As it was last seen or written here. */
  of(ref: string): State | undefined {
    return this.#refs.get(ref)?.state;
  }

  /** An own push has replaced `version` by `state`. */
  wrote(ref: string, version: string | null, state: State): void {
    this.#listed = null;
    const earlier = this.#refs.get(ref)?.replaced ?? [];
    const replaced =
      version === null ? earlier : [{ id: version, at: performance.now() }, ...earlier];
    this.#keep(ref, { state, replaced: replaced.slice(0, REPLACED_KEPT) });
  }

  /**
   * The state of a ref, or null if it is not there. A list that shows what was replaced here a moment ago lags
   * behind, and the newer state is known. `as told` takes the list as it is all the same; `listed` is content
   * with a list of all refs of a moment ago.
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
      const seen = this.#refs.get(ref);
      if (seen !== undefined && manner !== "as told" && isReplaced(seen, id)) return seen.state;
      try {
        return await this.fetch(ref, id, options);
      } catch (error) {
        // It was moved on in between, and the server deleted the old state at once.
        if (error instanceof ServerSaid && looks < LOOKS_LIMIT) continue;
        throw this.#server.misunderstood(error);
      }
    }
  }

  /**
   * A look that the repository itself confirms. It is asked to move the ref from where it was seen to the same
   * place, and refuses that once the ref has moved. git then says where the ref is, and that too is an answer of
   * the repository itself; a server that does not say it is asked again.
   *
   * There is no such push for a ref that is not there: from nothing to nothing is a deletion, which git carries
   * out whatever is there. So several looks have to agree, with time for a replica to catch up. A ref that was
   * seen here before does not depend on that: a push settles it.
   */
  async lookStrongly(ref: string, options: CallOptions): Promise<State | null> {
    const again = () => pauseToNextLook({ ...options, pause: AGAIN_MS });
    let state = this.of(ref) ?? (await this.look(ref, options, "as told"));
    let absences = state === null ? 1 : 0;
    for (let lags = 0, moves = 0; lags < LAGS_LIMIT && moves < MOVES_LIMIT; ) {
      const left = state?.id;
      if (state !== null) {
        const confirmed = await this.#confirmed(ref, state, options);
        if (confirmed !== null) return confirmed;
      } else if (absences >= ABSENCES) return null;
      else await again();
      state = await this.look(ref, options, "as told");
      absences = state === null ? absences + 1 : 0;
      if (state === null) continue;
      if (state.id !== left) moves++;
      else {
        lags++;
        await again();
      }
    }
    throw unreachable(
      this.#server.address,
      "tells of other states than it has, again and again: its replicas lag behind, or the key is very busy; try again later",
    );
  }

  /** The state that the repository has, if it says so; null: another state than this one. */
  async #confirmed(ref: string, state: State, options: CallOptions): Promise<State | null> {
    const report = await this.push(ref, state.id, null, options).catch((error) => {
      // It changes nothing, so a lost answer does no harm.
      throw error instanceof AnswerLost ? error.why : error;
    });
    if (report.kind === "ok") return state;
    const { reason, words } = report;
    if (causeOf(reason) === "rule") throw this.#server.pushRefused(reason, words);
    const told = /cannot lock ref [^\n]*: is at ([0-9a-f]{40}) but expected/.exec(words)?.[1];
    if (told === undefined) return null;
    try {
      return await this.fetch(ref, told, options);
    } catch (error) {
      // The ref was moved on, and the server deleted the state at once.
      if (error instanceof ProtocolError) return null;
      throw error;
    }
  }

  /**
   * Moves a ref from `version` (null: it is not there) to a new state; null: to where it is. Throws AnswerLost
   * if it is not known what became of it.
   */
  async push(
    ref: string,
    version: string | null,
    state: NewState | null,
    options: CallOptions,
  ): Promise<Report> {
    const body = pushRequest(ref, version, state);
    const question = { service: "git-receive-pack", body, limit: ANSWER_BYTES_LIMIT } as const;
    const { bytes, isSecond } = await this.#server.ask(question, options);
    let report: Report;
    try {
      report = readReport(bytes, ref);
    } catch (error) {
      throw new AnswerLost(this.#server.misunderstood(error));
    }
    if (report.kind === "ok" || state === null || !isSecond) return report;
    // The first try may have moved the ref: then it is the second that came too late.
    const why = "was too busy to say whether the push stands";
    throw new AnswerLost(unreachable(this.#server.address, why));
  }

  /**
   * The state that an id names, even if it is another tool's and no state at all. Throws a ProtocolError if it
   * is gone, or the answer is not git's.
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

  /** All refs of the store: after this each of them need not be listed again. */
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
      return readList((await this.#server.ask(listing(prefix), options)).bytes);
    } catch (error) {
      const explained = this.#server.misunderstood(error);
      if (await this.#hasOtherIds(prefix, options)) throw otherIds(this.#server.address);
      throw explained;
    }
  }

  /**
   * Whether the server speaks with ids of another length: it says nothing at all to an asker whose ids are
   * wrong.
   */
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

/** Whether an answer was longer than any document: then the id names something else. */
function isEndless(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof NoAnswer && cause.how === "endless";
}

function isReplaced({ replaced }: Seen, id: string): boolean {
  const now = performance.now();
  return replaced.some((each) => each.id === id && now - each.at < LAG_MS);
}
