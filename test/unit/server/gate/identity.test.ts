import { expect, it } from "vitest";
import type { GateConfig } from "../../../../src/server/gate/config.ts";
import { Gate, type GateContext } from "../../../../src/server/gate/gate.ts";
import { newPass } from "../../../../src/server/gate/pass.ts";
import type { JobIdentity } from "../../../../src/server/identity/policy.ts";
import { LockTable } from "../../../../src/server/table/table.ts";
import { encodeWireKey } from "../../../../src/wire/key.ts";

const KEY = encodeWireKey("production");
const TERMS = { key: "production", slots: 1, weight: 1, priority: 0, ttl: 3_600_000 };
const GITHUB = "https://token.actions.githubusercontent.com";
const CLAIMS = { repository: "acme/app", run_id: "7", run_attempt: "1" };
/** What the client of every job here says of itself: that it is of the run that waits. */
const INTRODUCTION = {
  owner: {
    id: "ci-github-7-1-deploy",
    metadata: { ...CLAIMS, run_url: "https://github.com/acme/app/actions/runs/7" },
  },
  note: null,
};

/** A gate at which attempt 1 of the run 7 of acme/app waits. */
function gateAt(web: string): Gate {
  const event = {
    kind: "requested",
    repository: "acme/app",
    repositoryId: 1,
    installation: 99,
    run: 7,
    environment: "production",
    deployment: 8,
    sha: null,
    ref: null,
    actor: null,
  } as const;
  const pass = { ...newPass(event, TERMS, null, 0), attempt: 1, phase: "waiting" };
  const clock = { now: () => Date.now(), monotonic: () => performance.now() };
  const context = {
    version: "1",
    clock,
    log: { write() {}, limited() {} },
    history: { of: () => [] },
    storage: {
      found: { gate: [{ id: pass.id, record: JSON.stringify(pass) }] },
      record() {},
      settled: () => null,
    },
    table: new LockTable({ clock, makeToken: () => "token", maxLocks: 0, maxWaiters: 0 }),
  } as unknown as GateContext;
  const gate = new Gate({ web } as GateConfig, context);
  gate.start();
  gate.stop();
  return gate;
}

function identity(url: string, claims: object = {}): JobIdentity {
  return { issuer: "github", url, claims: { ...CLAIMS, ...claims } } as unknown as JobIdentity;
}

it("takes a job for one of the run where its ID token says so, whatever else it says", () => {
  const gate = gateAt("https://github.com");
  const shares = (who: JobIdentity | null, key = KEY) =>
    gate.runOf({ identity: who, introduction: INTRODUCTION }, key) !== null;
  expect(shares(identity(GITHUB))).toBe(true);
  expect(shares(identity(`${GITHUB}/acme`))).toBe(true);
  // Without a policy its word is all that there is.
  expect(shares(null)).toBe(true);
  const strangers = [
    identity(GITHUB, { run_id: "8" }),
    identity(GITHUB, { run_attempt: "2" }),
    identity(GITHUB, { repository: "evil/app" }),
    identity(GITHUB, { run_id: undefined }),
    identity(`${GITHUB}.evil.example`),
    identity("https://evil.example/_services/token"),
    identity("https://gitlab.com"),
  ];
  expect(strangers.filter((who) => shares(who))).toEqual([]);
  expect(shares(identity(GITHUB), encodeWireKey("staging"))).toBe(false);
});

it("knows the issuer of a GitHub of one's own", () => {
  const gate = gateAt("https://git.acme.dev");
  const shares = (url: string) =>
    gate.runOf({ identity: identity(url), introduction: null }, KEY) !== null;
  expect(shares("https://git.acme.dev/_services/token")).toBe(true);
  expect(shares("https://token.actions.git.acme.dev")).toBe(true);
  expect(shares(GITHUB)).toBe(false);
});
