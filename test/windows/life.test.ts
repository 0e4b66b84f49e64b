import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemProgram } from "../../src/machine/process-table.ts";
import { cli, json, program, startCli } from "../helpers/cli/cli.ts";
import { hold, store } from "../helpers/cli/holding.ts";
import { temporaryDirectory } from "../helpers/directories.ts";
import { startGitServer } from "../helpers/git-server.ts";
import { windows } from "../helpers/platform.ts";
import { start } from "../helpers/processes.ts";
import { ROOT } from "../helpers/sources.ts";

windows("a keeper", () => {
  test("holds for the process that was named, is verified, and releases", async () => {
    const at = store();
    const script = start(process.execPath, ["-e", "process.stdin.resume()"]);
    const held = await cli(["acquire", "k", "--until-pid", String(script.pid)], at);
    expect(held.code, held.stderr).toBe(0);
    const lease = held.stdout.trim();
    expect((await cli(["verify", "--lease", lease], at)).code).toBe(0);
    expect((await cli(["run", "k", "--timeout", "1s", "--", ...program("")], at)).code).toBe(124);
    expect((await cli(["release", "--lease", lease], at)).code).toBe(0);
    expect((await cli(["run", "k", "--timeout", "20s", "--", ...program("")], at)).code).toBe(0);
  });

  test("is not asked twice by the script that it holds for", async () => {
    const at = store();
    expect((await cli(["acquire", "k", "--until-pid", String(process.pid)], at)).code).toBe(0);
    const again = await cli(["run", "k", "--", ...program("")], at);
    expect([again.code, again.stderr]).toEqual([125, expect.stringContaining("already holds")]);
    expect((await cli(["release", "k"], at)).code).toBe(0);
  });

  test("releases when that process ends", async () => {
    const at = store();
    const script = start(process.execPath, ["-e", "process.stdin.resume()"]);
    const held = await cli(["acquire", "k", "--until-pid", String(script.pid)], at);
    expect(held.code).toBe(0);
    script.kill("SIGKILL");
    await script.ended;
    expect((await cli(["run", "k", "--timeout", "30s", "--", ...program("")], at)).code).toBe(0);
  });
});

windows("a server", () => {
  test.each(["tcp", "http"])("serves %s", async (kind) => {
    const server = startCli(["serve", "--port", "0", "--http-port", "0"]);
    const [, address] = await server.prints(new RegExp(`listening ${kind} (\\S+)`));
    const at = { env: { HOLDFAST_STORE: `${kind}://${address}` } };
    const run = await hold(at);
    expect((await cli(["run", "k", "--timeout", "1s", "--", ...program("")], at)).code).toBe(124);
    run.process.stdin?.end();
    expect((await run.ended).code).toBe(0);
    expect((await cli(["run", "k", "--timeout", "20s", "--", ...program("")], at)).code).toBe(0);
    server.kill("SIGKILL");
    await server.ended;
  });
});

/** One stage of the built action, as the runner starts it. */
function stage(name: "pre" | "main" | "post", directory: string, env: NodeJS.ProcessEnv) {
  const files = [
    "GITHUB_STATE",
    "GITHUB_ENV",
    "GITHUB_OUTPUT",
    "GITHUB_STEP_SUMMARY",
    "GITHUB_PATH",
  ];
  const paths = Object.fromEntries(files.map((file) => [file, join(directory, file)]));
  for (const path of Object.values(paths)) if (!existsSync(path)) writeFileSync(path, "");
  const state = [
    ...readFileSync(paths.GITHUB_STATE as string, "utf8").matchAll(
      /^(\w+)<<(\S+)\r?\n([\s\S]*?)\r?\n\2\r?$/gm,
    ),
  ];
  const kept = Object.fromEntries(state.map(([, key, , value]) => [`STATE_${key}`, value]));
  return spawnSync(process.execPath, [join(ROOT, "dist", name, "index.js")], {
    encoding: "utf8",
    env: {
      ...process.env,
      RUNNER_TEMP: directory,
      RUNNER_OS: "Windows",
      ...paths,
      ...kept,
      ...env,
    },
  });
}

/** Under wine there is no git: scripts/windows names a server on Linux. */
async function gitUrl(): Promise<string> {
  const { HOLDFAST_TEST_GIT: url } = process.env;
  if (url !== undefined) return url;
  const server = await startGitServer();
  onTestFinished(() => server.close());
  return server.url;
}

windows("the action", () => {
  test.each([
    ["on lock files", async () => join(temporaryDirectory(), "locks")],
    ["in a repository", gitUrl],
  ])("%s: claims in pre, holds through main, releases in post", async (_, named) => {
    // A runner's place as it may be, which cmd.exe could not read in a batch file.
    const directory = join(temporaryDirectory(), "Läufer 1");
    mkdirSync(directory);
    const at = { env: { HOLDFAST_STORE: await named() } };
    const env = {
      GITHUB_ACTIONS: "true",
      GITHUB_RUN_ID: "1",
      GITHUB_JOB: "deploy",
      GITHUB_REPOSITORY: "acme/shop",
      GITHUB_WORKSPACE: directory,
      INPUT_KEY: "k",
      INPUT_STORE: at.env.HOLDFAST_STORE,
      INPUT_TIMEOUT: "20s",
    };
    const holders = async () =>
      json<{ holders: unknown[] }>(await cli(["status", "k", "--json"], at)).holders.length;
    const pre = stage("pre", directory, env);
    expect([pre.status, pre.stdout]).toEqual([0, expect.anything()]);
    const main = stage("main", directory, env);
    expect([main.status, main.stdout]).toEqual([0, expect.anything()]);
    expect(await holders()).toBe(1);
    // The command that later steps have, by the file that cmd.exe and PowerShell start.
    const [, lease = ""] =
      /^HOLDFAST_LEASE<<(\S+)\r?\n(.*)\r?\n\1/m
        .exec(readFileSync(join(directory, "GITHUB_ENV"), "utf8"))
        ?.slice(1) ?? [];
    const verify = spawnSync(
      systemProgram("cmd.exe"),
      ["/d", "/c", "holdfast-bin\\holdfast.cmd", "verify"],
      {
        encoding: "utf8",
        cwd: directory,
        env: { SystemRoot: process.env.SystemRoot, PATH: "", HOLDFAST_LEASE: lease },
      },
    );
    expect([verify.status, verify.stderr]).toEqual([0, expect.stringContaining('"k" is held')]);
    const post = stage("post", directory, env);
    expect([post.status, post.stdout]).toEqual([0, expect.anything()]);
    expect(await holders()).toBe(0);
  });
});
