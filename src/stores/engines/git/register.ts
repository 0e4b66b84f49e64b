import { randomHex } from "../../../machine/random.ts";
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
import { pauseToNextLook } from "../waits.ts";
import { type GitAddress, parseGitAddress } from "./address.ts";
import { type Report, ServerSaid } from "./protocol/messages.ts";
import { nextState } from "./protocol/objects.ts";
import { ProtocolError } from "./protocol/pkt-line.ts";
import { isCutName, keyOfRefName, refNameOf } from "./protocol/ref-name.ts";
import { Refs } from "./refs.ts";
import { causeOf, inTheWay } from "./refusal.ts";
import { GitServer, type GitSettings } from "./server.ts";

/**
 * How many swaps of one version may lose while the ref is where it was: after that, they did not lose a race.
 */
const STUCK_LIMIT = 8;
/** The length of an id in git's usual format. */
const ID_BYTES = 20;

export function openGitRegister(
  store: string,
  options: StoreOptions = {},
  settings: GitSettings = {},
): Register {
  const env = settings.env ?? options.variables ?? process.env;
  const address = parseGitAddress(store, env);
  return new GitRegister(address, new GitServer(address, options, { ...settings, env }));
}

/**
 * A repository as a register: one ref a key, whose commit's message is the document and whose parent is the
 * state before. A ref is created once and then moved, since large repositories are slow at creating one.
 *
 * A push decides at the repository itself, so swaps are as strong as the server. A forge may answer lists of
 * refs from a replica or a cache that lags behind: so a plain read may be old. For a strong read the repository
 * itself confirms the list, by a push that changes nothing.
 */
class GitRegister implements Register {
  readonly url: string;
  readonly traits: RegisterTraits = { push: false, backoff: [250, 4_000] };
  readonly #address: GitAddress;
  readonly #server: GitServer;
  readonly #refs: Refs;
  /** How many swaps were lost in a row, of each ref's one version. */
  readonly #losses = new Map<string, { version: string | null; times: number }>();
  /** The server refuses a state that does not follow the one before: then chains are not cut. */
  #isChained = false;

  constructor(address: GitAddress, server: GitServer) {
    this.url = address.shown;
    this.#address = address;
    this.#server = server;
    this.#refs = new Refs(server);
  }

  get clock(): ServerClock {
    return this.#server.clock;
  }

  async read(key: string, options: ReadOptions = {}): Promise<Version> {
    const ref = this.#refOf(key);
    const state = options.strong
      ? await this.#refs.lookStrongly(ref, options)
      : await this.#refs.look(ref, options, options.listed ? "listed" : undefined);
    const { id: version = null, text = null, foreign } = state ?? {};
    return { version, text, foreign };
  }

