import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { cli, json, startCli, UNTIL_INPUT_ENDS } from "../../helpers/cli/cli.ts";
import { temporaryDirectory } from "../../helpers/directories.ts";
import { isAlive } from "../../helpers/processes.ts";
import { hold, KEY, open } from "../../helpers/tcp/support.ts";
import { PATIENT } from "../../helpers/waiting.ts";
import { onEveryEngine } from "./engines.ts";

const DEAD_AFTER = ["--dead-after", "3s"];

onEveryEngine("processes die or are stopped", (engine) => {
  it("kill -9 of a holder and of the waiter behind it: the third in line gets the lock", async () => {
    const url = await engine().fresh();
    const env = { HOLDFAST_STORE: url };
    const start = (owner: string) =>
      startCli(["run", KEY, "--owner", owner, ...DEAD_AFTER, "--", ...UNTIL_INPUT_ENDS], { env });
    const holder = start("holder");
    await holder.prints(/ready/);
    const store = await open(url);
    const waiting = async () => (await store.inspect(KEY)).waiting;
    const waiter = start("waiter");
    await expect.poll(waiting, PATIENT).toBe(1);
    const third = start("third");
    await expect.poll(waiting, PATIENT).toBe(2);
    waiter.killGroup("SIGKILL");
    holder.killGroup("SIGKILL");
    await third.prints(/ready/);
    const { holders } = await store.inspect(KEY);
    expect(holders.map(({ owner }) => owner)).toEqual(["third"]);
    third.process.stdin?.end();
    expect((await third.ended).code).toBe(0);
    expect(await store.inspect(KEY)).toMatchObject({ holders: [], waiting: 0 });
  });

  it("kill -9 of a keeper: verify says that the lock is lost, and another gets it", async () => {
    const url = await engine().fresh();
    const env = { HOLDFAST_STORE: url, RUNNER_TEMP: temporaryDirectory() };
    const until = ["--until-pid", String(process.pid)];
    const { lease } = json<{ lease: string }>(
      await cli(["acquire", KEY, "--json", ...DEAD_AFTER, ...until], { env }),
    );
    const { keeper } = JSON.parse(readFileSync(lease, "utf8")) as { keeper: { pid: number } };
    expect((await cli(["verify", "--lease", lease], { env })).code).toBe(0);
    process.kill(keeper.pid, "SIGKILL");
    const heir = await hold(await open(url), "heir");
    expect(heir.reclaimed?.reason).toBe("HOLDER_DEAD");
    expect((await cli(["verify", "--lease", lease], { env })).code).toBe(1);
    const released = await cli(["release", "--lease", lease], { env });
    expect(released.code).toBe(0);
    expect(await (await open(url)).verify(heir.lease)).toBe(true);
  });

  it("SIGSTOP of a holder past dead-after: the next one gets in, and it is told and stops its command", async () => {
    const url = await engine().fresh();
    const env = { HOLDFAST_STORE: url };
    const run = startCli(["run", KEY, ...DEAD_AFTER, "--", ...UNTIL_INPUT_ENDS], { env });
    const [, pid] = await run.prints(/ready (\d+)/);
    const next = hold(await open(url), "next");
    run.killGroup("SIGSTOP");
    const heir = await next;
    expect(heir.reclaimed?.reason).toBe("HOLDER_DEAD");
    run.killGroup("SIGCONT");
    const { code, stderr } = await run.ended;
    expect(code).toBe(123);
    expect(stderr).toMatch(/was lost/);
    expect(isAlive(Number(pid))).toBe(false);
    await heir.renew();
    expect(await heir.release()).toBe("released");
  });

  it("SIGSTOP past dead-after while nobody waits: it goes on holding what nobody has taken", async () => {
    const url = await engine().fresh();
    const env = { HOLDFAST_STORE: url };
    const run = startCli(["run", KEY, ...DEAD_AFTER, "--", ...UNTIL_INPUT_ENDS], { env });
    await run.prints(/ready/);
    const store = await open(url);
    run.killGroup("SIGSTOP");
    const alive = async () => (await store.inspect(KEY)).holders.map((holder) => holder.alive);
    await expect.poll(alive, PATIENT).toEqual([false]);
    run.killGroup("SIGCONT");
    await expect.poll(alive, PATIENT).toEqual([true]);
    await expect(
      store.claim({ key: KEY, owner: { id: "x", metadata: {} } }, { timeout: 0 }),
    ).rejects.toMatchObject({ code: "TIMEOUT" });
    run.process.stdin?.end();
    expect((await run.ended).code).toBe(0);
  });

  it("SIGSTOP of a waiter: its turn passes to the next, and it joins again when it wakes", async () => {
    const url = await engine().fresh();
    const env = { HOLDFAST_STORE: url };
    const store = await open(url);
    const holder = await hold(store, "holder");
    const stopped = startCli(["run", KEY, ...DEAD_AFTER, "--", ...UNTIL_INPUT_ENDS], { env });
    const waiting = async () => (await store.inspect(KEY)).waiting;
    await expect.poll(waiting, PATIENT).toBe(1);
    const second = hold(store, "second");
    await expect.poll(waiting, PATIENT).toBe(2);
    stopped.killGroup("SIGSTOP");
    await holder.release();
    const heir = await second;
    stopped.killGroup("SIGCONT");
    await expect.poll(waiting, PATIENT).toBe(1);
    expect(await store.verify(heir.lease)).toBe(true);
    await heir.release();
    await stopped.prints(/ready/);
    stopped.process.stdin?.end();
    expect((await stopped.ended).code).toBe(0);
  });

  it("a dead-after that the engine cannot keep is raised, and said", async () => {
    const url = await engine().fresh();
    const store = await open(url);
    const least = store.leastDeadAfter ?? 0;
    const env = { HOLDFAST_STORE: url };
    const { code, stderr } = await cli(["run", KEY, "--dead-after", "1s", "--", "true"], { env });
    expect(code).toBe(0);
    if (least > 1_000) expect(stderr).toContain(`dead-after 1s is raised to ${least / 1_000}s`);
    else expect(stderr).not.toContain("raised");
  });
});
