import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CLI, cli, json, program, startCli, UNTIL_INPUT_ENDS } from "../../../helpers/cli/cli.ts";
import { store } from "../../../helpers/cli/holding.ts";
import { unixDescribe, unixTest } from "../../../helpers/platform.ts";
import { isAlive } from "../../../helpers/processes.ts";
import { SOON_MS, until } from "../../../helpers/waiting.ts";

/** Writes down where it stopped when it is asked to stop, and ends with a code of its own. */
const POLITE = program(`
  process.on("SIGTERM", () => { console.log("cleaned up"); process.exit(7); });
  setInterval(() => {}, 1000);
  console.log("ready", process.pid);
`);

const STUBBORN = program(`
  process.on("SIGTERM", () => console.log("no"));
  setInterval(() => {}, 1000);
  console.log("ready", process.pid);
`);

unixDescribe("signals")("a lock that is lost while the command runs", () => {
  test("broken: the command is asked to stop, and 123 comes back, not its own code", async () => {
    const at = store();
    const run = startCli(["run", "k", "--json", "--", ...POLITE], at);
    await run.prints(/ready/);
    const broken = await cli(["break", "k", "--reason", "wrong branch"], at);
    expect(broken.code).toBe(0);
    const { code, stdout, stderr } = await run.ended;
    expect(code).toBe(123);
    expect(stderr).toMatch(
      /^holdfast: The lock "k" was lost: it was broken by .* \(wrong branch\)\. The command gets SIGTERM, and SIGKILL after 10s\.\n$/,
    );
    const [, cleanedUp, error] = stdout.split("\n");
    expect(cleanedUp).toBe("cleaned up");
    expect(JSON.parse(error ?? "")).toMatchObject({ error: { code: "LOCK_LOST" } });
  });

  test("a command that does not stop gets SIGKILL after the grace", async () => {
    const at = store();
    const run = startCli(["run", "k", "--grace", "300ms", "--", ...STUBBORN], at);
    const [, pid] = await run.prints(/ready (\d+)/);
    await cli(["break", "k", "--reason", "test"], at);
    const { code, stdout } = await run.ended;
    expect(code).toBe(123);
    expect(stdout).toContain("no\n");
    expect(isAlive(Number(pid))).toBe(false);
  });

  test("--grace 0 kills at once", async () => {
    const at = store();
    const run = startCli(["run", "k", "--grace", "0", "--", ...STUBBORN], at);
    await run.prints(/ready/);
    await cli(["break", "k", "--reason", "test"], at);
    expect((await run.ended).code).toBe(123);
  });

  test("the next holder's lock stays as it is", async () => {
    const at = store();
    const first = startCli(["run", "k", "--", ...POLITE], at);
    await first.prints(/ready/);
    const second = startCli(["run", "k", "--owner", "second", "--", ...UNTIL_INPUT_ENDS], at);
    await second.prints(/1st in line/, "stderr");
    await cli(["break", "k", "--reason", "test"], at);
    expect((await first.ended).code).toBe(123);
    await second.prints(/ready/);
    const { holders } = json<{ holders: object[] }>(await cli(["status", "k", "--json"], at));
    expect(holders).toMatchObject([{ owner: "second", alive: true }]);
    second.process.stdin?.end();
    expect((await second.ended).code).toBe(0);
  });

  test("the store's directory is removed", async () => {
    const at = store();
    const run = startCli(["run", "k", "--dead-after", "3s", "--", ...POLITE], at);
    await run.prints(/ready/);
    // Something may just be written there: then it is tried again.
    rmSync(at.env.HOLDFAST_STORE, { recursive: true, maxRetries: 10 });
    const { code, stderr } = await run.ended;
    expect(code).toBe(123);
    expect(stderr).toMatch(/^holdfast: The lock "k" was lost: its lock file is gone\./);
  });

  test("a foreign tool puts its own file in the lock's place", async () => {
    const at = store();
    const path = join(at.env.HOLDFAST_STORE, "k.lock");
    const run = startCli(["run", "k", "--dead-after", "3s", "--", ...POLITE], at);
    await run.prints(/ready/);
    const theirs = `pid=${process.pid}\ntimestamp=${Math.floor(Date.now() / 1_000)}\n`;
    writeFileSync(`${path}.tmp`, theirs);
    renameSync(`${path}.tmp`, path);
    const { code, stderr } = await run.ended;
    expect(code).toBe(123);
    expect(stderr).toContain("it is now held by another tool");
    expect(readFileSync(path, "utf8")).toBe(theirs);
  });

  test("lost just before the command ended by itself: still 123", async () => {
    const at = store();
    const path = join(at.env.HOLDFAST_STORE, "k.lock");
    // The command takes its own lock away and is gone before anybody can notice.
    const text = `require("node:fs").rmSync(${JSON.stringify(path)}); process.reallyExit(0);`;
    const { code, stderr } = await cli(["run", "k", "--", ...program(text)], at);
    expect(code).toBe(123);
    expect(stderr).toMatch(/The lock "k" was lost/);
  });
});