  async swap(
    key: string,
    version: string | null,
    next: string,
    options: CallOptions = {},
  ): Promise<Swap> {
    const ref = this.#refOf(key);
    const known = this.#refs.of(ref);
    // A version that was not seen here: its chain is counted anew.
    const unseen = version === null ? null : { id: version, place: 0 };
    const before = known !== undefined && known.id === version ? known : unseen;
    try {
      let state = nextState(before, next, this.#isChained);
      let report = await this.#refs.push(ref, version, state, options);
      if (report.kind === "ng" && state.isCut && isAboutChain(report)) {
        state = nextState(before, next, true);
        report = await this.#refs.push(ref, version, state, options);
        this.#isChained = report.kind === "ok";
      }
      if (report.kind === "ok") {
        this.#refs.wrote(ref, version, state);
        this.#losses.delete(ref);
        return { outcome: "done", version: state.id };
      }
      await this.#explainLoss(ref, version, report, options);
      return { outcome: "conflict" };
    } catch (error) {
      if (error instanceof AnswerLost) return { outcome: "unknown", why: error.message };
      throw error;
    }
  }

  /** By a push from a state that no ref ever had: the repository refuses it as it does a lost race. */
  async mayWrite(options: CallOptions = {}): Promise<void> {
    const unseen = { id: randomHex(ID_BYTES), place: 0 };
    const state = nextState(unseen, "", false);
    const ref = this.#refOf(`may-write-${unseen.id}`);
    try {
      const report = await this.#refs.push(ref, unseen.id, state, options);
      if (report.kind === "ng" && causeOf(report.reason) === "rule")
        throw this.#server.pushRefused(report.reason, report.words);
    } catch (error) {
      throw error instanceof AnswerLost ? error.why : error;
    }
  }

  changed(_key: string, _version: string | null, options: ChangedOptions): Promise<void> {
    return pauseToNextLook(options);
  }

  /** git has no signs of life: a session is no more than a name. */
  session(id: string): Session {
    const none = async () => {};
    const own: Own = { id, deadAfter: 0, stage: "new" };
    return sessionOn(this, own, { begin: none, renew: none, end: none });
  }

  async alive(): Promise<AliveSessions> {
    return new Map();
  }

  async keys(options: CallOptions = {}): Promise<string[]> {
    const { prefix } = this.#address;
    const keys: string[] = [];
    for (const [ref, id] of await this.#refs.listAll(prefix, options)) {
      const name = ref.slice(prefix.length);
      const key =
        keyOfRefName(name) ?? (isCutName(name) ? await this.#keyIn(ref, id, options) : null);
      if (key !== null) keys.push(key);
    }
    return keys;
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  #refOf(key: string): string {
    return this.#address.prefix + refNameOf(key);
  }

  /** Returns if somebody else was first; throws if the server does not want this at all. */
  async #explainLoss(
    ref: string,
    version: string | null,
    { reason, words }: Extract<Report, { kind: "ng" }>,
    options: CallOptions,
  ): Promise<void> {
    const cause = causeOf(reason);
    if (cause === "rule") throw this.#server.pushRefused(reason, words);
    if (version === null) await this.#checkNeighbours(ref, words, options);
    const last = this.#losses.get(ref);
    const times = last?.version === version ? last.times + 1 : 1;
    this.#losses.set(ref, { version, times });
    if (cause === "race" && times < STUCK_LIMIT) return;
    // Words that nobody knows, or a race that is lost again and again: the ref itself tells.
    const id = (await this.#refs.list(ref, options)).get(ref) ?? null;
    if (id === version) throw this.#server.pushRefused(reason, words);
  }

  /**
   * Throws if another ref keeps this one from being made: git keeps refs as files, and a file cannot stand
   * beside a directory of the same name. git says which ref it is; a server that does not is asked.
   */
  async #checkNeighbours(ref: string, words: string, options: CallOptions): Promise<void> {
    const told = /'(refs\/[^']+)' exists; cannot create/.exec(words)?.[1];
    if (told === undefined && /cannot lock ref/.test(words)) return;
    const refs = told === undefined ? await this.#refs.list(ref, options) : new Map();
    const below = [...refs.keys()].find((each) => each.startsWith(`${ref}/`));
    const other = told ?? (refs.has(ref) ? undefined : below);
    if (other !== undefined) throw inTheWay(this.#address, ref, other);
  }

  /** The key of a ref whose name was cut: its document tells, and the name must be the key's. */
  async #keyIn(ref: string, id: string, options: CallOptions): Promise<string | null> {
    try {
      const { text } = await this.#refs.fetch(ref, id, options);
      const { key } = JSON.parse(text) as { key?: unknown };
      return typeof key === "string" && this.#refOf(key) === ref ? key : null;
    } catch (error) {
      // A ref of another tool, or one that was moved on just now.
      const isForeign = error instanceof ProtocolError || error instanceof SyntaxError;
      if (isForeign || error instanceof TypeError || error instanceof ServerSaid) return null;
      throw error;
    }
  }
}

/**
 * Whether the refusal may be about a state that does not follow the one before. Such a rule may have any name:
 * so both kinds of state are tried.
 */
function isAboutChain({ reason }: Extract<Report, { kind: "ng" }>): boolean {
  const cause = causeOf(reason);
  return cause === "chain" || cause === "rule";
}
