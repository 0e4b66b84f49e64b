import { quote } from "../../lock/text.ts";
import { isSafeUrl, JsonReader } from "../json-reader.ts";
import { matchesGlob } from "./glob.ts";

/** What a rule may allow. */
const RIGHTS = ["look", "claim", "freeze", "break"] as const;
export type Right = (typeof RIGHTS)[number];

/** Signs ID tokens for the jobs of a CI system. */
export interface Issuer {
  /** What rules call it. */
  readonly name: string;
  /** As its tokens say it, to the letter. */
  readonly url: string;
  /** For whom a token must be made out: this server. */
  readonly audience: string;
  /** A file of its keys; null: they are read from where the issuer publishes them. */
  readonly jwks: string | null;
}

/** Who a job is, as its issuer has signed it. */
export interface Identity {
  /** The issuer's name in the policy. */
  readonly issuer: string;
  /** The issuer itself: its name may be another's when the policy was read anew. */
  readonly url?: string;
  readonly claims: Claims;
}

/** A job that was let in: what its issuer signed, and what this server makes of it. */
export interface JobIdentity extends Identity {
  /** The run that it belongs to; null: its token names none. */
  readonly run: string | null;
}

export type Claims = Readonly<Record<string, unknown>>;

interface Rule {
  /** From 1, as people count. */
  readonly number: number;
  readonly issuer: string;
  readonly url: string;
  readonly claims: readonly Demand[];
  readonly keys: readonly string[];
  readonly may: ReadonlySet<Right>;
}

/** What a rule demands of one claim. */
interface Demand {
  readonly claim: string;
  readonly text: string;
  readonly isGlob: boolean;
}

export type Verdict =
  | { readonly allowed: true; readonly rule: number }
  | {
      readonly allowed: false;
      /** The rule that came nearest; null: there is none for this issuer. */
      readonly rule: number | null;
      /** For the client: names what did not fit, and shows no value of the policy. */
      readonly why: string;
      /** For the server's log: the same with what the rule demands and what the token says. */
      readonly detail: string;
    };

/**
 * Claims that name whose jobs they are. A name can be given to somebody else, so a rule that has only
 * these is taken over with the name. The number says how many slashes a pattern must have before its
 * first star: what stands before them is the owner, and `acme*` is also somebody else's `acme-evil`.
 */
const NAMES: Readonly<Record<string, number>> = {
  repository: 1,
  repository_owner: Number.POSITIVE_INFINITY,
  workflow_ref: 1,
  enterprise: Number.POSITIVE_INFINITY,
  project_path: 1,
  namespace_path: 1,
  ci_config_ref_uri: 2,
  organization_slug: Number.POSITIVE_INFINITY,
};
/** Claims that are never given to somebody else. A runner serves many, and a person acts in many projects. */
const IDS = /(^|[_/-])(?<!(?:runner|actor|user)_)(id|uuid)$/;
/** Issuers that sign tokens for everybody in the world, made out to any audience. */
const PUBLIC = [
  "https://token.actions.githubusercontent.com",
  "https://gitlab.com",
  "https://agent.buildkite.com",
  "https://codeberg.org/api/actions",
  "https://oidc.circleci.com",
];

/** Which job may do what to which key: a list of rules. What no rule allows is refused. */
export class Policy {
  readonly issuers: readonly Issuer[];
  readonly rules: readonly Rule[];

  constructor(issuers: readonly Issuer[], rules: readonly Rule[]) {
    this.issuers = issuers;
    this.rules = rules;
  }

