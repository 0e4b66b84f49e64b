import { decodeJwt, errors, type JWTPayload, jwtVerify } from "jose";
import { cleanText, quote, sha256 } from "../../lock/text.ts";
import type { Clock } from "../../lock/time.ts";
import { keysOf, NoKeys, type PublishedKeys } from "./keys.ts";
import type { Identity, Issuer } from "./policy.ts";

/** What issuers sign with. An algorithm with a shared secret, or none, would let anybody sign. */
const ALGORITHMS = ["RS256", "ES256", "EdDSA"];
/** Clocks of two machines differ by so many seconds. */
const LEEWAY_S = 60;
/** A token is used when it was just made. One that is older than a day was kept by somebody. */
const OLDEST_S = 86_400;
/** Tokens that were used and are not over yet. An entry takes about 200 bytes. */
const USED_LIMIT = 100_000;

/** The token is not accepted. The message may be told to the client. */
export class TokenRefused extends Error {
  /** True: the token may be good, but this server cannot tell now. */
  readonly isPassing: boolean;

  constructor(message: string, isPassing = false) {
    super(message);
    this.isPassing = isPassing;
  }
}

interface Known {
  readonly issuer: Issuer;
  readonly keys: PublishedKeys;
}

/** Checks ID tokens: who signed them, for whom, when, and that none is used twice. */
export class Verifier {
  readonly #issuers: ReadonlyMap<string, Known>;
  readonly #clock: Clock;
  readonly #startedAt: number;
  /** By the digest of issuer and `jti`: when the token is over, in seconds of the wall clock. */
  readonly #used = new Map<string, number>();

  private constructor(issuers: ReadonlyMap<string, Known>, clock: Clock) {
    this.#issuers = issuers;
    this.#clock = clock;
    this.#startedAt = clock.now();
  }

  /** Throws BAD_OPTION where a file of keys cannot be read. `before`: whose used tokens still count. */
  static async open(
    issuers: readonly Issuer[],
    clock: Clock,
    before: Verifier | null = null,
  ): Promise<Verifier> {
    const known = new Map<string, Known>();
    for (const issuer of issuers) {
      const keys = await keysOf(issuer, () => clock.monotonic());
      known.set(issuer.url, { issuer, keys });
    }
    const verifier = new Verifier(known, clock);
    if (before !== null) {
      for (const [digest, end] of before.#used) verifier.#used.set(digest, end);
    }
    return verifier;
  }

  /** Who the token says its bearer is. Throws TokenRefused. It counts as used from now on. */
  async identify(token: string): Promise<Identity> {
    const known = this.#issuerOf(token);
    const claims = await this.#verified(token, known);
    this.#useOnce(known.issuer, claims);
    return { issuer: known.issuer.name, claims };
  }

  /** The same for somebody who only wants to know: the token does not count as used. */
  async look(token: string, isSigned: boolean): Promise<Identity> {
    const known = this.#issuerOf(token);
    const claims = isSigned ? await this.#verified(token, known) : decodeJwt(token);
    return { issuer: known.issuer.name, claims };
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
      requiredClaims: ["exp", "jti"],
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

  /** Signatures come first: strangers cannot fill the memory of used tokens. */
  #useOnce({ url }: Issuer, { jti, exp = 0, iat = 0 }: JWTPayload): void {
    const now = this.#clock.now() / 1_000;
    if (iat * 1_000 < this.#startedAt - LEEWAY_S * 1_000) {
      throw new TokenRefused(
        "it was made before this server started, which does not know whether it was used: ask for a new one",
      );
    }
    const digest = sha256(JSON.stringify([url, jti]));
    if ((this.#used.get(digest) ?? 0) > now) {
      throw new TokenRefused("it was used already: ask for a new one");
    }
    if (this.#used.size >= USED_LIMIT) this.#forgetOver(now);
    if (this.#used.size >= USED_LIMIT) {
      throw new TokenRefused("this server has seen too many tokens today: try again later", true);
    }
    this.#used.set(digest, Math.min(exp, iat + OLDEST_S) + LEEWAY_S);
  }

  #forgetOver(now: number): void {
    for (const [digest, end] of this.#used) if (end <= now) this.#used.delete(digest);
  }
}

/** What the token says about its issuer, before anything of it is checked. */
function issuerIn(token: string): string {
  try {
    return decodeJwt(token).iss ?? "";
  } catch {
    throw new TokenRefused("it is no JSON Web Token");
  }
}

function explained(error: unknown): unknown {
  if (error instanceof NoKeys) return new TokenRefused(error.message, true);
  if (error instanceof errors.JWTExpired) return new TokenRefused("its time is over");
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { claim, reason } = error;
    return new TokenRefused(
      reason === "missing"
        ? `it has no claim ${quote(claim)}`
        : `its claim ${quote(claim)} is not the one that is asked for`,
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
  return error;
}
