import { describe, expect, test } from "vitest";
import {
  cli,
  hasScript,
  json,
  program,
  startCli,
  startOnTerminal,
  UNTIL_INPUT_ENDS,
} from "../../../helpers/cli/cli.ts";
import { store } from "../../../helpers/cli/holding.ts";
import { isWindows, unixDescribe } from "../../../helpers/platform.ts";
import { childrenOf, isAlive } from "../../../helpers/processes.ts";
import { until } from "../../../helpers/waiting.ts";

/**
 * Counts the signals that it gets. After the first it waits long enough for a second one to come
 * if there is one, tells, and ends with a code of its own.
 */
const COUNTER = program(`
  const counts = {};
  let timer;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {
    counts[signal] = (counts[signal] ?? 0) + 1;
    console.log("got", signal);
    timer ??= setTimeout(() => { console.log(JSON.stringify(counts)); process.exit(40); }, 500);
  });
  setInterval(() => {}, 1000);
  console.log("ready", process.pid);
`);

/** 128 and the number that every system gives these signals. */
const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

unixDescribe("signals")("while the command runs", () => {
  test.skipIf(isWindows).each(names)(
    "%s to the whole process group reaches the command once",
    async (signal) => {
      const run = startCli(["run", "k", "--", ...COUNTER], store());
      await run.prints(/ready/);
      run.killGroup(signal);
      const { code, stdout } = await run.ended;
      expect(stdout).toContain(JSON.stringify({ [signal]: 1 }));
      expect(code).toBe(40);
    },
  );

  test.skipIf(isWindows).each(names)(
    "%s to holdfast alone reaches the command once",
    async (signal) => {
      const run = startCli(["run", "k", "--", ...COUNTER], store());
      await run.prints(/ready/);
      run.kill(signal);
      const { code, stdout } = await run.ended;
      expect(stdout).toContain(JSON.stringify({ [signal]: 1 }));
      expect(code).toBe(40);
    },
  );

  test("a second signal is handed on as the first was", async () => {
    const run = startCli(["run", "k", "--", ...COUNTER], store());
    await run.prints(/ready/);
    run.kill("SIGINT");
    await run.prints(/got SIGINT/);
    run.kill("SIGTERM");
    expect((await run.ended).stdout).toContain(JSON.stringify({ SIGINT: 1, SIGTERM: 1 }));
  });

  test("two signals to the group, one after the other, are two signals to the command", async () => {
    const run = startCli(["run", "k", "--", ...COUNTER], store());
    await run.prints(/ready/);
    const sentinel = childrenOf(run.pid);
    run.killGroup("SIGINT");
    await run.prints(/got SIGINT/);
    // A new sentinel stands where the first one fell.
    await until(() => childrenOf(run.pid).some((pid) => !sentinel.includes(pid)));
    run.killGroup("SIGTERM");
    expect((await run.ended).stdout).toContain(JSON.stringify({ SIGINT: 1, SIGTERM: 1 }));
  });

  test("a command with a process group of its own still gets the signal of ours", async () => {
    const [file = "", ...rest] = COUNTER;
    const run = startCli(["run", "k", "--", "setsid", file, ...rest], store());
    await run.prints(/ready/);
    run.killGroup("SIGTERM");
    const { code, stdout } = await run.ended;
    expect(stdout).toContain(JSON.stringify({ SIGTERM: 1 }));
    expect(code).toBe(40);
  });

  test("a command that a signal ended gives 128 and its number", async () => {
    const run = startCli(["run", "k", "--", ...UNTIL_INPUT_ENDS], store());
    await run.prints(/ready/);
    run.kill("SIGTERM");
    expect((await run.ended).code).toBe(CODES.SIGTERM);
  });

  test("the lock is let go after the command was interrupted", async () => {
    const at = store();
    const run = startCli(["run", "k", "--", ...COUNTER], at);
    await run.prints(/ready/);
    run.killGroup("SIGINT");
    await run.ended;
    expect(json(await cli(["status", "k", "--json"], at)).holders).toEqual([]);
  });

  test("no sentinel is left, neither after the end nor after kill -9", async () => {
    const run = startCli(["run", "k", "--", ...UNTIL_INPUT_ENDS], store());
    await run.prints(/ready/);
    const children = childrenOf(run.pid);
    expect(children).toHaveLength(2);
    run.kill("SIGKILL");
    run.process.stdin?.end();
    await until(() => !children.some(isAlive));
  });
});

unixDescribe("signals")("while it waits", () => {
  test.skipIf(isWindows).each(names)("%s leaves the line", async (signal) => {
    const at = store();
    const holder = startCli(["run", "k", "--", ...UNTIL_INPUT_ENDS], at);
    await holder.prints(/ready/);
    const waiter = startCli(["run", "k", "--json", "--", "echo", "never"], at);
    await waiter.prints(/1st in line/, "stderr");
    waiter.killGroup(signal);
    const { code, stdout } = await waiter.ended;
    expect(code).toBe(CODES[signal]);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "ABORTED" } });
    const status = json<{ waiting: number; holders: unknown[] }>(
      await cli(["status", "k", "--json"], at),
    );
    expect(status.waiting).toBe(0);
    expect(status.holders).toHaveLength(1);
  });
});

test.skipIf(isWindows).each(names)(
  "%s that comes together with the turn: nothing runs, and the lock is free",
  async (signal) => {
    const at = store();
    const holder = startCli(["run", "k", "--", ...UNTIL_INPUT_ENDS], at);
    await holder.prints(/ready/);
    const waiter = startCli(["run", "k", "--", "echo", "never"], at);
    await waiter.prints(/1st in line/, "stderr");
    // Stopped, it finds both when it goes on: the free lock and the signal.
    waiter.kill("SIGSTOP");
    holder.process.stdin?.end();
    await holder.ended;
    waiter.kill(signal);
    waiter.kill("SIGCONT");
    expect(await waiter.ended).toMatchObject({ code: CODES[signal], stdout: "" });
    const status = await cli(["status", "k", "--json"], at);
    expect(json(status)).toMatchObject({ holders: [], waiting: 0 });
  },
);

describe.skipIf(!hasScript)("on a terminal (needs script of util-linux)", () => {
  test("Ctrl-C reaches the command once, and its code comes back", async () => {
    const run = startOnTerminal(["run", "k", "--", ...COUNTER], store().env);
    await run.prints(/ready/);
    run.write("\u0003");
    const { code, stdout } = await run.ended;
    expect(stdout).toContain(JSON.stringify({ SIGINT: 1 }));
    expect(code).toBe(40);
  });

  test("Ctrl-C while waiting leaves the line", async () => {
    const at = store();
    const holder = startCli(["run", "k", "--", ...UNTIL_INPUT_ENDS], at);
    await holder.prints(/ready/);
    const waiter = startOnTerminal(["run", "k", "--", "echo", "never"], at.env);
    await waiter.prints(/1st in line/);
    waiter.write("\u0003");
    const { code, stdout } = await waiter.ended;
    expect(code).toBe(130);
    expect(stdout).not.toContain("never");
    expect(json(await cli(["status", "k", "--json"], at)).waiting).toBe(0);
  });
});