unixDescribe("a POSIX shell")("what the command has started", () => {
  const [node = "", ...stubborn] = STUBBORN;
  /** A shell with a program under it, as make, npm and scripts have. */
  const under = (line: string) => ["/bin/sh", "-c", line, node, ...stubborn];

  test.each([
    ["a child of a shell", under('"$0" "$@"; echo over')],
    ["a child whose parent has ended", under('("$0" "$@" &); sleep 600; echo over')],
  ])("%s is stopped with a lost lock", async (_, commandLine) => {
    const at = store();
    const run = startCli(["run", "k", "--grace", "1s", "--", ...commandLine], at);
    const [, pid] = await run.prints(/ready (\d+)/);
    await cli(["break", "k", "--reason", "test"], at);
    const { code, stdout } = await run.ended;
    expect(code).toBe(123);
    // It was asked first.
    expect(stdout).toContain("no\n");
    expect(stdout).not.toContain("over");
    expect(isAlive(Number(pid))).toBe(false);
  });

  test("a signal that ends the shell alone ends it too, before the lock is released", async () => {
    const at = store();
    const run = startCli(["run", "k", "--grace", "1s", "--", ...under('"$0" "$@"; echo over')], at);
    const [, pid] = await run.prints(/ready (\d+)/);
    run.kill("SIGTERM");
    const { code, stdout } = await run.ended;
    expect(code).toBe(143);
    expect(stdout).toContain("no\n");
    expect(isAlive(Number(pid))).toBe(false);
  });

  test("a command that ends by itself may leave a process behind", async () => {
    const at = store();
    const line = under('"$0" "$@" < /dev/null > /dev/null 2>&1 & echo $!');
    const { code, stdout } = await cli(["run", "k", "--", ...line], at);
    expect(code).toBe(0);
    expect(isAlive(Number(stdout))).toBe(true);
    process.kill(Number(stdout), "SIGKILL");
  });

  test("its mark does not reach beyond it", async () => {
    const at = store();
    const show = program("console.log(process.env.HOLDFAST_RUN)");
    const outer = await cli(
      ["run", "k", "--", process.execPath, CLI, "run", "l", "--", ...show],
      at,
    );
    expect(outer.stdout).toMatch(/^[0-9a-f]{16}:[0-9a-f]{16}\n$/);
  });
});

unixDescribe("signals")("kill -9", () => {
  test("of run in the first moment keeps the lock held until the command ends", async () => {
    // A command that does it itself is faster than its pid gets into the lock file.
    const line = ["/bin/sh", "-c", "kill -9 $PPID; echo $$; exec sleep 600"];
    for (let turn = 0; turn < 5; turn++) {
      const at = store();
      const run = startCli(["run", "k", "--", ...line], at);
      const [, pid] = await run.prints(/^(\d+)\n/);
      await until(() => !isAlive(run.pid));
      const refused = await cli(["run", "k", "--timeout", "0", "--", "echo", "never"], at);
      expect(refused).toMatchObject({ code: 124, stdout: "" });
      process.kill(Number(pid), "SIGKILL");
      expect(await cli(["run", "k", "--", "echo", "in"], at)).toMatchObject({ stdout: "in\n" });
    }
  });

  test("of run and its command frees the lock for the next soon", async () => {
    const at = store();
    const first = startCli(["run", "k", "--", ...UNTIL_INPUT_ENDS], at);
    await first.prints(/ready/);
    const second = startCli(["run", "k", "--", "echo", "in"], at);
    await second.prints(/1st in line/, "stderr");
    const killed = performance.now();
    first.killGroup("SIGKILL");
    await second.prints(/in/);
    expect(performance.now() - killed).toBeLessThan(SOON_MS);
    expect((await second.ended).code).toBe(0);
  });

  test("of run alone keeps it held until the command ends", async () => {
    const at = store();
    const first = startCli(["run", "k", "--", ...STUBBORN], at);
    const [, pid] = await first.prints(/ready (\d+)/);
    // The lock names the command a moment after the start.
    const path = join(at.env.HOLDFAST_STORE, "k.lock");
    await until(() => readFileSync(path, "utf8").includes(`=${pid}\n`));
    first.kill("SIGKILL");
    await until(() => !isAlive(first.pid));
    const refused = await cli(["run", "k", "--timeout", "0", "--", "echo", "never"], at);
    expect(refused.code).toBe(124);
    const second = startCli(["run", "k", "--", "echo", "in"], at);
    await second.prints(/1st in line/, "stderr");
    expect(second.stdout()).toBe("");
    process.kill(Number(pid), "SIGKILL");
    await second.prints(/in/);
    expect((await second.ended).code).toBe(0);
  });

  test("of one that waits leaves the line to those behind it", async () => {
    const at = store();
    const first = startCli(["run", "k", "--", ...UNTIL_INPUT_ENDS], at);
    await first.prints(/ready/);
    const second = startCli(["run", "k", "--", "echo", "never"], at);
    await second.prints(/1st in line/, "stderr");
    const third = startCli(["run", "k", "--", "echo", "in"], at);
    await third.prints(/2nd in line/, "stderr");
    second.kill("SIGKILL");
    await third.prints(/1st in line/, "stderr");
    first.process.stdin?.end();
    expect(await third.ended).toMatchObject({ code: 0, stdout: "in\n" });
  });
});

unixTest("signals")("a stopped holder is not robbed on the same host", async () => {
  const at = store();
  const first = startCli(["run", "k", "--dead-after", "1s", "--", ...UNTIL_INPUT_ENDS], at);
  await first.prints(/ready/);
  first.killGroup("SIGSTOP");
  // Three leases long nothing beats, and yet the process is there.
  const second = await cli(["run", "k", "--timeout", "3s", "--", "echo", "robbed"], at);
  expect(second).toMatchObject({ code: 124, stdout: "" });
  first.killGroup("SIGCONT");
  first.process.stdin?.end();
  expect((await first.ended).code).toBe(0);
});
