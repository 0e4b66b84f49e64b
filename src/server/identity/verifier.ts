import { decodeJwt, errors, type JWTPayload, jwtVerify } from "jose";
import { messageOf } from "../../lock/errors.ts";
import { cleanText, quote } from "../../lock/text.ts";
import type { Clock } from "../../lock/time.ts";
import type { Storage } from "../storage/types.ts";
import { keysOf, NoKeys, type PublishedKeys } from "./keys.ts";
import type { Identity, Issuer } from "./policy.ts";
import { TokenRefused } from "./refusal.ts";
import { LEEWAY_S, OLDEST_S, UsedTokens } from "./used.ts";

/** What issuers sign with. An algorithm with a shared secret, or none, would let anybody sign. */
const ALGORITHMS = ["RS256", "ES256", "EdDSA"];
interface Known {
  readonly issuer: Issuer;
  readonly keys: PublishedKeys;
}

/** Checks ID tokens: who signed them, for whom, when, and that none is used twice. */
export class Verifier {
  readonly #issuers: ReadonlyMap<string, Known>;
  readonly #clock: Clock;
  #used: UsedTokens;

  private constructor(issuers: ReadonlyMap<string, Known>, clock: Clock, used: UsedTokens) {
    this.#issuers = issuers;
    this.#clock = clock;
    this.#used = used;
  }

  /**
   * Throws BAD_OPTION where a file of keys cannot be read. `before`: the one that this takes the place
   * of, whose used tokens still count, and whose keys of the same issuers are still good.
   */
  static async open(
    issuers: readonly Issuer[],
    clock: Clock,
    before: Verifier | null = null,
  ): Promise<Verifier> {
    const known = new Map<string, Known>();
    for (const issuer of issuers) {
      const same = before === null ? undefined : before.#issuers.get(issuer.url);
      const isKept = same !== undefined && same.issuer.jwks === null && issuer.jwks === null;
      const keys = isKept ? same.keys : await keysOf(issuer, () => clock.monotonic());
      known.set(issuer.url, { issuer, keys });
    }
    return new Verifier(
      known,
      clock,
      before === null ? UsedTokens.from(clock.now()) : before.#used,
    );
  }

  /** From now on the used tokens are those that the storage knows, and it is told of more. */
  keepIn(storage: Pick<Storage, "found" | "record">): void {
    this.#used = new UsedTokens(storage);
  }

  /**
   * Who the token says its bearer is. Throws TokenRefused. It counts as used from now on, unless
   * `welcome` throws: anybody in the world can have tokens of a public issuer, and those of strangers
   * must take no room.
   */
  async identify(
    token: string,
    welcome: (identity: Identity) => void = () => {},
  ): Promise<Required<Identity>> {
    const { issuer, keys } = this.#issuerOf(token);
    const claims = await this.#verified(token, { issuer, keys });
    const identity = { issuer: issuer.name, url: issuer.url, claims };
    welcome(identity);
    const { iat = 0, exp = 0 } = claims;
    const once = { url: issuer.url, number: numberOf(token, claims), iat, exp };
    this.#used.use(once, this.#clock.now() / 1_000);
    return identity;
  }

  /** The same for somebody who only wants to know: the token does not count as used. */
  async look(token: string, isSigned: boolean): Promise<Identity> {
    const known = this.#issuerOf(token);
    const { name, audience } = known.issuer;
    if (isSigned) return { issuer: name, claims: await this.#verified(token, known) };
    const claims = decodeJwt(token);
    if ([claims.aud].flat().includes(audience)) return { issuer: name, claims };
    throw new TokenRefused(NOT_ASKED_FOR(quote("aud")));
  }

  #issuerOf(token: string): Known {
    const known = this.#issuers.get(issuerIn(token));
    if (known !== undefined) return known;
    throw new TokenRefused("its issuer is none of those in the policy");
  }

  async #verified(token: string, { issuer, keys }: Known): Promise<JWTPayload> {
    const options = {
      algorithms: ALGORITHMS,
      issuer: issuer.url,
      audience: issuer.audience,
      clockTolerance: LEEWAY_S,
      maxTokenAge: OLDEST_S,
      requiredClaims: ["exp"],
      currentDate: new Date(this.#clock.now()),
    };
    try {
      try {
        return (await jwtVerify(token, await keys.get(), options)).payload;
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        // The issuer may have a new key since its keys were read.
        return (await jwtVerify(token, await keys.get(true), options)).payload;
      }
    } catch (error) {
      throw explained(error);
    }
  }
}

/** Without its signature, of which some algorithms make as many good ones as one likes. */
function numberOf(token: string, { jti }: JWTPayload): string {
  return typeof jti === "string" && jti !== "" ? jti : token.slice(0, token.lastIndexOf("."));
}

/** What the token says about its issuer, before anything of it is checked. */
function issuerIn(token: string): string {
  try {
    return decodeJwt(token).iss ?? "";
  } catch {
    throw new TokenRefused("it is no JSON Web Token");
  }
}

const NOT_ASKED_FOR = (claim: string) => `its claim ${claim} is not the one that is asked for`;

function explained(error: unknown): TokenRefused {
  if (error instanceof NoKeys) {
    return new TokenRefused(error.message, 503, "the keys of its issuer cannot be read now");
  }
  if (error instanceof errors.JWTExpired) return new TokenRefused("its time is over");
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { claim, reason } = error;
    return new TokenRefused(
      reason === "missing" ? `it has no claim ${quote(claim)}` : NOT_ASKED_FOR(quote(claim)),
    );
  }
  if (error instanceof errors.JOSEAlgNotAllowed) {
    return new TokenRefused(`it is signed in another way than ${ALGORITHMS.join(", ")}`);
  }
  if (error instanceof errors.JWKSNoMatchingKey) {
    return new TokenRefused("it names a key that its issuer does not publish");
  }
  if (error instanceof errors.JOSEError) {
    return new TokenRefused(`its signature is not good (${cleanText(error.code)})`);
  }
  // The token names a key that its issuer publishes, and that is none: too short, or damaged.
  const why = `the issuer's key for it cannot be used`;
  return new TokenRefused(`${why}: ${cleanText(messageOf(error))}`, 401, why);
}
