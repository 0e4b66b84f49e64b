import { sha256 } from "../../lock/text.ts";
import type { Found, Storage } from "../storage/types.ts";
import { TokenRefused } from "./refusal.ts";

/** Clocks of two machines differ by so many seconds. */
export const LEEWAY_S = 60;
/** A token is used when it was just made. One that is older than a day was kept by somebody. */
export const OLDEST_S = 86_400;
/** Tokens that were used and are not over yet. An entry takes about 200 bytes. */
const USED_LIMIT = 100_000;

/** What tells a token from others: who made it, its number, and in seconds when it was made and ends. */
export interface Once {
  readonly url: string;
  /** Its `jti`; of an issuer that numbers no tokens, such as CircleCI, the text that it signed. */
  readonly number: string;
  readonly iat: number;
  readonly exp: number;
}

/** The tokens that were used: each opens one session. With a data file, also over a restart. */
export class UsedTokens {
  /** By the digest of issuer and `jti`: when the token is over, in seconds of the wall clock. */
  readonly #over: Map<string, number>;
  /** Since when all uses are known, in seconds. */
  readonly #since: number;
  readonly #storage: Pick<Storage, "record">;

  constructor(storage: Pick<Storage, "record"> & { readonly found: Pick<Found, "tokens"> }) {
    const { used, since } = storage.found.tokens;
    this.#over = new Map(used.map(({ digest, over }) => [digest, over]));
    this.#since = since;
    this.#storage = storage;
  }

  /** For a verifier without storage: it knows of what is used from `now` on, in milliseconds. */
  static from(now: number): UsedTokens {
    const tokens = { used: [], since: Math.floor(now / 1_000) };
    return new UsedTokens({ found: { tokens }, record() {} });
  }

  /** Takes note that the token was used, `now` in seconds. Throws TokenRefused where it was used before. */
  use({ url, number, iat, exp }: Once, now: number): void {
    if (iat < this.#since) {
      throw new TokenRefused(
        "it was made before this server started, which does not know whether it was used: ask for a new one",
        // The issuer's clock may be behind: then a new one is good in a moment.
        iat < this.#since - LEEWAY_S ? 401 : 503,
      );
    }
    const digest = sha256(JSON.stringify([url, number]));
    if ((this.#over.get(digest) ?? 0) > now) {
      throw new TokenRefused("it was used already: ask for a new one");
    }
    if (this.#over.size >= USED_LIMIT) this.#forgetOver(now);
    if (this.#over.size >= USED_LIMIT) {
      throw new TokenRefused("this server has seen too many tokens today: try again later", 503);
    }
    // Times are compared in whole seconds, so a token lives for up to a second more.
    const over = Math.ceil(Math.min(exp, iat + OLDEST_S)) + LEEWAY_S + 1;
    this.#over.set(digest, over);
    this.#storage.record({ kind: "token-used", digest, over });
  }

  #forgetOver(now: number): void {
    for (const [digest, over] of this.#over) if (over <= now) this.#over.delete(digest);
  }
}
