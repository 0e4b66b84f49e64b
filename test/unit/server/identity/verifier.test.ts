import { createHmac } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isIdToken } from "../../../../src/server/http/auth.ts";
import type { Issuer } from "../../../../src/server/identity/policy.ts";
import { TokenRefused } from "../../../../src/server/identity/refusal.ts";
import { Verifier } from "../../../../src/server/identity/verifier.ts";
import { githubClaims, LocalIssuer } from "../../../helpers/identity/issuer.ts";

let issuer: LocalIssuer;
let others: LocalIssuer[];
/** Milliseconds that the server's clocks are ahead of the issuer's. */
let ahead: number;

beforeEach(async () => {
  issuer = await LocalIssuer.open();
  others = [];
  ahead = 0;
});

afterEach(async () => {
  for (const each of [issuer, ...others]) await each.close();
});

async function another(): Promise<LocalIssuer> {
  const made = await LocalIssuer.open();
  others.push(made);
  return made;
}

function entry({ url }: LocalIssuer, changes: Partial<Issuer> = {}): Issuer {
  return { name: "github", url, audience: "https://locks.acme.dev", jwks: null, ...changes };
}

const clock = { now: () => Date.now() + ahead, monotonic: () => performance.now() + ahead };

function open(...issuers: Issuer[]): Promise<Verifier> {
  return Verifier.open(issuers.length === 0 ? [entry(issuer)] : issuers, clock);
}

