import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { CLI, cli, environment, json, program, startCli } from "../helpers/cli/cli.ts";
import { hold, store } from "../helpers/cli/holding.ts";
import { temporaryDirectory } from "../helpers/directories.ts";
import { isWindows, windows } from "../helpers/platform.ts";
import { type Running, start } from "../helpers/processes.ts";

const CONSOLE = fileURLToPath(new URL("console.cjs", import.meta.url));

/** `npm install --no-save koffi` has it; scripts/windows does so. */
function hasKoffi(): boolean {
  try {
    return createRequire(import.meta.url).resolve("koffi") !== "";
  } catch {
    return false;
  }
}

/** The CLI on a console of its own. A line that is written to it is Ctrl-C. */
function onConsole(args: readonly string[], env: NodeJS.ProcessEnv): Running {
  return start(process.execPath, [CONSOLE, process.execPath, CLI, ...args], {
    env: environment(env),
  });
}

const holders = async (at: { env: NodeJS.ProcessEnv }) =>
  json<{ holders: unknown[] }>(await cli(["status", "k", "--json"], at)).holders.length;

/** As a program of Windows that has no handler for it: wine's exit with 0. */
const ENDS_AT_ONCE = `process.on("SIGINT", () => process.exit(0xc000013a));`;

describe.skipIf(!isWindows || !hasKoffi())("W7: Ctrl-C on a console [needs koffi]", () => {
  test("ends a claim that waits", async () => {
    const at = store();
    const holder = await hold(at);
    const run = onConsole(["run", "k", "--", ...program("")], at.env);
    await run.prints(/1st in line/, "stderr");
    run.write("\n");
    expect((await run.ended).code).toBe(130);
    expect(json(await cli(["status", "k", "--json"], at))).toMatchObject({ waiting: 0 });
    holder.process.stdin?.end();
    expect((await holder.ended).code).toBe(0);
  });

  test("ends the command, then the lock is released", async () => {
    const at = store();
    const script = `${ENDS_AT_ONCE} setInterval(() => {}, 1000); console.log("ready");`;
    const run = onConsole(["run", "k", "--", ...program(script)], at.env);
    await run.prints(/ready/);
    run.write("\n");
    expect((await run.ended).code).toBe(130);
    expect(await holders(at)).toBe(0);
  });

  test("the lock is held until what the command started has ended as well", async () => {
    const at = store();
    const done = join(temporaryDirectory(), "done");
    const rest = `setInterval(() => require("node:fs").existsSync(process.argv[1]) && process.exit(0), 50);
      console.log("ready");`;
    // Detached: the other children of a Node end with it.
    const script = `${ENDS_AT_ONCE}
      const words = ["-e", ${JSON.stringify(rest)}, ${JSON.stringify(done)}];
      const options = { stdio: ["ignore", "inherit", "ignore"], detached: true };
      require("node:child_process").spawn(process.execPath, words, options);`;
    const words = ["run", "k", "--grace", "none", "--", ...program(script)];
    const run = onConsole(words, at.env);
    await run.prints(/ready/);
    run.write("\n");
    await run.prints(/the lock is held until they end/, "stderr");
    expect(await holders(at)).toBe(1);
    writeFileSync(done, "");
    expect((await run.ended).code).toBe(130);
    expect(await holders(at)).toBe(0);
  });

  test("ends a server, in order", async () => {
    const run = onConsole(["serve", "--port", "0"], {});
    await run.prints(/listening tcp/);
    run.write("\n");
    expect(await run.ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining("rror") });
  });
});

windows("W7: Ctrl-Break and a closed console, as Node tells of them", () => {
  test.each([
    ["SIGBREAK", 149],
    ["SIGHUP", 129],
  ])("%s ends a claim that waits", async (signal, code) => {
    const at = store();
    const holder = await hold(at);
    // wine has no means to cause either: the process is told as Node would tell it.
    const teller = join(temporaryDirectory(), "teller.cjs");
    writeFileSync(
      teller,
      `const isTime = () => require("node:fs").existsSync(__filename + ".now");
      setInterval(() => isTime() && process.emit("${signal}", "${signal}"), 50).unref();`,
    );
    const NODE_OPTIONS = `--require ${teller.replaceAll("\\", "/")}`;
    const waits = startCli(["run", "k", "--", ...program("")], {
      env: { ...at.env, NODE_OPTIONS },
    });
    await waits.prints(/1st in line/, "stderr");
    writeFileSync(`${teller}.now`, "");
    expect((await waits.ended).code).toBe(code);
    expect(json(await cli(["status", "k", "--json"], at))).toMatchObject({ waiting: 0 });
    holder.process.stdin?.end();
    expect((await holder.ended).code).toBe(0);
  });
});
