import { isLockError, LockError } from "../../lock/errors.ts";
import type { Hold } from "../../lock/history.ts";
import { parseKey } from "../../lock/key.ts";
import { checkRequest, checkSlot, checkTimeout } from "../../lock/request.ts";
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
  ThawOptions,
} from "../../lock/store.ts";
import { quote } from "../../lock/text.ts";
import { joinLine } from "../join.ts";
import type { StoreOptions } from "../options.ts";
import { givesNoFences } from "../remote/errors.ts";
import { type Address, parseAddress, serverKeyOf } from "./address.ts";
import {
  breakKey,
  freezeKey,
  historyOf,
  inspectKey,
  isHeldBy,
  listKeys,
  releaseRun,
  thawKey,
} from "./admin.ts";
import { HttpClaim } from "./claim.ts";
import { LockServer } from "./client.ts";
import { isHeldByToken, releaseByToken, serverTokenIn } from "./holding/run.ts";
import { leaveJob, OF_JOB, Session } from "./session.ts";

export function openHttpStore(store: string, options: StoreOptions): HttpStore {
  return new HttpStore(parseAddress(store), options);
}

/** A server of the file-locking API: ours, or one of the protocol's authors, with less to promise. */
class HttpStore implements Store {
  readonly url: string;
  readonly #server: LockServer;

  constructor(address: Address, options: StoreOptions) {
    this.url = address.shown;
    this.#server = new LockServer(address, options);
  }

  /**
   * True for all of them, until the server has turned out to be one without lines: it is not asked for this
   * alone.
   */
  get promises(): StorePromises {
    const isOurs = this.#server.isOurs !== false;
    return { fair: isOurs, fenced: isOurs, push: isOurs, scope: "network" };
  }

  async claim(request: ClaimRequest, options: ClaimOptions = {}): Promise<Holding> {
    const checked = checkRequest(request);
    checkTimeout(options.timeout);
    const serverKey = this.#serverKey(checked.key);
    return new HttpClaim(checked, options, { ...this.#place, serverKey }).run();
  }

  join(request: ClaimRequest, options?: JoinOptions): Promise<LinePlace> {
    return joinLine(this, request, options);
  }

  keyOf(text: string): string {
    return parseKey(text);
  }

  async inspect(key: string): Promise<KeyStatus> {
    return inspectKey(this.#place, parseKey(key), this.#serverKey(key));
  }

  async list(options: { all?: boolean } = {}): Promise<KeyStatus[]> {
    return listKeys(this.#place, options.all === true);
  }

  async break(key: string, options: BreakOptions): Promise<BreakResult> {
    const serverKey = this.#serverKey(parseKey(key));
    if (options.slot !== undefined) checkSlot(options.slot);
    // A waiting claim is connected to its server: the dead leave its line by themselves.
    if (options.line) return { broken: [], line: [] };
    const broken = await breakKey(this.#server, serverKey, options);
    if (broken !== null) return { broken };
    const { holders } = await this.inspect(key);
    if (holders.length === 0) return { broken: [] };
    const owners = holders.map(({ owner }) => owner).join(", ");
    throw new LockError(
      "NOT_SUPPORTED",
      `The lock ${quote(key)} at ${this.url} cannot be broken, since that server has no /admin: end its holder ${owners}, or wait until its lock runs out.`,
    );
  }

  /** The holds of a key that are over, newest first, as far as the server remembers them. */
  async history(key: string, { limit }: { limit: number }): Promise<Hold[]> {
    return historyOf(this.#server, this.#serverKey(parseKey(key)), limit);
  }

  /**
   * By the fence, as everybody sees it; without one, without a secret or without the right to look, by
   * what the lease has: a job need not be able to prove again who it is.
   */
  async verify(lease: Parameters<Store["verify"]>[0]): Promise<boolean> {
    const { key, fence, token } = lease;
    const serverKey = this.#serverKey(parseKey(key));
    const bySession = () =>
      isHeldBy(this.#server, this.#session(token as string), serverKey, fence);
    const ofRun = token === undefined ? null : serverTokenIn(token);
    const isSession = token !== undefined && ofRun === null;
    if (fence === null) {
      if (token !== undefined) return bySession();
      throw givesNoFences(this.#server.address);
    }
    if (this.#server.secret === null) {
      if (isSession) return bySession();
      const isHeld =
        ofRun === null ? null : await isHeldByToken(this.#server, serverKey, ofRun, fence);
      if (isHeld !== null) return isHeld;
    }
    try {
      const { holders } = await inspectKey(this.#place, key, serverKey);
      return holders.some((holder) => holder.fence === fence);
    } catch (error) {
      if (!isSession || !isLockError(error, "STORE_DENIED")) throw error;
      return bySession();
    }
  }

  async release(lease: Lease): Promise<ReleaseOutcome> {
    const serverKey = this.#serverKey(parseKey(lease.key));
    const ofRun = serverTokenIn(lease.token);
    if (ofRun !== null) return releaseByToken(this.#server, serverKey, ofRun);
    const outcome = await this.#session(lease.token).release(serverKey);
    return typeof outcome === "string" ? outcome : "already-gone";
  }

  async freeze(key: string, options: FreezeOptions): Promise<Freeze> {
    return freezeKey(this.#server, this.#serverKey(parseKey(key)), options);
  }

  async thaw(key: string, options: ThawOptions): Promise<Freeze | null> {
    return thawKey(this.#server, this.#serverKey(parseKey(key)), options);
  }

  async releaseRun(key: string, { id }: Pick<Run, "id">): Promise<RunRelease> {
    return releaseRun(this.#server, this.#serverKey(parseKey(key)), id);
  }

  /** Holdings go on: their next refresh opens a connection if it needs one. */
  async close(): Promise<void> {
    await leaveJob(this.#server);
    await this.#server.dropIdle();
  }

  get #place() {
    return { server: this.#server, store: this.url };
  }

  #serverKey(key: string): string {
    return serverKeyOf(this.#server.address.base, key);
  }

  /** The session of a lease. One that the user gave, or that has other keys of its job, is not ours to end. */
  #session(token: string): Session {
    const id = token.startsWith(OF_JOB) ? token.slice(OF_JOB.length) : token;
    return new Session(this.#server, id, id !== token || id === this.#server.secret);
  }
}
