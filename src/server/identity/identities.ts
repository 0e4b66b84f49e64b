import { readFile } from "node:fs/promises";
import { LockError, messageOf } from "../../lock/errors.ts";
import type { Metadata, Owner } from "../../lock/owner.ts";
import { jsonText, quote } from "../../lock/text.ts";
import type { Clock } from "../../lock/time.ts";
import type { Logger } from "../log.ts";
import type { Storage } from "../storage/types.ts";
import { ownerOf } from "./owner.ts";
import { type Identity, type JobIdentity, type Policy, parsePolicy, type Right } from "./policy.ts";
import { TokenRefused } from "./refusal.ts";
import { Verifier } from "./verifier.ts";

export interface Admitted {
  readonly identity: JobIdentity;
  /** Who holds what it claims. `said`: what its client says of itself, of which little counts. */
  ownerWith(said: Metadata): Owner;
}

/** A text of the log that strangers fill is cut here. */
const CLAIMS_SHOWN = 2_000;

/** Who may do what, as the file of --policy says. The file can be read anew while the server runs. */
export class Identities {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #log: Logger;
  #policy: Policy;
  #verifier: Verifier;
  /** How often the file was read anew, and which of these readings is in force. */
  #readings = 0;
  #current = 0;

  private constructor(
    file: string,
    clock: Clock,
    log: Logger,
    { policy, verifier }: { policy: Policy; verifier: Verifier },
  ) {
    this.#file = file;
    this.#clock = clock;
    this.#log = log;
    this.#policy = policy;
    this.#verifier = verifier;
  }

  /** Throws BAD_OPTION where the file is not there or not sound. */
  static async open(file: string, clock: Clock, log: Logger): Promise<Identities> {
    const read = await readPolicy(file, clock, null);
    const identities = new Identities(file, clock, log, read);
    identities.#tell("policy read");
    return identities;
  }

  /** Reads the file anew. A bad one changes nothing, and the log says so. */
  async reload(): Promise<void> {
    const reading = ++this.#readings;
    try {
      const { policy, verifier } = await readPolicy(this.#file, this.#clock, this.#verifier);
      // A later reading was faster: this one would bring back rules that are gone.
      if (reading < this.#current) return;
      this.#current = reading;
      this.#policy = policy;
      this.#verifier = verifier;
      this.#tell("policy read anew");
    } catch (error) {
      this.#log.write("error", "the policy stays as it was, since the new one is not sound", {
        reason: messageOf(error),
      });
    }
  }

  /** Used tokens are kept there, so that none is used again after a restart. */
  keepIn(storage: Pick<Storage, "found" | "record">): void {
    this.#verifier.keepIn(storage);
  }

  /** Who shows this token. Throws TokenRefused, also where no rule is for it. */
  async admit(token: string): Promise<Admitted> {
    const identity = await this.#verifier.identify(token, (who) => {
      const why = this.refuses(who, null, null);
      if (why !== null) throw new TokenRefused(why, 403);
    });
    const { url } = identity;
    const { run } = ownerOf(identity, url, {});
    return {
      identity: { ...identity, run },
      ownerWith: (said) => ownerOf(identity, url, said).owner,
    };
  }

  /** Null where it may do this to the key, else why not. Null for a right or a key stands for any. */
  refuses(identity: Identity, right: Right | null, key: string | null): string | null {
    const verdict = this.#policy.judge(identity, right, key);
    if (verdict.allowed) return null;
    this.#log.limited("warn", "refused by the policy", {
      right,
      key,
      rule: verdict.rule,
      reason: verdict.detail,
      issuer: identity.issuer,
      claims: jsonText(identity.claims).slice(0, CLAIMS_SHOWN),
    });
    return verdict.why;
  }

  /** The same for a question that is asked of many keys: nothing is written to the log. */
  may(identity: Identity, right: Right, key: string): boolean {
    return this.#policy.judge(identity, right, key).allowed;
  }

  #tell(event: string): void {
    const { issuers, rules, warnings } = this.#policy;
    this.#log.write("info", event, {
      file: this.#file,
      issuers: issuers.map(({ name }) => name).join(" "),
      rules: rules.length,
    });
    for (const warning of warnings) this.#log.write("warn", warning, { file: this.#file });
  }
}

/** Throws BAD_OPTION. `before`: the verifier that knows which tokens were used. */
export async function readPolicy(file: string, clock: Clock, before: Verifier | null) {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw new LockError(
      "BAD_OPTION",
      `The file ${quote(file, 200)} of --policy cannot be read: ${messageOf(error)}.`,
      { cause: error },
    );
  }
  const policy = parsePolicy(text, file);
  return { policy, verifier: await Verifier.open(policy.issuers, clock, before) };
}
