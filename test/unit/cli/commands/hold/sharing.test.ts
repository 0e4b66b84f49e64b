import { describe, expect, test } from "vitest";
import type { Hold } from "../../../../../src/lock/history.ts";
import type { KeyStatus } from "../../../../../src/lock/status.ts";
import { cli, json, startCli } from "../../../../helpers/cli/cli.ts";
import { hold, store } from "../../../../helpers/cli/holding.ts";

const ECHO = [
  process.execPath,
  "-e",
  "console.log(process.env.HOLDFAST_SLOT, process.env.HOLDFAST_RESOURCE)",
];
const PHONES = ["--resources", "pixel,iphone,fairphone"];

describe("slots with names", () => {
  test("the command finds the name of its slot, and a list of names with a weight", async () => {
    const at = store();
    const one = await cli(["run", "k", ...PHONES, "--", ...ECHO], at);
    expect(one.stdout).toBe("0 pixel\n");
    const two = await cli(["run", "k", ...PHONES, "--weight", "2", "--", ...ECHO], at);
    expect(two.stdout).toBe('0 ["pixel","iphone"]\n');
    // One that is around it is not this one's.
    const env = { ...at.env, HOLDFAST_RESOURCE: "another" };
    expect((await cli(["run", "other", "--", ...ECHO], { env })).stdout).toBe("0 undefined\n");
    const { holds } = json<{ holds: Hold[] }>(await cli(["history", "k", "--json"], at));
    expect(holds.map(({ resources }) => resources)).toEqual([["pixel", "iphone"], ["pixel"]]);
    expect((await cli(["history", "k"], at)).stdout).toMatch(/ on pixel, iphone$/m);
  });

  test("one of them is frozen by its name: the others are given out, and people are told", async () => {
    const at = store();
    const holder = await hold(at, PHONES);
    const reason = ["--reason", "its display is broken"];
    const frozen = await cli(["freeze", "k", "--resource", "iphone", ...reason], at);
    expect(frozen).toMatchObject({ code: 0 });
    expect(frozen.stdout).toMatch(/^k, iphone, is frozen by .*: its display is broken/);
    expect((await cli(["run", "k", ...PHONES, "--", ...ECHO], at)).stdout).toBe("2 fairphone\n");
    const all = await cli(
      ["run", "k", ...PHONES, "--weight", "all", "--timeout", "0", "--", "x"],
      at,
    );
    expect(all.code).toBe(124);
    const shown = (await cli(["status", "k"], at)).stdout;
    expect(shown).toMatch(/1 of 3 slots held/);
    expect(shown).toMatch(/iphone is frozen by .*: its display is broken/);
    expect(shown).toMatch(/slot +pixel \(0\)/);
    expect(shown).toContain("To end it: holdfast thaw k --resource iphone\n");
    expect(frozen.stderr).toContain("to end the freeze: holdfast thaw k --resource iphone\n");
    const listed = (await cli(["list"], at)).stdout;
    expect(listed).toMatch(/held by .+ on pixel for .*; 1 slot frozen/);
    expect((await cli(["thaw", "k", "--slot", "1"], at)).stdout).toContain("is thawed");
    expect(json<KeyStatus>(await cli(["status", "k", "--json"], at)).frozenSlots).toEqual([]);
    holder.process.stdin?.end();
    await holder.ended;
  });

  test("must be the same for all claims", async () => {
    const at = store();
    const holder = await hold(at, PHONES);
    const other = await cli(["run", "k", "--resources", "a,b,c", "--json", "--", "x"], at);
    expect(other.code).toBe(125);
    expect(json(other)).toMatchObject({ error: { code: "SLOTS_MISMATCH" } });
    holder.process.stdin?.end();
    await holder.ended;
  });
});

test("a higher priority goes first among those that wait, and says so", async () => {
  const at = store();
  const holder = await hold(at);
  const started = ["low", "high"].map((name) => {
    const priority = name === "high" ? "7" : "0";
    return startCli(["run", "k", "--owner", name, "--priority", priority, "--", "echo", name], at);
  });
  const status = async () => json<KeyStatus>(await cli(["status", "k", "--json"], at));
  await expect.poll(async () => (await status()).waiting).toBe(2);
  expect((await status()).waiters.map(({ owner, priority }) => [owner, priority])).toEqual([
    ["high", 7],
    ["low", 0],
  ]);
  expect((await cli(["status", "k"], at)).stdout).toMatch(/1\. high for \d+s, priority 7/);
  holder.process.stdin?.end();
  const ended = await Promise.all(started.map((each) => each.ended));
  expect(ended.map(({ code }) => code)).toEqual([0, 0]);
  const { holds } = json<{ holds: Hold[] }>(await cli(["history", "k", "--json"], at));
  expect(holds.slice(0, 2).map(({ owner }) => owner)).toEqual(["low", "high"]);
});

test.each([
  [["--weight", "0"], "BAD_WEIGHT"],
  [["--weight", "2"], "BAD_WEIGHT"],
  [["--weight", "1.5", "--slots", "3"], "BAD_WEIGHT"],
  [["--weight", "none"], "BAD_WEIGHT"],
  [["--priority", "101"], "BAD_PRIORITY"],
  [["--priority", "high"], "BAD_PRIORITY"],
  [["--resources", "a,a"], "BAD_RESOURCES"],
  [["--resources", " , "], "BAD_RESOURCES"],
  [["--resources", "a,,b"], "BAD_RESOURCES"],
  [["--resources", "a,b", "--slots", "3"], "BAD_RESOURCES"],
])("%s is refused, and nothing is written", async (args, code) => {
  const at = store();
  const ended = await cli(["run", "k", ...args, "--json", "--", "echo"], at);
  expect(ended.code).toBe(125);
  expect(json(ended)).toMatchObject({ error: { code } });
  expect(json(await cli(["list", "--all", "--json"], at))).toMatchObject({ keys: [] });
});
