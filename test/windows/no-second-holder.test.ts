import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CLI, cli, json, program, startCli } from "../helpers/cli/cli.ts";
import { store } from "../helpers/cli/holding.ts";
import { temporaryDirectory } from "../helpers/directories.ts";
import { windows } from "../helpers/platform.ts";
import { isAlive, type Running, start } from "../helpers/processes.ts";
import { until } from "../helpers/waiting.ts";

const IDLE = `console.log("ready", process.pid); setInterval(() => {}, 1000);`;

/** A command below a cmd.exe, as the scripts of npm and of most build tools are. */
function below(directory: string): string[] {
  const script = join(directory, "work.cjs");
  writeFileSync(script, IDLE);
  return ["cmd.exe", "/d", "/c", `${process.execPath} ${script}`];
}

async function pidOf(run: Running): Promise<number> {
  const [, pid] = await run.prints(/ready (\d+)/);
  return Number(pid);
}

/** Seconds; the exit code 1 says that the lock was not to be had within it. */
const claim = (at: { env: NodeJS.ProcessEnv }, timeout: string) =>
  cli(["run", "k", "--timeout", timeout, "--", ...program("")], at);

windows("no second holder", () => {
  test("W1: a holder on another host is not gone because its pid is not here, only when it is silent", async () => {
    const at = store();
    const elsewhere = join(temporaryDirectory(), "elsewhere.cjs");
    writeFileSync(
      elsewhere,
      `require("node:os").hostname = () => "host-a"; require("node:module").syncBuiltinESMExports();`,
    );
    const env = { ...at.env, NODE_OPTIONS: `--require ${elsewhere.replaceAll("\\", "/")}` };
    const run = startCli(["run", "k", "--dead-after", "8s", "--", ...program(IDLE)], { env });
    await pidOf(run);
    run.kill("SIGKILL");
    await run.ended;
    expect((await claim(at, "2s")).code).toBe(124);
    expect(json(await cli(["status", "k", "--json"], at))).toMatchObject({
      holders: [{ alive: null }],
    });
    expect((await claim(at, "60s")).code).toBe(0);
  });

  test("a holder on this host that is gone is followed at once", async () => {
    const at = store();
    const run = startCli(["run", "k", "--", ...program(IDLE)], at);
    await pidOf(run);
    run.kill("SIGKILL");
    await run.ended;
    expect((await claim(at, "20s")).code).toBe(0);
  });

  test("W2: a lost lock ends the command and all that it started", async () => {
    const at = store();
    const run = startCli(["run", "k", "--", ...below(temporaryDirectory())], at);
    const pid = await pidOf(run);
    expect((await cli(["break", "k", "--reason", "test"], at)).code).toBe(0);
    const { code, stderr } = await run.ended;
    expect(code).toBe(123);
    expect(stderr).toContain("The command and all that it started are ended.");
    expect(stderr).not.toContain("SIG");
    expect(isAlive(pid)).toBe(false);
  });

  test("W2: on a server as well", async () => {
    const server = startCli(["serve", "--port", "0", "--http-port", "0"]);
    const [, address] = await server.prints(/listening http (\S+)/);
    const at = { env: { HOLDFAST_STORE: `http://${address}` } };
    const run = startCli(["run", "k", "--", ...below(temporaryDirectory())], at);
    const pid = await pidOf(run);
    // The server is gone for longer than the lease: the command is ended before others may have it.
    server.kill("SIGKILL");
    expect((await run.ended).code).toBe(123);
    expect(isAlive(pid)).toBe(false);
  });

  test("W4: what survives a killed run keeps the lock held until it has ended", async () => {
    const at = store();
    const run = startCli(["run", "k", "--", ...below(temporaryDirectory())], at);
    const pid = await pidOf(run);
    let second = 0;
    const next = startCli(
      ["run", "k", "--timeout", "60s", "--", ...program(`console.log("in")`)],
      at,
    );
    await next.prints(/waiting|ahead|holds/i, "stderr");
    run.kill("SIGKILL");
    await run.ended;
    void next.prints(/in/).then(() => {
      second = isAlive(pid) ? 2 : 1;
    });
    await until(() => second !== 0);
    expect(second).toBe(1);
    expect((await next.ended).code).toBe(0);
  });

  test("W3: acquire from a batch file holds the lock, or says to name the process", async () => {
    const at = store();
    const shim = join(temporaryDirectory(), "holdfast.cmd");
    writeFileSync(shim, `@"${process.execPath}" "${CLI}" %*\r\n`);
    const words = ["/d", "/c", shim, "acquire", "k"];
    const { SystemRoot } = process.env;
    const acquired = start("cmd.exe", words, { env: { SystemRoot, ...environmentOf(at) } });
    acquired.process.stdin?.end();
    const { code, stderr } = await acquired.ended;
    if (code === 0) {
      expect((await claim(at, "4s")).code).toBe(124);
      return;
    }
    expect([code, stderr]).toEqual([2, expect.stringContaining("name it with --until-pid")]);
    expect((await claim(at, "20s")).code).toBe(0);
  });
});

function environmentOf(at: { env: NodeJS.ProcessEnv }): NodeJS.ProcessEnv {
  return { ...process.env, ...at.env };
}
