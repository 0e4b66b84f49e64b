import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { cli, json } from "../../../../helpers/cli/cli.ts";
import { store } from "../../../../helpers/cli/holding.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import { writeGateFile } from "../../../../helpers/github/gated.ts";
import { GitHubStandIn } from "../../../../helpers/github/stand-in.ts";

const open: GitHubStandIn[] = [];
afterEach(async () => {
  for (const github of open.splice(0)) await github.close();
});

interface Finding {
  readonly about: string;
  readonly ok: boolean | null;
  readonly says: string;
  readonly todo?: string;
}

const NOTHING_ELSE = ["node", "identity", "store", "write", "clock", "stuck"];

async function standIn() {
  const github = new GitHubStandIn({ hook: () => 1, fate: () => [] });
  open.push(github);
  const directory = temporaryDirectory();
  const port = await github.open();
  const rules = { "acme/app:production": { key: "production" }, "acme/*:staging": { key: "s" } };
  return { github, directory, file: writeGateFile(directory, github, port, rules) };
}

/** What doctor says of the App alone. */
async function doctor(file: string) {
  const ended = await cli(["doctor", "--json", "--github-app", file], store());
  const { findings } = json<{ findings: Finding[] }>(ended);
  return { code: ended.code, found: findings.filter(({ about }) => !NOTHING_ELSE.includes(about)) };
}

function delivered(github: GitHubStandIn, status: number): void {
  github.deliver("workflow_run", {});
  Object.assign(github.deliveries.at(-1) as object, { status });
}

test("an App from the manifest in the docs: a line for each thing, and nothing is changed", async () => {
  const { github, file } = await standIn();
  const page = readFileSync(new URL("../../../../../docs/gate.md", import.meta.url), "utf8");
  const manifest = JSON.parse(/name="manifest" value='([^']+)'/.exec(page)?.[1] as string);
  const { default_permissions: permissions, default_events: events, hook_attributes } = manifest;
  github.app = { slug: "holdfast-gate", permissions, events };
  github.hookConfig.url = hook_attributes.url;
  delivered(github, 204);
  const { code, found } = await doctor(file);
  expect([code, found.map(({ about, ok }) => [about, ok])]).toEqual([
    0,
    ["app", "rights", "events", "webhook", "install", "rule"].map((about) => [about, true]),
  ]);
  const changes = github.asked.filter((each) => !each.startsWith("GET "));
  expect(changes).toEqual(["POST /app/installations/99/access_tokens"]);
});

test.each<[string, RegExp, (github: GitHubStandIn) => void]>([
  [
    "rights",
    /lacks deployments: write: add/,
    (github) => {
      github.app = { ...github.app, permissions: { actions: "read", deployments: "read" } };
    },
  ],
  [
    "events",
    /does not get deployment_protection_rule, workflow_job: tick/,
    (github) => {
      github.app = { ...github.app, events: ["deployment_status", "workflow_run"] };
    },
  ],
  [
    "webhook",
    /to nobody: set .*\/github\/webhook/,
    (github) => {
      github.hookConfig.url = "";
    },
  ],
  [
    "webhook",
    /"https:\/\/locks.acme.example\/": set/,
    (github) => {
      github.hookConfig.url = "https://locks.acme.example/";
    },
  ],
  [
    "webhook",
    /as form: set/,
    (github) => {
      github.hookConfig.content_type = "form";
    },
  ],
  [
    "webhook",
    /without a look at its certificate/,
    (github) => {
      github.hookConfig.insecure_ssl = "1";
    },
  ],
  [
    "webhook",
    /answered with 401, since the secrets differ: give the App/,
    (github) => {
      delivered(github, 401);
    },
  ],
  [
    "webhook",
    /answered with 502 .*: look whether the server runs/,
    (github) => {
      delivered(github, 502);
    },
  ],
  [
    "install",
    /not installed at acme: install/,
    (github) => {
      github.installations = [{ id: 7, account: { login: "acme2" } }];
    },
  ],
  [
    "install",
    /suspended at acme/,
    (github) => {
      Object.assign(github.installations[0] as object, { suspended_at: "2026-01-05T09:00:00Z" });
    },
  ],
  [
    "install",
    /the App at acme lacks actions: read and deployments: write/,
    (github) => {
      Object.assign(github.installations[0] as object, { permissions: {} });
    },
  ],
  [
    "rule",
    /sees no acme\/app:production/,
    (github) => {
      github.rules = {};
    },
  ],
  [
    "rule",
    /acme\/app:production lets runs in without asking the App: tick/,
    (github) => {
      github.rules = { "acme/app:production": ["another-app"] };
    },
  ],
  [
    "app",
    /cannot be asked: GET \/app: 500/,
    (github) => {
      github.misbehave = () => 500;
    },
  ],
])("%s: %s", async (about, sentence, spoil) => {
  const { github, file } = await standIn();
  delivered(github, 204);
  spoil(github);
  const { code, found } = await doctor(file);
  const wrong = found.filter(({ ok }) => ok !== true);
  expect([code, wrong.map((each) => each.about)]).toEqual([1, [about]]);
  expect(`${wrong[0]?.says}: ${wrong[0]?.todo}`).toMatch(sentence);
});

test("a file that is wrong, and a key that is not the App's", async () => {
  const { directory, file } = await standIn();
  const other = new GitHubStandIn({ hook: () => 1 });
  writeFileSync(join(directory, "app.pem"), other.privateKey);
  const { found } = await doctor(file);
  expect(found).toMatchObject([
    { about: "app", ok: false, says: expect.stringMatching(/does not take the private key .*401/) },
  ]);
  writeFileSync(join(directory, "app.pem"), "nothing");
  const broken = await doctor(file);
  expect([broken.code, broken.found]).toMatchObject([
    1,
    [{ about: "app", says: expect.stringMatching(/privateKeyFile is no private key/) }],
  ]);
});

test("nothing was sent yet: that is no fault, and no success", async () => {
  const { file } = await standIn();
  const { code, found } = await doctor(file);
  expect(code).toBe(0);
  expect(found.find(({ about }) => about === "webhook")).toMatchObject({ ok: null });
});
