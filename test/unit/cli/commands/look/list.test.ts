import { describe, expect, test } from "vitest";
import type { KeyStatus } from "../../../../../src/lock/status.ts";
import { CLI, cli, environment, json, program } from "../../../../helpers/cli/cli.ts";
import { hold, holdAndDie, store } from "../../../../helpers/cli/holding.ts";
import { start } from "../../../../helpers/processes.ts";

describe("list", () => {
  test("shows keys that are held or waited for; --all also those that are remembered", async () => {
    const at = store();
    await cli(["run", "free", "--", ...program("")], at);
    await hold(at, ["--owner", "me"]);
    await hold(at, ["--owner", "me too"], "a/b");
    const { keys: held } = json<{ keys: KeyStatus[] }>(await cli(["list", "--json"], at));
    expect(held.map(({ key }) => key).sort()).toEqual(["a/b", "k"]);
    expect(held[0]).toEqual(json(await cli(["status", held[0]?.key ?? "", "--json"], at)));
    const { keys: all } = json<{ keys: KeyStatus[] }>(await cli(["list", "--all", "--json"], at));
    expect(all.map(({ key }) => key).sort()).toEqual(["a/b", "free", "k"]);
    const { stdout } = await cli(["list", "--all"], at);
    expect(stdout).toMatch(/^a\/b {3}held by me too for \d+m?s$/m);
    expect(stdout).toMatch(/^free {2}free$/m);
  });

  test("an empty store is an empty list", async () => {
    const at = store();
    expect(await cli(["list", "--json"], at)).toMatchObject({
      code: 0,
      stdout: `{"store":"file:${at.env.HOLDFAST_STORE}","keys":[]}\n`,
      stderr: "",
    });
    const ended = await cli(["list"], at);
    expect(ended).toMatchObject({ code: 0, stdout: "" });
    expect(ended.stderr).toMatch(/^holdfast: nothing is held or waited for in file:/);
  });

  test("marks what needs a look: gone, stopped, frozen", async () => {
    const at = store();
    await holdAndDie(at);
    const stopped = await hold(at, ["--owner", "me"], "halt");
    stopped.kill("SIGSTOP");
    await hold(at, ["--owner", "me"], "well");
    await cli(["freeze", "cold", "--reason", "incident 42"], at);
    const { stdout } = await cli(["list"], at);
    expect(stdout).toMatch(/^k {5}gone {5}held by first for \d+m?s, gone$/m);
    expect(stdout).toMatch(/^halt {2}stopped {2}held by me for \d+m?s, stopped$/m);
    expect(stdout).toMatch(/^well {11}held by me for \d+m?s$/m);
    expect(stdout).toMatch(/^cold {2}frozen {3}free; frozen by /m);
    stopped.kill("SIGCONT");
  });

  test("a reader that goes away is no failure", async () => {
    const at = store();
    await hold(at);
    // Its output is closed before it is written.
    const list = start(process.execPath, [CLI, "list", "--json"], { env: environment(at.env) });
    list.process.stdout?.destroy();
    expect(await list.ended).toMatchObject({ code: 0, stderr: "" });
  });
});
