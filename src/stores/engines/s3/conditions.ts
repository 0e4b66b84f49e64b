import { isLockError } from "../../../lock/errors.ts";
import { randomHex } from "../../../machine/random.ts";
import type { CallOptions } from "../register.ts";
import { ignoresConditions } from "./refusal.ts";
import type { Answer, S3Server } from "./server.ts";

/** A text in the form of an etag that no object has. */
const NO_ETAG = '"00000000000000000000000000000000"';

/**
 * Finds out whether the server keeps to If-Match and If-None-Match before the first swap depends on them. An
 * older server takes the headers and writes all the same, and would let two jobs in. Two writes to an object of
 * its own, which have to fail, show it once a process.
 */
export class Conditions {
  readonly #server: S3Server;
  #checked: Promise<void> | null = null;

  constructor(server: S3Server) {
    this.#server = server;
  }

  /** Throws STORE_REFUSED if conditions are ignored. One check serves all who ask meanwhile. */
  check({ onTrouble }: CallOptions = {}): Promise<void> {
    // Not the caller's signal: others wait for the check too.
    this.#checked ??= this.#check(onTrouble === undefined ? {} : { onTrouble }).catch((error) => {
      if (isLockError(error, "STORE_UNREACHABLE")) this.#checked = null;
      throw error;
    });
    return this.#checked;
  }

  /** The one write that leaves no trace. It also shows whether these credentials may write. */
  async checkMatch(options: CallOptions = {}): Promise<void> {
    const answer = await this.#put({ "if-match": NO_ETAG }, options);
    if (answer.kind === "found") throw ignoresConditions(this.#server.address, "If-Match");
  }

  async #check(options: CallOptions): Promise<void> {
    await Promise.all([this.checkMatch(options), this.#checkNone(options)]);
  }

  async #checkNone(options: CallOptions): Promise<void> {
    // Somebody may delete the object in between: then the third write tells.
    for (let tries = 0; tries < 3; tries++) {
      const { kind } = await this.#put({ "if-none-match": "*" }, options);
      if (kind !== "found") return;
    }
    throw ignoresConditions(this.#server.address, "If-None-Match");
  }

  #put(headers: Record<string, string>, options: CallOptions): Promise<Answer> {
    const { probe: name } = this.#server.address.names;
    const body = JSON.stringify({
      what: "Holdfast tries here whether this server keeps to If-Match and If-None-Match.",
      nonce: randomHex(6),
    });
    return this.#server.ask({ method: "PUT", name, headers, body }, options);
  }
}