  /** Whether an identity may do this to a key. Null stands for anything, and for any key. */
  judge({ issuer, url, claims }: Identity, right: Right | null, key: string | null): Verdict {
    let nearest: { rule: Rule; fits: number; miss: Miss } | null = null;
    for (const rule of this.rules) {
      if (rule.issuer !== issuer || (url ?? rule.url) !== rule.url) continue;
      const { fits, miss } = compare(rule, claims, right, key);
      if (miss === null) return { allowed: true, rule: rule.number };
      if (nearest === null || fits > nearest.fits) nearest = { rule, fits, miss };
    }
    if (nearest === null) {
      const why = `no rule is for the issuer ${quote(issuer)}`;
      return { allowed: false, rule: null, why, detail: why };
    }
    const { rule, miss } = nearest;
    const nearly = (what: string) => `rule ${rule.number} came nearest, but ${what}`;
    return {
      allowed: false,
      rule: rule.number,
      why: nearly(miss.why),
      detail: nearly(miss.detail),
    };
  }

  /** The same for each right. */
  verdicts(identity: Identity, key: string | null): Record<Right, Verdict> {
    const judged = RIGHTS.map((right) => [right, this.judge(identity, right, key)]);
    return Object.fromEntries(judged) as Record<Right, Verdict>;
  }

  /** What a person who wrote the rules should think over. Nothing of it is an error. */
  get warnings(): string[] {
    return this.rules.flatMap(({ number, claims }) => {
      const owner = whose(claims);
      if (owner === "id") return [];
      const why =
        owner === "name"
          ? "knows its jobs by a name alone: whoever takes over that name is let in"
          : "does not say whose jobs it is for: it lets in every job of its issuer that has such claims";
      return [`Rule ${number} ${why}. Add an id, such as "repository_owner_id".`];
    });
  }
}

/** What the claims of a rule tell of whose jobs they are. */
function whose(claims: readonly Demand[]): "id" | "name" | "anybody" {
  if (claims.some(({ claim, isGlob }) => IDS.test(claim) && !isGlob)) return "id";
  const isName = ({ claim, text, isGlob }: Demand) => {
    if (!Object.hasOwn(NAMES, claim)) return false;
    const [fixed = ""] = text.split("*");
    return !isGlob || fixed === text || fixed.split("/").length > (NAMES[claim] as number);
  };
  return claims.some(isName) ? "name" : "anybody";
}

interface Miss {
  readonly why: string;
  readonly detail: string;
}

/** Counts what fits, in the order in which a person would look: the claims, then the key, then the right. */
function compare(
  rule: Rule,
  claims: Claims,
  right: Right | null,
  key: string | null,
): { fits: number; miss: Miss | null } {
  let fits = 0;
  let miss: Miss | null = null;
  for (const demand of rule.claims) {
    const found = missOf(demand, claims);
    if (found === null) fits += 1;
    else miss ??= found;
  }
  // A rule for other jobs is never nearer than one whose claims all fit.
  if (miss !== null) return { fits: fits / (rule.claims.length + 1), miss };
  const isKey = key === null || rule.keys.some((pattern) => matchesGlob(pattern, key));
  if (!isKey) {
    const why = `the key ${quote(key)} is none of its keys`;
    return { fits: 1, miss: { why, detail: `${why} (${rule.keys.join(", ")})` } };
  }
  if (right === null || rule.may.has(right)) return { fits: 3, miss: null };
  const why = `it does not allow to ${right}`;
  return { fits: 2, miss: { why, detail: `${why}, only to ${[...rule.may].join(", ")}` } };
}

function missOf({ claim, text, isGlob }: Demand, claims: Claims): Miss | null {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (value === undefined) {
    const why = `the token has no claim ${quote(claim)}`;
    return { why, detail: why };
  }
  // A longer number was rounded when it was read, and may be another job's.
  const isPlain = ["string", "boolean"].includes(typeof value) || Number.isSafeInteger(value);
  const shown = isPlain ? String(value) : JSON.stringify(value);
  if (isPlain && (isGlob ? matchesGlob(text, shown) : shown === text)) return null;
  const why = `the claim ${quote(claim)} does not fit`;
  return { why, detail: `${why}: it is ${quote(shown, 200)}, and the rule wants ${quote(text)}` };
}

