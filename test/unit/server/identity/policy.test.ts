import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matchesGlob } from "../../../../src/server/identity/glob.ts";
import { type Identity, parsePolicy } from "../../../../src/server/identity/policy.ts";

const ISSUER = { name: "github", url: "https://issuer.test", audience: "https://locks.acme.dev" };
const RULES = [
  {
    issuer: "github",
    claims: { repository_owner_id: "1234", environment: "production" },
    keys: ["production", "production/*"],
    may: ["claim", "look"],
  },
  {
    issuer: "github",
    claims: { repository_owner_id: "1234", repository: { glob: "acme/*" } },
    keys: ["*"],
    may: ["look"],
  },
];

function policyOf(rules: unknown = RULES, issuers: unknown = [ISSUER]) {
  return parsePolicy(JSON.stringify({ issuers, rules }), "policy.json");
}

function job(claims: Record<string, unknown>, issuer = "github"): Identity {
  return { issuer, claims };
}

const DEPLOY = job({
  repository_owner_id: "1234",
  environment: "production",
  repository: "acme/shop",
});

describe("a policy", () => {
  test("allows what a rule allows, and says which", () => {
    expect(policyOf().judge(DEPLOY, "claim", "production")).toEqual({ allowed: true, rule: 1 });
    expect(policyOf().judge(DEPLOY, "claim", "production/eu")).toEqual({ allowed: true, rule: 1 });
    expect(policyOf().judge(DEPLOY, "look", "staging")).toEqual({ allowed: true, rule: 2 });
  });

  test("refuses what no rule allows, and names the rule that came nearest", () => {
    const verdict = (right: "look" | "claim" | "break", key: string, who = DEPLOY) => {
      const judged = policyOf().judge(who, right, key);
      return judged.allowed ? "allowed" : judged.why;
    };
    expect(verdict("claim", "staging")).toBe("rule 2 came nearest, but it does not allow to claim");
    expect(verdict("break", "production")).toBe(
      "rule 1 came nearest, but it does not allow to break",
    );
    expect(verdict("claim", "production/eu/west")).toContain("is none of its keys");
    expect(
      verdict("claim", "production", job({ repository_owner_id: "1234", environment: "test" })),
    ).toBe('rule 1 came nearest, but the claim "environment" does not fit');
    expect(verdict("look", "production", job({}, "gitlab"))).toBe(
      'no rule is for the issuer "gitlab"',
    );
  });

  test("tells the client no value of the rule, and the log both", () => {
    const judged = policyOf().judge(
      job({ repository_owner_id: "666", environment: "production" }),
      "claim",
      "production",
    );
    if (judged.allowed) throw new Error("allowed");
    expect(judged.why).not.toContain("1234");
    expect(judged.detail).toContain('it is "666", and the rule wants "1234"');
  });

  test.each([
    ["another case", { repository: "Acme/Shop" }],
    ["a letter that looks alike", { repository: "аcme/shop" }],
    ["a path below", { repository: "acme/shop/x" }],
    ["the owner alone", { repository: "acme/" }],
    ["a list", { repository: ["acme/shop"] }],
    ["no claim", { repository: undefined }],
    ["an inherited name", { repository: undefined, constructor: "acme/shop" }],
  ])("is exact: %s is another repository", (_what, changes) => {
    const rules = [
      {
        issuer: "github",
        claims: { repository: "acme/shop", repository_id: "77" },
        keys: ["**"],
        may: ["claim"],
      },
    ];
    const claims = { repository_id: "77", ...changes };
    expect(policyOf(rules).judge(job(claims), "claim", "production").allowed).toBe(false);
  });

  test("takes a number in a token for the same digits in a rule", () => {
    const rules = [{ ...RULES[0], claims: { project_id: "42" } }];
    expect(policyOf(rules).judge(job({ project_id: 42 }), "claim", "production").allowed).toBe(
      true,
    );
  });

  test("warns of a rule that knows its jobs by a name alone", () => {
    expect(policyOf([{ ...RULES[0], claims: { repository: "acme/shop" } }]).warnings).toEqual([
      expect.stringContaining("whoever takes over that name is let in"),
    ]);
    expect(policyOf().warnings).toEqual([]);
  });

  test.each([
    ["no JSON", "{", "is not JSON"],
    ["a list", "[]", "is not an object"],
    ["no rules", { issuers: [ISSUER] }, 'has no "rules"'],
    ["an empty list of rules", { issuers: [ISSUER], rules: [] }, "rules is no list"],
    ["an unknown word", { issuers: [ISSUER], rules: RULES, roles: [] }, '"roles"'],
    [
      "an issuer without audience",
      { issuers: [{ name: "github", url: "https://issuer.test" }], rules: RULES },
      'issuers[0] has no "audience"',
    ],
    [
      "an issuer over plain HTTP",
      { issuers: [{ ...ISSUER, url: "http://issuer.test" }], rules: RULES },
      "issuers[0].url",
    ],
    [
      "an issuer over HTTP at a name that only begins like loopback",
      { issuers: [{ ...ISSUER, url: "http://127.0.0.1.evil.test" }], rules: RULES },
      "issuers[0].url",
    ],
    ["an issuer twice", { issuers: [ISSUER, ISSUER], rules: RULES }, "twice"],
    [
      "a rule without claims",
      { issuers: [ISSUER], rules: [{ ...RULES[0], claims: {} }] },
      "rules[0].claims is empty",
    ],
    [
      "a rule for no issuer",
      { issuers: [ISSUER], rules: [{ ...RULES[0], issuer: "gitlab" }] },
      "use the name of an issuer: github",
    ],
    [
      "a right that is not known",
      { issuers: [ISSUER], rules: [{ ...RULES[0], may: ["claim", "admin"] }] },
      "use look, claim, freeze, break",
    ],
    [
      "the subject",
      { issuers: [ISSUER], rules: [{ ...RULES[0], claims: { sub: "repo:acme/shop" } }] },
      "cannot be relied on",
    ],
    [
      "a pattern of another kind",
      { issuers: [ISSUER], rules: [{ ...RULES[0], claims: { ref: { regex: ".*" } } }] },
      '"regex"',
    ],
    [
      "an empty key",
      { issuers: [ISSUER], rules: [{ ...RULES[0], keys: [""] }] },
      "rules[0].keys[0]",
    ],
  ])("is refused with its place: %s", (_what, content, part) => {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    expect(() => parsePolicy(text, "policy.json")).toThrow(
      expect.objectContaining({ code: "BAD_OPTION", message: expect.stringContaining(part) }),
    );
  });
});

