import { describe, expect, test } from "vitest";
import {
  hasScript,
  startCli,
  startOnTerminal,
  UNTIL_INPUT_ENDS,
} from "../../../helpers/cli/cli.ts";
import { temporaryDirectory } from "../../../helpers/directories.ts";

describe.skipIf(!hasScript)("on a terminal (needs script of util-linux)", () => {
  test("one live line while waiting, redrawn in place and cleared at the end", async () => {
    const env = { HOLDFAST_STORE: temporaryDirectory() };
    const holder = startCli(["run", "k", "--owner", "first", "--", ...UNTIL_INPUT_ENDS], { env });
    await holder.prints(/ready/);
    const waiter = startOnTerminal(["run", "k", "--", "echo", "my turn"], env);
    // Drawn a second time, with the time moved on.
    await waiter.prints(
      /\r\u001b\[Jholdfast: waiting for k: 1st in line; held by first for (\d+)s[^\r]*\r\u001b\[Jholdfast: waiting for k: 1st in line; held by first for (?!\1s)\d+s/,
    );
    expect(waiter.stdout()).not.toContain("\n");
    holder.process.stdin?.end();
    const { code, stdout } = await waiter.ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/\r\u001b\[Jholdfast: acquired k after \d+s\r\nmy turn\r\n$/);
  });

  test("where one line is too short, the holder has a line of its own, and nothing of it is cut", async () => {
    const env = { HOLDFAST_STORE: temporaryDirectory() };
    const note = "a very long note ".repeat(20);
    const holder = startCli(["run", "k", "--note", note, "--", ...UNTIL_INPUT_ENDS], { env });
    await holder.prints(/ready/);
    const waiter = startOnTerminal(["run", "k", "--", "echo"], env);
    await waiter.prints(/\u001b\[A\r\u001b\[Jholdfast: waiting/);
    const drawn = waiter.stdout().split("\u001b[J")[1] ?? "";
    const lines = drawn.replace(/\u001b\[A.*$/s, "").split("\r\n");
    expect(lines[0]).toMatch(/^holdfast: waiting for k: 1st in line/);
    expect(lines[1]).toMatch(
      new RegExp(`^ {10}held by \\S+, \`node …\`, pid ${holder.process.pid} on \\S+ for \\d+s`),
    );
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(80);
    holder.process.stdin?.end();
    await waiter.ended;
  });

  test("a terminal that cannot redraw gets lines", async () => {
    const env = { HOLDFAST_STORE: temporaryDirectory(), TERM: "dumb" };
    const holder = startCli(["run", "k", "--owner", "first", "--", ...UNTIL_INPUT_ENDS], { env });
    await holder.prints(/ready/);
    const waiter = startOnTerminal(["run", "k", "--", "echo"], env);
    await waiter.prints(/^holdfast: waiting for k: 1st in line; held by first for [^\r]*\r\n/);
    expect(waiter.stdout()).not.toContain("\u001b");
  });

  test("the command has the terminal", async () => {
    const env = { HOLDFAST_STORE: temporaryDirectory() };
    const text = "String([process.stdin.isTTY, process.stdout.isTTY, process.stderr.isTTY])";
    const run = startOnTerminal(["run", "k", "--", process.execPath, "-p", text], env);
    expect((await run.ended).stdout).toContain("true,true,true");
  });
});
