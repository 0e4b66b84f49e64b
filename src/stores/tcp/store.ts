import { PLAIN } from "../../lock/admission.ts";
import { LockError } from "../../lock/errors.ts";
import type { Hold } from "../../lock/history.ts";
import { parseKey } from "../../lock/key.ts";
import { checkRequest, checkTimeout } from "../../lock/request.ts";
import type { Freeze, KeyStatus } from "../../lock/status.ts";
import type {
  BreakOptions,
  BreakResult,
  ClaimOptions,
  ClaimRequest,
  FreezeOptions,
  Holding,
  JoinOptions,
  Lease,
  LinePlace,
  ReleaseOutcome,
  Run,
  RunRelease,
  Store,
  StorePromises,
} from "../../lock/store.ts";
import { quote } from "../../lock/text.ts";
import { within } from "../../lock/time.ts";
import { encodeWireKey } from "../../wire/key.ts";
import { type Request, releaseRequest, renewRequest, statsRequest } from "../../wire/request.ts";
import { keyHistoryRequest, keyStatsRequest } from "../../wire/stats.ts";
import { joinLine } from "../join.ts";
import type { StoreOptions } from "../options.ts";
import { LOOK_MS } from "../remote/claim.ts";
import { givesNoFences } from "../remote/errors.ts";
import { silent } from "../remote/trouble.ts";
import { type Addresses, parseAddresses, serverOf } from "./address.ts";
import { TcpClaim } from "./claim.ts";
import { askRelease } from "./holding.ts";
import { type Greeted, LockServer } from "./server.ts";
import { idleKeysIn, type KeyStats, keyIn, keysIn, pastIn, statusOf } from "./status.ts";

const ANSWER_MS = 10_000;

export function openTcpStore(store: string, options: StoreOptions): Store {
  return new TcpStore(parseAddresses(store), options);
}

/** One lock server, or several that share the keys. Keeps no connection except those of its holdings. */
class TcpStore implements Store {
  readonly url: string;
  readonly #servers: readonly [LockServer, ...LockServer[]];

