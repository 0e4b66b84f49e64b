import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { allCommands } from "../../../src/cli/table.ts";
import { cli, json, startCli } from "../../helpers/cli/cli.ts";
import { hold, holdAndDie, store } from "../../helpers/cli/holding.ts";
import { temporaryDirectory } from "../../helpers/directories.ts";
import { startGitServer } from "../../helpers/git-server.ts";
import { startPanel } from "../../helpers/panel/panel.ts";
import { faultsOf, type Schema } from "../../helpers/server/schema.ts";

/** The schemas of docs/json.md, by the heading that they stand below. */
const DOCUMENT = readFileSync(new URL("../../../docs/json.md", import.meta.url), "utf8");
const SCHEMAS: Record<string, Schema> = Object.fromEntries(
  [...DOCUMENT.matchAll(/^### (\S+)\n[\s\S]*?^```json\n(.*)\n```$/gm)].map(([, name, text]) => [
    name,
    JSON.parse(text as string),
  ]),
);
/** Which of the commands were compared. */
const compared = new Set<string>();

type At = { readonly env: Record<string, string> };

/** Runs a command with --json, and compares what it prints with the schema of the document. */
async function fits(name: string, args: readonly string[], at: At): Promise<unknown> {
  const ended = await cli([...args, "--json"], at);
  expect(ended.stdout, ended.stderr).toMatch(/^\{.*\}\n$/);
  const value = json<never>(ended);
  expect(faultsOf(value, SCHEMAS[name] ?? {}, SCHEMAS)).toEqual([]);
  compared.add(name);
  return value;
}

function place(): At & { readonly env: { HOLDFAST_STORE: string } } {
  return { env: { ...store().env, RUNNER_TEMP: temporaryDirectory() } };
}