/** Reads a policy from its JSON text. Throws BAD_OPTION that names the place; `file` is for the sentence. */
export function parsePolicy(text: string, file: string): Policy {
  const reader = new PolicyReader(`policy ${quote(file, 200)}`, "see docs/identity.md");
  const root = reader.parse(text, ["issuers", "rules"]);
  const issuers = reader.list(root.issuers, "issuers").map((each, at) => reader.issuer(each, at));
  for (const field of ["name", "url"] as const) {
    const twice = issuers.find((one, at) => issuers.findIndex((o) => o[field] === one[field]) < at);
    if (twice !== undefined) {
      throw reader.bad("issuers", `has ${quote(twice[field])} twice`, "name each issuer once");
    }
  }
  const rules = reader.list(root.rules, "rules").map((each, at) => reader.rule(each, at, issuers));
  return new Policy(issuers, rules);
}

class PolicyReader extends JsonReader {
  issuer(value: unknown, at: number): Issuer {
    const place = `issuers[${at}]`;
    const fields = this.object(value, place, ["name", "url", "audience"], ["jwks"]);
    const name = this.text(fields.name, `${place}.name`);
    const url = this.text(fields.url, `${place}.url`);
    if (!isSafeUrl(url)) {
      throw this.bad(`${place}.url`, `is ${quote(url)}`, "write the issuer's https:// address");
    }
    const audience = this.text(fields.audience, `${place}.audience`);
    const jwks = fields.jwks === undefined ? null : this.text(fields.jwks, `${place}.jwks`);
    return { name, url, audience, jwks };
  }

  rule(value: unknown, at: number, issuers: readonly Issuer[]): Rule {
    const place = `rules[${at}]`;
    const fields = this.object(value, place, ["issuer", "claims", "keys", "may"]);
    const issuer = this.text(fields.issuer, `${place}.issuer`);
    const known = issuers.find(({ name }) => name === issuer);
    if (known === undefined) {
      const names = issuers.map(({ name }) => name).join(", ");
      throw this.bad(
        `${place}.issuer`,
        `is ${quote(issuer)}`,
        `use the name of an issuer: ${names}`,
      );
    }
    const claims = Object.entries(this.object(fields.claims, `${place}.claims`)).map(
      ([claim, demand]) => this.demand(claim, demand, `${place}.claims`),
    );
    if (claims.length === 0) {
      throw this.bad(`${place}.claims`, "is empty", "say whose jobs the rule is for");
    }
    if (PUBLIC.includes(known.url) && whose(claims) === "anybody") {
      throw this.bad(
        `${place}.claims`,
        `does not say whose jobs it is for, and ${known.url} signs those of everybody`,
        "add an id, such as repository_owner_id, project_id or organization_id",
      );
    }
    const keys = this.list(fields.keys, `${place}.keys`).map((each, index) =>
      this.text(each, `${place}.keys[${index}]`),
    );
    const may = this.list(fields.may, `${place}.may`).map((each, index) =>
      this.right(each, `${place}.may[${index}]`),
    );
    return { number: at + 1, issuer, url: known.url, claims, keys, may: new Set(may) };
  }

  demand(claim: string, value: unknown, place: string): Demand {
    const where = `${place}.${claim}`;
    if (claim === "sub") {
      throw this.bad(
        where,
        "cannot be relied on, since CI systems change its form",
        "use the claims that it is made of, ids first",
      );
    }
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
      if (value === "") throw this.bad(where, "is empty", "say what the claim must be");
      if (typeof value === "number" && !Number.isSafeInteger(value)) {
        throw this.bad(where, "is no whole number, or too long for one", "write it in quotes");
      }
      return { claim, text: String(value), isGlob: false };
    }
    const { glob } = this.object(value, where, ["glob"]);
    return { claim, text: this.text(glob, `${where}.glob`), isGlob: true };
  }

  right(value: unknown, place: string): Right {
    const right = RIGHTS.find((each) => each === value);
    if (right !== undefined) return right;
    throw this.bad(place, `is ${quote(String(value))}`, `use ${RIGHTS.join(", ")}`);
  }
}
