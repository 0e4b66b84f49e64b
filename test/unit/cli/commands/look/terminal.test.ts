import { describe, expect, test } from "vitest";
import { cli, hasScript, startOnTerminal } from "../../../../helpers/cli/cli.ts";
import { holdAndDie, store } from "../../../../helpers/cli/holding.ts";
import { writePast } from "../../../../helpers/cli/past.ts";

const RED = "\u001b[31m";
const YELLOW = "\u001b[33m";
const DIM = "\u001b[2m";
const BOLD = "\u001b[1m";

/** What is coloured of a key whose holder is gone, and of one that is frozen. */
const COLOURED: [args: string[], parts: string[]][] = [
  [
    ["status", "k"],
    [`${RED}held by first`, `${DIM}since`],
  ],
  [["status", "cold"], [`${YELLOW}frozen by `]],
  [["list"], [`${RED}gone`, `${YELLOW}frozen`]],
  [["doctor"], [`${RED}to do`]],
  [["history", "past"], [`${DIM}since`]],
  [["help"], [`${BOLD}Commands:`]],
  [["help", "run"], [`${BOLD}Options:`]],
];

describe.skipIf(!hasScript)("on a terminal (needs script of util-linux)", () => {
  test("each look is coloured and no wider than the terminal; NO_COLOR and pipes are respected", async () => {
    const at = store();
    await holdAndDie(at);
    await cli(["freeze", "cold", "--reason", `incident 42, ${"and a long story ".repeat(8)}`], at);
    writePast(at.env.HOLDFAST_STORE, "past", [4, 6, 8]);
    for (const [args, parts] of COLOURED) {
      const { stdout } = await startOnTerminal(args, at.env).ended;
      for (const part of parts) expect(stdout, args.join(" ")).toContain(part);
      const plain = stdout.replace(/\u001b\[\d+m/g, "");
      for (const line of plain.split(/\r?\n/)) expect(line.length, line).toBeLessThan(80);
      const noColour = await startOnTerminal(args, { ...at.env, NO_COLOR: "1" }).ended;
      expect(noColour.stdout).not.toContain("\u001b");
      expect((await cli(args, at)).stdout).not.toContain("\u001b");
    }
  });

  test("a command to copy is one line, however long", async () => {
    const long = `${store().env.HOLDFAST_STORE}/${"a-long-name/".repeat(6)}`;
    const at = ["--store", long];
    await cli(["freeze", "cold", "--reason", "incident 42", ...at]);
    const { stdout } = await startOnTerminal(["status", "cold", ...at], {}).ended;
    expect(stdout).toContain(`To end it: holdfast thaw cold --store ${long}`);
  });
});