describe("what docs/json.md says", () => {
  test("of locks that are held, waited for, frozen, broken and gone", async () => {
    const at = place();
    await hold(at, ["--note", "v1"]);
    const waiter = startCli(["run", "k", "--", "true"], at);
    await waiter.prints(/1st in line/, "stderr");
    await fits("status", ["status", "k"], at);
    await fits("freeze", ["freeze", "cold", "--reason", "incident 42", "--for", "2h"], at);
    expect(await fits("list", ["list"], at)).toMatchObject({ keys: [{}, {}] });
    await fits("thaw", ["thaw", "cold"], at);
    await fits("thaw", ["thaw", "cold"], at);
    await fits("break", ["break", "k", "--reason", "test"], at);
    await waiter.ended;
    await fits("history", ["history", "k"], at);
    await holdAndDie(at);
    await fits("status", ["status", "k"], at);
    await fits("clean", ["clean", "--dry-run"], at);
    await fits("clean", ["clean"], at);
    await fits("doctor", ["doctor"], at);
  });

  test.each(["tcp", "http", "git"])("of a store that is a server: %s", async (kind) => {
    const git = kind === "git" ? await startGitServer() : null;
    const server = git === null ? await startPanel() : null;
    const port = server?.running.port;
    const url = git?.url ?? (kind === "tcp" ? `tcp://127.0.0.1:${port}` : server?.address);
    const at = { env: { HOLDFAST_STORE: url as string, RUNNER_TEMP: temporaryDirectory() } };
    const holder = await hold(at, ["--note", "v1"]);
    const waiter = startCli(["run", "k", "--", "true"], at);
    await waiter.prints(/1st in line/, "stderr");
    await fits("status", ["status", "k"], at);
    await fits("list", ["list", "--all"], at);
    await fits("doctor", ["doctor"], at);
    if (kind !== "tcp") {
      await fits("freeze", ["freeze", "cold", "--reason", "incident 42"], at);
      await fits("list", ["list"], at);
      await fits("thaw", ["thaw", "cold"], at);
      await fits("break", ["break", "k", "--reason", "test"], at);
    } else holder.killGroup("SIGTERM");
    await waiter.ended;
    await fits("history", ["history", "k"], at);
    const pid = ["--until-pid", String(process.pid)];
    await fits("acquire", ["acquire", "a", ...pid], at);
    await fits("verify", ["verify", "a"], at);
    await fits("release", ["release", "a"], at);
    await git?.close();
  });

  test("of leases: one key, several, and none", async () => {
    const at = place();
    const pid = ["--until-pid", String(process.pid)];
    const lease = await fits("acquire", ["acquire", "a", ...pid], at);
    await fits("verify", ["verify", "a"], at);
    await fits("release", ["release", "a"], at);
    await fits("release", ["release", "a"], at);
    await fits("release", ["release", "--lease", (lease as { lease: string }).lease], at);
    await fits("verify", ["verify", "a"], at);
    await fits("acquire", ["acquire", "a", "--also", "b", ...pid], at);
    await fits("release", ["release", "b"], at);
    await fits("acquire", ["acquire", "line", "--join", ...pid], at);
    await fits("verify", ["verify", "line"], at);
    await fits("take", ["take", "line"], at);
    await fits("release", ["release", "line"], at);
    await hold(at, ["--owner", "other"]);
    expect(await fits("release", ["release", "k"], at)).toMatchObject({ outcome: "not-held" });
    const run = { env: { ...at.env, ...RUN } };
    await fits("acquire", ["acquire", "whole", "--until", "run"], run);
    await fits("status", ["status", "whole"], run);
    await fits("release", ["release", "whole", "--run"], run);
  });

  test("of a page, which goes on", async () => {
    const page = startCli(["page", "--json"], place());
    const [line] = await page.prints(/^\{.*\}$/m);
    expect(faultsOf(JSON.parse(line), SCHEMAS.page ?? {}, SCHEMAS)).toEqual([]);
    compared.add("page");
    page.kill("SIGTERM");
    expect((await page.ended).code).toBe(0);
  });

  test("of a server's policy", async () => {
    const file = join(temporaryDirectory(), "policy.json");
    const claims = { repository: "acme/shop" };
    const issuer = { name: "github", url: "https://issuer.test", audience: "locks" };
    const rules = [{ issuer: "github", claims, keys: ["*"], may: ["look"] }];
    writeFileSync(file, JSON.stringify({ issuers: [issuer], rules }));
    await fits("policy", ["policy", "check", file], place());
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const token = `${file}.token`;
    writeFileSync(
      token,
      `${part({ alg: "RS256" })}.${part({ iss: issuer.url, aud: "locks", ...claims })}.x`,
    );
    const asked = ["policy", "check", file, "--token", token, "--unsigned"];
    expect(await fits("policy", asked, place())).toMatchObject({ refused: null });
  });

  test("of files, of the completions, of the help and of the version", async () => {
    const at = place();
    const file = join(temporaryDirectory(), "old.lock");
    writeFileSync(file, "pid=1\ntimestamp=1\n");
    await fits("migrate", ["migrate", file, `${file}.gone`], at);
    await fits("completion", ["completion", "bash"], at);
    await fits("completion", ["completion", "keys"], at);
    await fits("help", ["help"], at);
    await fits("help", ["help", "run"], at);
    await fits("help", ["status", "--help"], at);
    await fits("--version", ["--version"], at);
  });

  test.each([
    ["BAD_KEY", ["status", ""]],
    ["BAD_COMMAND", ["stauts"]],
    ["TIMEOUT", ["run", "k", "--timeout", "0", "--", "true"]],
    ["COMMAND_NOT_FOUND", ["run", "free", "--", "/nowhere/x"]],
  ])("of errors: %s", async (code, [command = "", ...rest]) => {
    const at = place();
    if (code === "TIMEOUT") await hold(at);
    const ended = await cli([command, "--json", ...rest], at);
    const value = json<never>(ended);
    expect(faultsOf(value, SCHEMAS.Error ?? {}, SCHEMAS)).toEqual([]);
    expect(value).toMatchObject({ error: { code } });
  });

  test("run says nothing on stdout beside its command", async () => {
    const ended = await cli(["run", "k", "--json", "--", "echo", "mine"], place());
    expect(ended.stdout).toBe("mine\n");
  });
});

afterAll(async () => {
  // run and serve print no document of their own; every other command was compared above.
  const all = (await allCommands())
    .map(({ name }) => name)
    .filter((name) => name !== "run" && name !== "serve");
  expect([...compared].filter((name) => name !== "--version").sort()).toEqual(all.sort());
});

const RUN = {
  GITHUB_ACTIONS: "true",
  GITHUB_RUN_ID: "456",
  GITHUB_RUN_ATTEMPT: "1",
  GITHUB_JOB: "deploy",
  GITHUB_REPOSITORY: "acme/shop",
};
