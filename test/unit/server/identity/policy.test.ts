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

  test("is not for the jobs of an issuer that had the same name before", () => {
    const before = { ...DEPLOY, url: "https://old.test" };
    const judged = policyOf().judge(before, "claim", "production");
    expect(judged).toMatchObject({ allowed: false, why: 'no rule is for the issuer "github"' });
    const now = { ...DEPLOY, url: ISSUER.url };
    expect(policyOf().judge(now, "claim", "production").allowed).toBe(true);
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
    ["a line more", { repository: "acme/shop\n" }],
    ["the same letters, composed otherwise", { repository: "acme/sho\u0301p" }],
    ["a letter without width", { repository: "acme/\u200bshop" }],
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

  test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "knows %s as a claim like any other, which a token has or has not",
    (name) => {
      const text = JSON.stringify({ issuers: [ISSUER], rules: RULES }).replace(
        '"environment":"production"',
        `"${name}":"x"`,
      );
      const policy = parsePolicy(text, "policy.json");
      const claims = (more: string) => JSON.parse(`{"repository_owner_id":"1234"${more}}`);
      expect(policy.judge(job(claims("")), "claim", "production").allowed).toBe(false);
      const own = job(claims(`,"${name}":"x"`));
      expect(policy.judge(own, "claim", "production").allowed).toBe(true);
    },
  );

  test("tells jobs of one repository apart: a fork's pull request, and who calls a workflow", () => {
    const release = "acme/tools/.github/workflows/release.yml@refs/heads/main";
    const rules = [
      {
        issuer: "github",
        claims: { repository_id: "77", event_name: "push", job_workflow_ref: release },
        keys: ["production"],
        may: ["claim"],
      },
    ];
    const good = { repository_id: "77", event_name: "push", job_workflow_ref: release };
    const may = (changes: Record<string, unknown>) =>
      policyOf(rules).judge(job({ ...good, ...changes }), "claim", "production").allowed;
    expect(may({})).toBe(true);
    expect(may({ event_name: "pull_request", head_ref: "main", base_ref: "main" })).toBe(false);
    expect(may({ event_name: "pull_request_target" })).toBe(false);
    // Another repository that calls the same reusable workflow, and a workflow at another ref.
    expect(may({ repository_id: "78" })).toBe(false);
    expect(may({ job_workflow_ref: release.replace("main", "evil") })).toBe(false);
    expect(may({ job_workflow_ref: undefined, workflow_ref: release })).toBe(false);
  });

  test.each([
    ["42", "42", true],
    ["9007199254740992", "9007199254740993", false],
  ])("takes for %s in a rule the number %s in a token: %s", (rule, number, expected) => {
    const rules = [{ ...RULES[0], claims: { project_id: rule } }];
    const claims = JSON.parse(`{"project_id":${number}}`);
    expect(policyOf(rules).judge(job(claims), "claim", "production").allowed).toBe(expected);
  });

  test("warns of a rule that knows its jobs by a name alone", () => {
    expect(policyOf([{ ...RULES[0], claims: { repository: "acme/shop" } }]).warnings).toEqual([
      expect.stringContaining("whoever takes over that name is let in"),
    ]);
    expect(policyOf().warnings).toEqual([]);
    for (const claims of [
      { repository: { glob: "acme/*" } },
      { repository: { glob: "acme/shop" } },
      { repository_owner: { glob: "acme" } },
      { ci_config_ref_uri: { glob: "gitlab.com/acme/*@refs/heads/main" } },
    ]) {
      expect(policyOf([{ ...RULES[0], claims }]).warnings).toEqual([
        expect.stringContaining("by a name alone"),
      ]);
    }
    for (const claims of [
      { environment: "production" },
      { job_workflow_ref: "acme/tools/.github/workflows/release.yml@refs/heads/main" },
      { repository: { glob: "*/shop" } },
      { repository_owner_id: { glob: "*" } },
      { runner_id: "1" },
      // A person also acts in the repositories of others, where an attacker writes the workflow.
      { actor: "ann" },
      { actor_id: "77" },
      { user_id: "77", user_login: "ann" },
      // Every organization has pipelines, of any name.
      { pipeline_slug: "deploy", build_branch: "main" },
      // A pattern that anybody can fit who chooses a name.
      { repository: { glob: "acme*" } },
      { repository: { glob: "acme*/shop" } },
      { repository: { glob: "acme**" } },
      { repository_owner: { glob: "acme*" } },
      { organization_slug: { glob: "acme/*" } },
      { namespace_path: { glob: "acme**" } },
      { ci_config_ref_uri: { glob: "gitlab.com/*/shop//.gitlab-ci.yml@refs/heads/main" } },
    ]) {
      expect(policyOf([{ ...RULES[0], claims }]).warnings).toEqual([
        expect.stringContaining("does not say whose jobs it is for"),
      ]);
    }
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
    [
      "a number that is rounded",
      { issuers: [ISSUER], rules: [{ ...RULES[0], claims: { project_id: 2 ** 53 } }] },
      "rules[0].claims.project_id is no whole number, or too long",
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
      "a rule for everybody who uses GitHub",
      {
        issuers: [{ ...ISSUER, url: "https://token.actions.githubusercontent.com" }],
        rules: [{ ...RULES[0], claims: { environment: "production", ref: "refs/heads/main" } }],
      },
      "rules[0].claims does not say whose jobs it is for",
    ],
    ...[
      ["https://token.actions.githubusercontent.com", { actor_id: "77" }],
      ["https://token.actions.githubusercontent.com", { repository: { glob: "acme*/*" } }],
      ["https://codeberg.org/api/actions", { actor: "ann", ref: "refs/heads/main" }],
      ["https://gitlab.com", { user_id: "77", ref_protected: "true" }],
      ["https://agent.buildkite.com", { pipeline_slug: "deploy", build_branch: "main" }],
    ].map(([url, claims]): [string, object, string] => [
      `a rule that strangers can fit, ${JSON.stringify(claims)} at ${url}`,
      { issuers: [{ ...ISSUER, url }], rules: [{ ...RULES[0], claims }] },
      "does not say whose jobs it is for",
    ]),
    [
      "a name twice",
      JSON.stringify({ issuers: [ISSUER], rules: RULES }).replace(
        '"environment":"production"',
        '"repository_owner_id":"5678"',
      ),
      'has an object with "repository_owner_id" twice',
    ],
    [
      "a name twice, once with an escape",
      `{"issuers":[${JSON.stringify(ISSUER)}],"rules":[{"x":"\\":{"}],"r\\u0075les":[]}`,
      'has an object with "rules" twice',
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
    ["production", "production\n", false],
    ["*.eu", "a\nb.eu", true],
    ["Production", "production", false],
    ["production", "produсtion", false],
    ["***", "a/b", true],
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
