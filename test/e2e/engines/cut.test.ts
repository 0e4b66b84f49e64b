import { expect, it } from "vitest";
import type { Progress } from "../../../src/lock/store.ts";
import { startCli, UNTIL_INPUT_ENDS } from "../../helpers/cli/cli.ts";
import { isAlive } from "../../helpers/processes.ts";
import { Network } from "../../helpers/tcp/network.ts";
import { hold, KEY, lost, open, request } from "../../helpers/tcp/support.ts";
import { PATIENT, until } from "../../helpers/waiting.ts";
import { onEveryEngine } from "./engines.ts";

const DEAD_AFTER_MS = 6_000;
/** Of two claims together, while the engine is away. */
const TRIES = 25;

onEveryEngine("the network between holder and engine is cut", (engine) => {
  it("the holder gives up before anybody else gets in, and says until when it is safe", async () => {
    const network = await Network.start(() => engine().port);
    const url = await engine().fresh();
    const far = await open(withPort(url, network.port));
    const holding = await hold(far, "cut off", { deadAfter: DEAD_AFTER_MS });
    const near = await open(url);
    let gotAt = Number.POSITIVE_INFINITY;
    const heir = hold(near, "heir", { deadAfter: DEAD_AFTER_MS }).then((next) => {
      gotAt = performance.now();
      return next;
    });
    await expect.poll(async () => (await near.inspect(KEY)).waiting, PATIENT).toBe(1);
    network.cut();
    const sentence = await lost(holding);
    const toldAt = performance.now();
    expect(gotAt).toBe(Number.POSITIVE_INFINITY);
    expect(sentence).toMatch(/"production" was lost: it could not be renewed for \d+(\.\d+)?s \(/);
    const safeUntil = holding.safeUntil ?? 0;
    expect(safeUntil).toBeGreaterThan(toldAt);
    await heir;
    expect(gotAt).toBeGreaterThan(safeUntil);
  });

  it("a command that takes its time to stop is gone before anybody else gets in", async () => {
    const network = await Network.start(() => engine().port);
    const url = await engine().fresh();
    // It hears SIGTERM, and goes on all the same.
    const deaf = `process.on("SIGTERM", () => console.log("told")); ${UNTIL_INPUT_ENDS[2]}`;
    const run = startCli(
      ["run", KEY, "--dead-after", "6s", "--grace", "3s", "--", process.execPath, "-e", deaf],
      { env: { HOLDFAST_STORE: withPort(url, network.port) } },
    );
    const [, pid] = await run.prints(/ready (\d+)/);
    const near = await open(url);
    const heir = hold(near, "heir").then(() => isAlive(Number(pid)));
    await expect.poll(async () => (await near.inspect(KEY)).waiting, PATIENT).toBe(1);
    network.cut();
    expect(await heir).toBe(false);
    const { code, stdout, stderr } = await run.ended;
    expect(code).toBe(123);
    expect(stdout).toContain("told");
    expect(stderr).toMatch(/was lost: it could not be renewed/);
  });

  it("the lock is kept when the network is back in time", async () => {
    const network = await Network.start(() => engine().port);
    const url = await engine().fresh();
    const far = await open(withPort(url, network.port));
    const holding = await hold(far, "patient", { deadAfter: 15_000 });
    const before = network.accepted;
    network.cut();
    await expect.poll(() => network.accepted, PATIENT).toBeGreaterThan(before);
    network.heal();
    await holding.renew();
    expect(holding.lost.aborted).toBe(false);
    expect(await (await open(url)).verify(holding.lease)).toBe(true);
    expect(await holding.release()).toBe("released");
  });

  it("a claim that waits says that the engine is silent, goes on waiting and gets its turn", async () => {
    const network = await Network.start(() => engine().port);
    const url = await engine().fresh();
    const near = await open(url);
    const holding = await hold(near, "holder");
    const reports: Progress[] = [];
    const far = await open(withPort(url, network.port));
    const claimed = far.claim(request("waiter"), {
      onProgress: (progress) => reports.push(progress),
    });
    await until(() => reports.length > 0);
    network.cut();
    const told = () => reports.some(({ trouble = "" }) => /answer|closed/.test(trouble));
    await expect.poll(told, PATIENT).toBe(true);
    network.heal();
    await expect.poll(() => reports.at(-1)?.trouble, PATIENT).toBeUndefined();
    await holding.release();
    expect(await (await claimed).release()).toBe("released");
  });
});

onEveryEngine("the engine is killed and started again on its data", (engine) => {
  it("the holder goes on holding, the waiter on waiting, and the fence grows", async () => {
    const url = await engine().fresh();
    const [one, other] = [await open(url), await open(url)];
    // An engine may be away for some time on a busy machine, and nobody is to lose anything by it.
    const deadAfter = 120_000;
    const holding = await hold(one, "holder", { deadAfter });
    const next = hold(other, "waiter", { deadAfter });
    await expect.poll(async () => (await one.inspect(KEY)).waiting, PATIENT).toBe(1);
    await engine().kill();
    await engine().startAgain();
    await holding.renew();
    expect(await one.inspect(KEY)).toMatchObject({
      holders: [{ owner: "holder", fence: holding.lease.fence }],
      waiting: 1,
    });
    expect(await holding.release()).toBe("released");
    const heir = await next;
    expect(heir.lease.fence).toBeGreaterThan(holding.lease.fence as number);
    await heir.release();
  });

  it("a release and a waiting claim try again about once a second, and say when the engine is back", async () => {
    const network = await Network.start(() => engine().port);
    const url = withPort(await engine().fresh(), network.port);
    const told: string[] = [];
    const onTrouble = (sentence: string) => void told.push(sentence);
    const [one, other] = [await open(url, { onTrouble }), await open(url, { onTrouble })];
    const deadAfter = 120_000;
    const holding = await hold(one, "holder", { deadAfter });
    const next = hold(other, "waiter", { deadAfter });
    await expect.poll(async () => (await one.inspect(KEY)).waiting, PATIENT).toBe(1);
    await engine().kill();
    const before = network.accepted;
    let isGivenUp = false;
    const released = holding.release().catch(() => {
      isGivenUp = true;
      return holding.release();
    });
    // With pauses that grow, so many tries would take longer than a release is tried.
    await until(() => network.accepted >= before + TRIES || isGivenUp);
    expect(isGivenUp).toBe(false);
    await engine().startAgain();
    expect(await released).toBe("released");
    await (await next).release();
    // The holder's own look may be the first to say it, and it has less time than the release.
    expect(told.join("\n")).toMatch(/Trying again for (15|30)s\.(.|\n)*is reachable again\./);
  });

  it("is away for good: the holder is told in time, and a new claim fails soon", async () => {
    const url = await engine().fresh();
    const store = await open(url);
    const holding = await hold(store, "holder", { deadAfter: 3_000 });
    const began = performance.now();
    await engine().kill();
    try {
      expect(await lost(holding)).toMatch(/could not be renewed/);
      expect(performance.now()).toBeLessThan(holding.safeUntil as number);
      await expect(store.claim(request("late"))).rejects.toMatchObject({
        code: "STORE_UNREACHABLE",
      });
      expect(performance.now() - began).toBeLessThan(60_000);
    } finally {
      await engine().startAgain();
    }
  });
});

/** The same store by another port, behind which the network in between listens. */
function withPort(url: string, port: number): string {
  return url.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`);
}