  constructor(addresses: Addresses, options: StoreOptions) {
    this.url = addresses.url;
    const [first, ...others] = addresses.servers;
    this.#servers = [
      new LockServer(first, options),
      ...others.map((address) => new LockServer(address, options)),
    ];
  }

  /** Fenced, until a server has turned out to give no fences: it is not asked for this alone. */
  get promises(): StorePromises {
    const fenced = this.#servers.every(({ isOurs }) => isOurs !== false);
    return { fair: true, fenced, push: true, scope: "network" };
  }

  async claim(request: ClaimRequest, options: ClaimOptions = {}): Promise<Holding> {
    const checked = checkRequest(request);
    checkTimeout(options.timeout);
    if (checked.line === "newest") throw this.#wordless("a line in which the newest claim wins");
    if (checked.run !== null) throw this.#wordless("a lock that belongs to a whole run");
    if (checked.weight !== PLAIN.weight) throw this.#wordless("a weight");
    if (checked.priority !== PLAIN.priority) throw this.#wordless("a priority");
    if (checked.resources !== null) throw this.#wordless("the names of slots");
    if (options.ready !== undefined) throw this.#wordless("a place in line without the lock");
    const { server, wireKey } = this.#find(checked.key);
    return new TcpClaim(checked, options, { server, wireKey, store: this.url }).run();
  }

  join(request: ClaimRequest, options?: JoinOptions): Promise<LinePlace> {
    return joinLine(this, request, options);
  }

  keyOf(text: string): string {
    return parseKey(text);
  }

  async inspect(key: string): Promise<KeyStatus> {
    const { server, wireKey } = this.#find(parseKey(key));
    return statusOf(await lookAt(server, wireKey), this.url, key);
  }

  async list(options: { all?: boolean } = {}): Promise<KeyStatus[]> {
    const lists = await Promise.all(
      this.#servers.map((server) =>
        visit(server, statsRequest(), async ({ stats }) => {
          const idle = options.all ? idleKeysIn(stats) : [];
          return [
            ...keysIn(stats).map((found) => statusOf(found, this.url)),
            ...idle.map((wireKey) => statusOf({ ...FREE, wireKey }, this.url)),
          ];
        }),
      ),
    );
    return lists.flat();
  }

  /** The holds of a key that are over. Our server tells them in its stats; the protocol has no word for it. */
  async history(key: string, { limit }: { limit: number }): Promise<Hold[]> {
    const { server, wireKey } = this.#find(parseKey(key));
    return visit(server, keyHistoryRequest(wireKey), async ({ stats }) => {
      if (server.isOurs) return pastIn(stats, wireKey, limit);
      throw new LockError(
        "NOT_SUPPORTED",
        `The lock server ${server.address.shown} keeps no history: use a server of Holdfast's own, or, in the action, history: cache.`,
      );
    });
  }

  /** Breaks nothing: the protocol has no word for it. The error says what can be done instead. */
  async break(key: string, { line }: BreakOptions): Promise<BreakResult> {
    // A waiting claim is connected: the dead leave the line by themselves.
    if (line) return { broken: [], line: [] };
    const { holders } = await this.inspect(key);
    if (holders.length === 0) return { broken: [] };
    const owners = holders.map(({ owner }) => owner).join(", ");
    throw new LockError(
      "NOT_SUPPORTED",
      `The lock ${quote(key)} at ${this.url} cannot be broken, since dflockd's protocol has no word for it: break it at the http:// or https:// address of the same server, where it is Holdfast's own, or end its holder ${owners}, and it is free at once.`,
    );
  }

  async freeze(key: string, _options: FreezeOptions): Promise<Freeze> {
    parseKey(key);
    throw this.#wordless("a freeze");
  }

  async thaw(key: string, _options: { readonly owner: string }): Promise<Freeze | null> {
    parseKey(key);
    throw this.#wordless("a thaw");
  }

  async releaseRun(key: string, _run: Pick<Run, "id">): Promise<RunRelease> {
    parseKey(key);
    throw this.#wordless("a lock that belongs to a whole run");
  }

  /**
   * Looks by the fence if the server is ours. Other servers tell nothing about a lease except to a client that
   * renews it. So the lease is renewed with its token, by its whole ttl: that is never shorter than what its
   * holder counts on, and the holder's own next renewal sets it back.
   */
  async verify(lease: Parameters<Store["verify"]>[0]): Promise<boolean> {
    const { server, wireKey } = this.#find(parseKey(lease.key));
    return visit(server, keyStatsRequest(wireKey), async ({ stats, connection }) => {
      if (server.isOurs) {
        const leases = keyIn(stats, wireKey)?.leases ?? [];
        return leases.some(
          ({ fence, lease_expires_in_s: left }) => fence === lease.fence && left > 0,
        );
      }
      const { token, ttl = 1 } = lease;
      if (token === undefined) throw givesNoFences(server.address);
      const request = renewRequest({ key: wireKey, token, lease: Math.max(1, Math.ceil(ttl)) });
      const late = () => silent(server.address, ANSWER_MS);
      return (await within(connection.ask(request), ANSWER_MS, late)).kind === "renewed";
    });
  }

  async release(lease: Lease): Promise<ReleaseOutcome> {
    const { server, wireKey: key } = this.#find(parseKey(lease.key));
    const request = releaseRequest({ key, token: lease.token });
    return visit(server, keyStatsRequest(key), ({ connection }) => askRelease(connection, request));
  }

  /** Nothing is kept open: each look has its own connection, and holdings keep theirs. */
  async close(): Promise<void> {}

  #wordless(what: string): LockError {
    return new LockError(
      "NOT_SUPPORTED",
      `The store ${this.url} cannot do it, since dflockd's protocol has no word for ${what}: use the http:// or https:// address of the same server, where it is Holdfast's own.`,
    );
  }

  #find(key: string): { server: LockServer; wireKey: string } {
    const wireKey = encodeWireKey(key);
    return { server: serverOf(this.#servers, wireKey), wireKey };
  }
}

const FREE: Omit<KeyStats, "wireKey"> = {
  slots: 1,
  waiting: 0,
  leases: [],
  line: [],
  nameless: [],
  frozen: null,
  frozenSlots: [],
  resources: null,
};

function lookAt(server: LockServer, wireKey: string): Promise<KeyStats | null> {
  return visit(server, keyStatsRequest(wireKey), async ({ stats }) => keyIn(stats, wireKey));
}

/** A connection for a few words. */
async function visit<T>(
  server: LockServer,
  first: Request,
  use: (greeted: Greeted) => Promise<T>,
): Promise<T> {
  const greeted = await server.greet(first, { patience: LOOK_MS });
  try {
    return await use(greeted);
  } finally {
    greeted.connection.destroy();
  }
}
