import { createPrivateKey } from "node:crypto";
import { Ajv } from "ajv";
import { afterEach, describe, expect, it } from "vitest";
import { GitHub, GitHubTrouble, Uninstalled } from "../../../../src/server/gate/github.ts";
import { SCHEMAS } from "../../../helpers/github/payloads.ts";
import { APP_ID, GitHubStandIn, INSTALLATION } from "../../../helpers/github/stand-in.ts";
import { until } from "../../../helpers/waiting.ts";

const open: GitHubStandIn[] = [];
afterEach(async () => {
  for (const github of open.splice(0)) await github.close();
});

async function connect(standIn = new GitHubStandIn({ hook: () => 1, fate: () => [] })) {
  open.push(standIn);
  const api = `http://127.0.0.1:${await standIn.open()}`;
  const clock = { at: 0, now: () => Date.now(), monotonic: () => clock.at + performance.now() };
  const privateKey = createPrivateKey(standIn.privateKey);
  return { standIn, clock, github: new GitHub({ api, appId: APP_ID, privateKey }, clock, "1") };
}

describe("the App at GitHub", () => {
  it("asks with a token of the installation, which it keeps until it is old", async () => {
    const { standIn, github, clock } = await connect();
    const ask = () => github.ask(INSTALLATION, "GET", "/repos/a/b/actions/runs/1");
    for (let time = 0; time < 3; time++) expect((await ask()).status).toBe(404);
    const made = () => standIn.asked.filter((each) => each.endsWith("/access_tokens")).length;
    expect(made()).toBe(1);
    clock.at += 3_500_000;
    await ask();
    expect(made()).toBe(2);
    expect(standIn.violations).toEqual([]);
  });

  it.each([-7_200_000, 7_200_000])(
    "makes its tokens by GitHub's clock: %i ms ahead",
    async (by) => {
      const { standIn, github } = await connect();
      standIn.ahead = by;
      expect((await github.askAsApp("GET", "/app")).status).toBe(200);
    },
  );

  it("does not follow a redirect, and takes no next page from elsewhere", async () => {
    const { standIn, github } = await connect();
    const other = await connect();
    standIn.misbehave = () => 302;
    expect((await github.askAsApp("GET", "/app")).status).toBe(302);
    expect(other.standIn.asked).toEqual([]);
  });

  it("tells trouble from an App that is gone", async () => {
    const { standIn, github } = await connect();
    standIn.misbehave = () => 500;
    await expect(github.askAsApp("GET", "/app")).rejects.toBeInstanceOf(GitHubTrouble);
    standIn.misbehave = () => "lost";
    await expect(github.askAsApp("GET", "/app")).rejects.toBeInstanceOf(GitHubTrouble);
    standIn.misbehave = null;
    standIn.installed = false;
    await expect(github.ask(INSTALLATION, "GET", "/x")).rejects.toBeInstanceOf(Uninstalled);
  });

  it("leaves GitHub alone when it asks for that", async () => {
    const { standIn, github } = await connect();
    standIn.misbehave = () => 429;
    await expect(github.askAsApp("GET", "/app")).rejects.toBeInstanceOf(GitHubTrouble);
    standIn.misbehave = null;
    const before = standIn.asked.length;
    await expect(github.askAsApp("GET", "/app")).rejects.toMatchObject({
      pause: expect.any(Number),
    });
    expect(standIn.asked).toHaveLength(before);
  });
});

it("the stand-in's payloads are as GitHub's published schemas have them", async () => {
  const { standIn } = await connect(
    new GitHubStandIn({ hook: () => 1, fate: () => [], gated: (name) => name === "production" }),
  );
  const job = { name: "deploy", environment: "production", takes: 1 };
  const run = standIn.push("acme/app", [job, { name: "test", environment: null, takes: 1 }]);
  standIn.bypass(run, "production");
  await until(() => run.status === "completed");
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema(SCHEMAS, "webhooks");
  const names = new Set<string>();
  for (const { event, payload } of standIn.deliveries) {
    const { action } = payload as { action?: string };
    // Of a status that is added the schema calls the action by no name of its own.
    const name = `${event}$${action ?? "created"}`;
    names.add(name);
    const validate = ajv.getSchema(`webhooks#/definitions/${name}`);
    // What every delivery to an App has, and not each of the schemas says.
    const { installation, ...rest } = payload as Record<string, unknown>;
    expect(installation).toMatchObject({ id: INSTALLATION });
    validate?.(rest);
    expect([name, validate?.errors]).toEqual([name, null]);
  }
  expect([...names].sort()).toEqual([
    "deployment_protection_rule$requested",
    "deployment_status$created",
    "workflow_job$completed",
    "workflow_job$in_progress",
    "workflow_job$queued",
    "workflow_job$waiting",
    "workflow_run$completed",
  ]);
});
