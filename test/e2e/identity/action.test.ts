import { lstatSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryDirectory } from "../../helpers/directories.ts";
import { LocalIssuer, REQUEST_TOKEN } from "../../helpers/identity/issuer.ts";
import { type ServerProcess, startProcess } from "../../helpers/server/server.ts";
import { idle, saysNothing, succeeds, verify, waits } from "../jobs.ts";
import { gateStep } from "../runner/start-job.ts";
import { filesIn, leaseOf, openScene } from "../scene.ts";

const OPERATOR = "the-operators-token";
let issuer: LocalIssuer;
let args: string[];
let server: ServerProcess;

beforeEach(async () => {
  issuer = await LocalIssuer.open();
  const directory = temporaryDirectory();
  const [policy, token] = [join(directory, "policy.json"), join(directory, "token")];
  const rule = {
    issuer: "github",
    claims: { repository_owner_id: "1234", environment: "production" },
    keys: ["production"],
    may: ["claim", "look"],
  };
  const entry = { name: "github", url: issuer.url, audience: "locks" };
  writeFileSync(policy, JSON.stringify({ issuers: [entry], rules: [rule] }));
  writeFileSync(token, OPERATOR, { mode: 0o600 });
  args = ["--policy", policy, "--auth-token-file", token, "--log-level", "debug"];
  server = await startProcess([...args, "--http-port", "0"]);
});

afterEach(() => issuer.close());

function scene() {
  return openScene({ store: `http://127.0.0.1:${server.httpPort}`, token: OPERATOR });
}

test("a job holds a lock with its ID token alone, which is in no log, state, output or file", async () => {
  const here = scene();
  const lock = here.lock({ audience: "locks" });
  const job = here.job({
    steps: [lock, verify, gateStep("deploy")],
    env: issuer.jobEnvironment(),
  });
  const gate = await job.gate("deploy");
  expect(await here.holders()).toEqual(["ci-actions-456-1-987"]);
  const files = filesIn(here.directory)
    .map((name) => join(here.directory, name))
    .filter((path) => !path.endsWith("job.json") && lstatSync(path).isFile());
  for (const secret of [REQUEST_TOKEN, ...issuer.given]) {
    expect(files.filter((path) => readFileSync(path).includes(secret))).toEqual([]);
  }
  const { pid } = leaseOf(job).keeper;
  const shown = ["environ", "cmdline"].map((name) =>
    readFileSync(`/proc/${pid}/${name}`, "latin1"),
  );
  for (const secret of [REQUEST_TOKEN, ...issuer.given]) {
    expect(shown.join("\n")).not.toContain(secret);
  }
  gate.open();
  const report = await succeeds(job);
  expect(report.stage("lock", "main").outputs.owner).toBe("ci-actions-456-1-987");
  saysNothing(report);
  const said = job.events.map((event) => JSON.stringify(event)).join("\n");
  expect(server.stderr()).toContain("debug request");
  for (const secret of [REQUEST_TOKEN, ...issuer.given]) {
    expect(server.stderr()).not.toContain(secret);
  }
  for (const secret of issuer.given) expect(said).not.toContain(secret);
  expect(report.log()).not.toContain(REQUEST_TOKEN);
  await here.isTidy();
});

test("a keeper asks for a new ID token and session where a restart without --data lost its place", async () => {
  const here = scene();
  const env = issuer.jobEnvironment();
  const lock = here.lock({ audience: "locks", "on-lost": "warn" });
  const holder = here.job({ steps: [lock, gateStep("deploy")], env });
  const gate = await holder.gate("deploy");
  const waiter = here.job({ steps: [lock, verify, gateStep("deploy")], env });
  await waits(waiter);
  const before = issuer.given.length;
  server.child.kill("SIGKILL");
  await server.ended;
  const ports = ["--port", String(server.port), "--http-port", String(server.httpPort)];
  server = await startProcess([...args, ...ports]);
  const second = await waiter.gate("deploy");
  expect(issuer.given.length).toBeGreaterThan(before);
  expect(await here.holders()).toEqual(["ci-actions-456-1-987"]);
  gate.open();
  second.open();
  await succeeds(waiter);
  await holder.finished;
  await here.isTidy();
});

test("the jobs of a run share its lock and release it, each with an ID token for all that it asks", async () => {
  const here = scene();
  const env = issuer.jobEnvironment();
  const lock = here.lock({ audience: "locks", until: "run", "dead-after": "1s" });
  const first = here.job({ steps: [lock, verify, gateStep("deploy")], env });
  const gate = await first.gate("deploy");
  const second = here.job({ steps: [lock, verify, idle("test")], env });
  await succeeds(second);
  expect(await here.holders()).toEqual(["ci-actions-456-1-987"]);
  gate.open();
  await succeeds(first);
  const release = here.lock({ audience: "locks", mode: "release" });
  const released = await here.job({ steps: [release], env }).finished;
  expect(released.result).toBe("success");
  expect(released.log()).toContain("released for the whole run");
  // One for each claim and for the release: main, post and verify show the token of the lock.
  expect(issuer.given).toHaveLength(3);
  await here.isTidy();
});

test("a job without the permission is given the two lines of YAML", async () => {
  const here = scene();
  const job = here.job({ steps: [here.lock({ audience: "locks" }), idle("deploy")] });
  const report = await job.finished;
  expect(report.result).toBe("failure");
  expect(report.annotations("error")[0]).toMatch(/permissions:\s*(%0A)?\s*id-token: write/);
  await here.isTidy();
});

test("a job that no rule lets in is told which claim does not fit", async () => {
  const here = scene();
  const steps = [here.lock({ key: "staging", audience: "locks" }), idle("deploy")];
  const report = await here.job({ steps, env: issuer.jobEnvironment() }).finished;
  expect(report.result).toBe("failure");
  expect(report.annotations("error")[0]).toContain("is none of its keys");
  await here.isTidy(["staging"]);
});