async function refusalOf(verifier: Verifier, token: string): Promise<TokenRefused> {
  const error = await verifier.identify(token).then(
    () => new Error("accepted"),
    (thrown) => thrown,
  );
  if (error instanceof TokenRefused) return error;
  throw error;
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** The order of the group of P-256. */
const P256 = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** Another good signature of the same text: of an ES256 signature anybody can make a second one. */
function otherSignature(signature: string): string {
  const hex = Buffer.from(signature, "base64url").toString("hex");
  const other = (P256 - BigInt(`0x${hex.slice(64)}`)).toString(16).padStart(64, "0");
  return Buffer.from(hex.slice(0, 64) + other, "hex").toString("base64url");
}

function seconds(fromNow: number): number {
  return Math.floor(Date.now() / 1_000) + fromNow;
}

describe("a token of the issuer", () => {
  test.each(["RS256", "ES256", "EdDSA"] as const)("is taken with %s", async (algorithm) => {
    const kid = await issuer.addKey(algorithm);
    const verifier = await open();
    const identity = await verifier.identify(await issuer.token(githubClaims(), kid));
    expect(identity).toMatchObject({ issuer: "github", claims: { repository: "acme/shop" } });
  });

  test("is used once, also where its policy is read anew", async () => {
    const verifier = await open();
    const token = await issuer.token(githubClaims());
    await verifier.identify(token);
    expect((await refusalOf(verifier, token)).message).toContain("was used already");
    const renewed = await Verifier.open([entry(issuer)], clock, verifier);
    expect((await refusalOf(renewed, token)).message).toContain("was used already");
  });

  test.each([
    ["CircleCI's", undefined],
    ["an empty one", ""],
    ["null", null],
  ])("without a number of its own (%s) is used once, whatever its signature", async (_, jti) => {
    const kid = await issuer.addKey("ES256");
    const verifier = await open();
    const token = await issuer.token(githubClaims({ jti }), kid);
    await verifier.identify(token);
    const [head, body, signature = ""] = token.split(".");
    for (const shown of [signature, otherSignature(signature)]) {
      const refusal = await refusalOf(verifier, `${head}.${body}.${shown}`);
      expect(refusal.message).toContain("was used already");
    }
    await verifier.identify(await issuer.token(githubClaims({ jti, check_run_id: "988" }), kid));
  });

  test("made before its policy is read anew is still taken", async () => {
    const verifier = await open();
    ahead = 150_000;
    const renewed = await Verifier.open([entry(issuer)], clock, verifier);
    await renewed.identify(await issuer.token(githubClaims({ iat: seconds(30) })));
  });

  test("that was under way while its policy was read anew is used up all the same", async () => {
    const verifier = await open();
    const token = await issuer.token(githubClaims());
    const under = verifier.identify(token);
    const renewed = await Verifier.open([entry(issuer)], clock, verifier);
    await under;
    expect((await refusalOf(renewed, token)).message).toContain("was used already");
  });

  test("that is not welcome takes no room, and is not used up", async () => {
    const verifier = await open();
    const token = await issuer.token(githubClaims());
    const stranger = verifier.identify(token, () => {
      throw new Error("no rule");
    });
    await expect(stranger).rejects.toThrow("no rule");
    await verifier.identify(token);
  });

  test("for several is taken where this server is one of them, and else not", async () => {
    const verifier = await open();
    const aud = ["https://other.dev", "https://locks.acme.dev"];
    await verifier.identify(await issuer.token(githubClaims({ aud })));
    for (const others of [["https://other.dev"], [], [["https://locks.acme.dev"]]]) {
      const token = await issuer.token(githubClaims({ aud: others }));
      expect((await refusalOf(verifier, token)).message).toContain('"aud"');
    }
  });

  test("is taken by one of two who show it at the same moment", async () => {
    const verifier = await open();
    const token = await issuer.token(githubClaims());
    const shown = await Promise.allSettled([1, 2, 3].map(() => verifier.identify(token)));
    expect(shown.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("of the minute before the server's start is refused, but a new one may be good", async () => {
    const verifier = await open();
    const refusal = await refusalOf(
      verifier,
      await issuer.token(githubClaims({ iat: seconds(-5) })),
    );
    expect(refusal).toMatchObject({ isPassing: true });
  });

  test("of before the server's start is refused, since nobody knows whether it was used", async () => {
    const token = await issuer.token(githubClaims({ iat: seconds(-120) }));
    expect((await refusalOf(await open(), token)).message).toContain("before this server started");
  });

  test.each([
    ["is over", { exp: seconds(-61) }, "time is over"],
    ["has no end", { exp: undefined }, '"exp"'],
    ["has no beginning", { iat: undefined }, '"iat"'],
    ["is not yet good", { nbf: seconds(120) }, '"nbf"'],
    ["was made in the future", { iat: seconds(120) }, '"iat"'],
    ["was made two days ago", { iat: seconds(-2 * 86_400), exp: seconds(60) }, ""],
    ["is for another server", { aud: "https://locks.evil.dev" }, '"aud"'],
    ["is for nobody", { aud: undefined }, '"aud"'],
    ["is for this server with a slash", { aud: "https://locks.acme.dev/" }, '"aud"'],
    ["is for this server in capitals", { aud: "HTTPS://LOCKS.ACME.DEV" }, '"aud"'],
    ["has a time that is text", { exp: "tomorrow" }, '"exp"'],
  ])("that %s is refused", async (_what, changes, words) => {
    const refusal = await refusalOf(await open(), await issuer.token(githubClaims(changes)));
    expect(refusal.message).toContain(words);
    expect(refusal.isPassing).toBe(false);
  });

  test("is taken though the clocks differ by half a minute", async () => {
    const verifier = await open();
    ahead = 30_000;
    await verifier.identify(await issuer.token(githubClaims({ exp: seconds(-10) })));
    ahead = -30_000;
    await verifier.identify(await issuer.token(githubClaims()));
  });
});

describe("an attacker's token", () => {
  test("of an issuer that is in no policy is refused, and that issuer is not asked", async () => {
    const evil = await another();
    const refusal = await refusalOf(await open(), await evil.token(githubClaims()));
    expect(refusal.message).toContain("none of those in the policy");
    expect(evil.asked).toEqual([]);
  });

  test.each([
    ["a slash behind it", (url: string) => `${url}/`],
    ["capitals", (url: string) => url.replace("http", "HTTP")],
    ["a path", (url: string) => `${url}/x`],
  ])("that names the issuer with %s is refused", async (_what, change) => {
    const token = await issuer.token(githubClaims({ iss: change(issuer.url) }));
    expect((await refusalOf(await open(), token)).message).toContain("none of those");
  });

  test("signed with another issuer's key of the same id is refused", async () => {
    const evil = await another();
    const token = await evil.token(githubClaims({ iss: issuer.url }));
    expect((await refusalOf(await open(), token)).message).toContain("signature");
  });

  test("cannot use the key of one issuer for another of the same policy", async () => {
    const second = await another();
    const verifier = await open(entry(issuer), entry(second, { name: "ours" }));
    const token = await second.token(githubClaims({ iss: issuer.url }));
    expect((await refusalOf(verifier, token)).message).toContain("signature");
  });

  test.each(["none", "None", "NONE"])("without a signature (%s) is refused", async (alg) => {
    const good = await issuer.token(githubClaims());
    const token = `${part({ alg, kid: "key-1" })}.${good.split(".")[1]}.`;
    expect((await refusalOf(await open(), token)).message).toMatch(
      /signed in another way|signature/,
    );
  });

  test("signed with the public key as a shared secret is refused", async () => {
    const good = await issuer.token(githubClaims());
    const [jwk] = issuer.jwks.keys;
    const body = `${part({ alg: "HS256", kid: jwk?.kid })}.${good.split(".")[1]}`;
    for (const secret of [JSON.stringify(jwk), jwk?.n ?? "", JSON.stringify(issuer.jwks)]) {
      const token = `${body}.${createHmac("sha256", secret).update(body).digest("base64url")}`;
      expect((await refusalOf(await open(), token)).message).toContain("signed in another way");
    }
  });

  test("whose claims were changed after the signature is refused", async () => {
    const [head, body = "", signature] = (await issuer.token(githubClaims())).split(".");
    const claims = JSON.parse(Buffer.from(body, "base64url").toString());
    const token = `${head}.${part({ ...claims, repository_owner_id: "1" })}.${signature}`;
    expect((await refusalOf(await open(), token)).message).toContain("signature");
  });

  test("cannot bring its own key, or say where its key is", async () => {
    const evil = await another();
    const good = await evil.token(githubClaims({ iss: issuer.url }));
    const body = good.split(".")[1];
    for (const head of [
      { alg: "RS256", jwk: evil.jwks.keys[0] },
      { alg: "RS256", kid: "key-1", jku: `${evil.url}/jwks` },
      { alg: "RS256", kid: "key-1", crit: ["exp"], exp: 1 },
    ]) {
      const token = `${part(head)}.${body}.${good.split(".")[2]}`;
      await refusalOf(await open(), token);
    }
    expect(evil.asked).toEqual([]);
  });

  test.each([
    ["no token", "hello"],
    ["two parts", "eyJh.eyJh"],
    ["parts that are no JSON", "eyJh.eyJh.eyJh"],
    ["a list in place of claims", `${part({ alg: "RS256" })}.${part([])}.x`],
    ["an issuer that is no text", `${part({ alg: "RS256" })}.${part({ iss: { a: 1 } })}.x`],
    ["100 kB", `${part({ alg: "RS256" })}.${part({ iss: "x".repeat(100_000) })}.x`],
  ])("that is %s is refused without an error of another kind", async (_what, token) => {
    await refusalOf(await open(), token);
    expect(issuer.asked).toEqual([]);
  });

  test("does not make the server ask for keys again and again", async () => {
    const verifier = await open();
    await verifier.identify(await issuer.token(githubClaims()));
    const evil = await another();
    const kids: string[] = [];
    for (let at = 0; at < 5; at++) kids.push(await evil.addKey("ES256", `unknown-${at}`));
    for (let times = 0; times < 40; times++) {
      const kid = kids[times % kids.length];
      await refusalOf(verifier, await evil.token(githubClaims({ iss: issuer.url }), kid));
    }
    expect(issuer.asked.length).toBeLessThanOrEqual(4);
  });
});

describe("an issuer", () => {
  test("that has a new key is asked for it, and a withdrawn one ends", async () => {
    const verifier = await open();
    await verifier.identify(await issuer.token(githubClaims()));
    const kid = await issuer.addKey("ES256");
    ahead = 16_000;
    await verifier.identify(await issuer.token(githubClaims(), kid));
    const old = await issuer.token(githubClaims(), "key-1");
    issuer.removeKey("key-1");
    ahead = 11 * 60_000;
    expect((await refusalOf(verifier, old)).message).toMatch(/does not publish|time is over/);
  });

  test("that cannot be asked for a while does not shut its jobs out", async () => {
    const verifier = await open();
    await verifier.identify(await issuer.token(githubClaims()));
    issuer.misbehave = (_request, response) => {
      response.writeHead(503).end();
      return true;
    };
    const kid = await issuer.addKey("ES256");
    const unknown = await refusalOf(verifier, await issuer.token(githubClaims(), kid));
    expect(unknown).toMatchObject({ isPassing: false });
    ahead = 11 * 60_000;
    const later = { iat: seconds(660), nbf: seconds(660), exp: seconds(900) };
    await verifier.identify(await issuer.token(githubClaims(later)));
    // The issuer may have this key by now, and cannot be asked.
    const maybe = await refusalOf(verifier, await issuer.token(githubClaims(later), kid));
    expect(maybe).toMatchObject({ isPassing: true });
    ahead = 62 * 60_000;
    const muchLater = { iat: seconds(3_720), nbf: seconds(3_720), exp: seconds(4_000) };
    const refusal = await refusalOf(verifier, await issuer.token(githubClaims(muchLater)));
    expect(refusal).toMatchObject({ isPassing: true });
    expect(refusal.message).toContain("503");
  });

  test.each<[string, NonNullable<LocalIssuer["misbehave"]>, string]>([
    [
      "redirects",
      (_request, response) => {
        response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
        return true;
      },
      "fetch failed",
    ],
    [
      "answers without end",
      (_request, response) => {
        const write = () => {
          while (!response.destroyed && response.write("x".repeat(65_536)));
        };
        response.on("drain", write);
        write();
        return true;
      },
      "too much",
    ],
    ["is silent", () => true, "timeout"],
    [
      "says that it is another",
      (_request, response) => {
        response.end(
          JSON.stringify({ issuer: "https://evil.test", jwks_uri: "https://evil.test" }),
        );
        return true;
      },
      "discovery document is that of",
    ],
    [
      "keeps its keys at a plain address elsewhere",
      (request, response) => {
        const url = `http://${request.headers.host}`;
        response.end(JSON.stringify({ issuer: url, jwks_uri: "http://localhost:1/jwks" }));
        return true;
      },
      "no https:// address",
    ],
  ])("that %s gives no keys, and the server goes on", async (_what, misbehave, words) => {
    issuer.misbehave = misbehave;
    const refusal = await refusalOf(await open(), await issuer.token(githubClaims()));
    expect(refusal.isPassing).toBe(true);
    expect(refusal.message).toContain(words);
  });

  test("that refuses without end has its connection closed", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    issuer.misbehave = (_request, response) => {
      response.on("close", resolve).writeHead(503).write("x".repeat(1_000));
      return true;
    };
    await refusalOf(await open(), await issuer.token(githubClaims()));
    await promise;
  });

  test("that cannot be read is told in the log, and to the client without its address", async () => {
    issuer.misbehave = (_request, response) => {
      response.writeHead(302, { location: "/" }).end();
      return true;
    };
    const refusal = await refusalOf(await open(), await issuer.token(githubClaims()));
    expect(refusal.message).toContain("unexpected redirect");
    expect(refusal.told).toBe("the keys of its issuer cannot be read now");
  });

  test("whose key is too short or damaged is no fault of the server", async () => {
    const [good] = issuer.jwks.keys;
    for (const n of ["AQAB", ""]) {
      issuer.misbehave = (request, response) => {
        if (request.url !== "/jwks") return false;
        response.end(JSON.stringify({ keys: [{ ...good, n }] }));
        return true;
      };
      const refusal = await refusalOf(await open(), await issuer.token(githubClaims()));
      expect(refusal).toMatchObject({
        status: 401,
        told: "the issuer's key for it cannot be used",
      });
    }
  });

  test("keeps its keys while the policy is read anew, also where it cannot be asked", async () => {
    const verifier = await open();
    await verifier.identify(await issuer.token(githubClaims()));
    issuer.misbehave = (_request, response) => {
      response.writeHead(503).end();
      return true;
    };
    const renewed = await Verifier.open([entry(issuer)], clock, verifier);
    await renewed.identify(await issuer.token(githubClaims()));
  });

  test("whose keys are in a file is never asked", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "holdfast-jwks-")), "keys.json");
    writeFileSync(file, JSON.stringify(issuer.jwks));
    const verifier = await open(entry(issuer, { jwks: file }));
    await verifier.identify(await issuer.token(githubClaims()));
    const kid = await issuer.addKey("ES256");
    const refusal = await refusalOf(verifier, await issuer.token(githubClaims(), kid));
    expect(refusal.message).toContain("does not publish");
    expect(issuer.asked).toEqual([]);
  });

  test("whose file of keys is none keeps the server from starting", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "holdfast-jwks-")), "keys.json");
    writeFileSync(file, "[]");
    await expect(open(entry(issuer, { jwks: file }))).rejects.toMatchObject({ code: "BAD_OPTION" });
  });
});

test("the server's own token is not taken for an ID token", async () => {
  expect(isIdToken(await issuer.token(githubClaims()))).toBe(true);
  for (const text of ["secret", "a.b.c", "0123456789abcdef".repeat(4), "eyJ", ""]) {
    expect(isIdToken(text)).toBe(false);
  }
});
