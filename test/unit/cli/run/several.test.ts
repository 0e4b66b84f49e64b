import { describe, expect, test } from "vitest";
import { CLI, cli, json, program, startCli, UNTIL_INPUT_ENDS } from "../../../helpers/cli/cli.ts";
import { hold, store } from "../../../helpers/cli/holding.ts";

const SHOW = program(
  `const { HOLDFAST_KEY, HOLDFAST_FENCE, HOLDFAST_FENCES } = process.env;
   console.log(JSON.stringify({ HOLDFAST_KEY, HOLDFAST_FENCE, HOLDFAST_FENCES }));`,
);

async function keysHeld(at: { env: NodeJS.ProcessEnv }): Promise<string[]> {
  const { keys: found } = JSON.parse((await cli(["list", "--json"], at)).stdout) as {
    keys: { key: string }[];
  };
  return found.map(({ key }) => key).sort();
}

describe("run KEY --also KEY", () => {
  test("holds all of them, doubles once, and names the first as written", async () => {
    const at = store();
    const args = ["run", "web", "--also", "db", "--also=cache", "--also", "web", "--", ...SHOW];
    const { code, stdout, stderr } = await cli(args, at);
    expect([code, stderr]).toEqual([0, ""]);
    const seen = JSON.parse(stdout) as Record<string, string>;
    const fences = JSON.parse(seen.HOLDFAST_FENCES ?? "") as Record<string, number>;
    expect(Object.keys(fences)).toEqual(["web", "db", "cache"]);
    expect(seen).toMatchObject({ HOLDFAST_KEY: "web", HOLDFAST_FENCE: String(fences.web) });
    expect(await keysHeld(at)).toEqual([]);
    // One key alone has no use for it, whatever surrounds the call.
    const env = { ...at.env, HOLDFAST_FENCES: '{"x":1}' };
    expect(json(await cli(["run", "web", "--", ...SHOW], { env }))).not.toHaveProperty(
      "HOLDFAST_FENCES",
    );
  });

  test("waiting says for which key; not all in time is none", async () => {
    const at = store();
    const holder = await hold(at, ["--owner", "first"], "b");
    const late = await cli(["run", "c", "--also", "b", "--timeout", "0", "--", "echo"], at);
    expect(late).toMatchObject({ code: 124, stdout: "" });
    expect(late.stderr).toMatch(
      /"b" was not acquired at once: held by first.*This claim holds neither/,
    );
    expect(await keysHeld(at)).toEqual(["b"]);

    const waits = startCli(["run", "c", "--also", "a", "--also", "b", "--", "echo", "ran"], at);
    await waits.prints(/waiting for b: 1st in line; held by first/, "stderr");
    // Those before it in the order are held, those after it are not.
    expect(await keysHeld(at)).toEqual(["a", "b"]);
    holder.process.stdin?.end();
    const ended = await waits.ended;
    expect([ended.code, ended.stdout]).toEqual([0, "ran\n"]);
    expect(ended.stderr).toContain("acquired c, a and b after");
  });

  test("a signal while it waits leaves none behind", async () => {
    const at = store();
    await hold(at, [], "b");
    const waits = startCli(["run", "a", "--also", "b", "--", "echo", "ran"], at);
    await waits.prints(/waiting for b/, "stderr");
    waits.kill("SIGTERM");
    expect(await waits.ended).toMatchObject({ code: 143, stdout: "" });
    expect(await keysHeld(at)).toEqual(["b"]);
  });

  test("losing one stops the command and frees the others; the sentence names it", async () => {
    const at = store();
    const run = startCli(["run", "a", "--also", "b", "--json", "--", ...UNTIL_INPUT_ENDS], at);
    await run.prints(/ready/);
    await cli(["break", "b", "--reason", "enough"], at);
    const ended = await run.ended;
    expect(ended.code).toBe(123);
    expect(ended.stderr).toMatch(/"b" was lost.*enough.*With it "a" counts as lost.*SIGTERM/);
    expect(ended.stdout).toContain('"LOCK_LOST"');
    expect(await keysHeld(at)).toEqual([]);
  });

  test("verify and a second claim within know all of them", async () => {
    const at = store();
    // The loss ends all that runs below the command, so what asks afterwards has to start after it.
    const script = program(`
      const { spawnSync } = require("node:child_process");
      const holdfast = (...args) => {
        const { status, stderr } = spawnSync(process.execPath, [${JSON.stringify(CLI)}, ...args], { encoding: "utf8" });
        return [status, stderr];
      };
      const waiting = setInterval(() => {}, 1_000);
      process.once("SIGTERM", () => {
        clearInterval(waiting);
        process.on("SIGTERM", () => {});
        console.log(JSON.stringify({ ...before, lost: holdfast("verify"), other: holdfast("verify", "a") }));
      });
      const before = {
        all: holdfast("verify"), one: holdfast("verify", "b"),
        again: holdfast("run", "x", "--also", "b", "--", "echo"),
      };
      holdfast("break", "b", "--reason", "r");`);
    const run = await cli(["run", "a", "--also", "b", "--grace", "1m", "--", ...script], at);
    const seen = JSON.parse(run.stdout) as Record<string, [number, string]>;
    expect(seen.all?.[0]).toBe(0);
    expect(seen.one).toEqual([0, 'holdfast: "b" is held.\n']);
    expect(seen.again?.[0]).toBe(125);
    expect(seen.again?.[1]).toMatch(/already holds "b"/);
    expect(seen.lost?.[0]).toBe(1);
    expect(seen.lost?.[1]).toMatch(/^holdfast: "b" is not held with fence \d+: nobody holds it/);
    expect(seen.other?.[0]).toBe(0);
  });

  test.each([
    [["a", "--also", ""], "BAD_KEY", /key is empty/],
    [["a", "--also", "x".repeat(201)], "BAD_KEY", /at most 200/],
    [["a", "--also"], "BAD_OPTION", /--also has no value: write --also KEY/],
    [["--store", "x.lock", "--also", "b"], "BAD_KEY", /whose key is "x"/],
  ])("%j is refused with 125, and nothing is held", async (args, error, says) => {
    const at = store();
    const ended = await cli(["run", "--json", ...args, "--", "echo"], at);
    expect(ended.code).toBe(125);
    expect(json(ended)).toMatchObject({ error: { code: error } });
    expect(ended.stderr).toMatch(says);
  });
});