describe("a pattern", () => {
  test.each([
    ["production", "production", true],
    ["production", "production2", false],
    ["production/*", "production/eu", true],
    ["production/*", "production/", true],
    ["production/*", "production/eu/west", false],
    ["production/**", "production/eu/west", true],
    ["*", "a/b", false],
    ["**", "a/b", true],
    ["a.b", "axb", false],
    ["*-eu", "a-eu-eu", true],
    ["*", "", true],
    ["🚀*", "🚀go", true],
    ["a**b*c", "a/x/b-c", true],
    ["\\*", "x", false],
  ])("%s and %s: %s", (pattern, text, expected) => {
    expect(matchesGlob(pattern, text)).toBe(expected);
  });

  test("means the same as the regular expression that it stands for", () => {
    const part = fc.constantFrom("a", "b", "/", "*", "**", ".", "[");
    const words = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(""));
    const texts = fc.array(fc.constantFrom("a", "b", "/", ".", "["), { maxLength: 10 });
    fc.assert(
      fc.property(words, texts, (pattern, letters) => {
        const source = (pattern.match(/\*\*|\*|[^*]/g) ?? [])
          .map((each) =>
            each === "**" ? "[^]*" : each === "*" ? "[^/]*" : each.replace(/[.[\]/]/g, "\\$&"),
          )
          .join("");
        const text = letters.join("");
        expect(matchesGlob(pattern, text)).toBe(new RegExp(`^${source}$`).test(text));
      }),
      { numRuns: 2_000 },
    );
  });

  test("takes no longer for a text that nearly fits many stars", () => {
    const pattern = "*a".repeat(50);
    expect(matchesGlob(pattern, `${"a".repeat(4_000)}b`)).toBe(false);
  });
});
