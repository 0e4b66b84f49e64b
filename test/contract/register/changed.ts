import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Register, Session, SwapOptions } from "../../../src/stores/engines/register.ts";
import { KEY, put, type RegisterFactory, type RegisterScene } from "./scene.ts";

/** Far above what a watch takes, far below the pause that is asked for. */
const SOON_MS = 20_000;
const LONG_MS = 60_000;
const PAUSE_MS = 200;
/** A timer may fire a moment early by another clock, and a poll late on a busy machine. */
const EARLY_MS = 20;
const LATE_MS = 20_000;
/** So long is looked how often it is woken for nothing. */
const TURNS_MS = 1_000;

/** What the document protocol asks of a register about waiting for a change. */
export function changedTests(
  scene: RegisterScene,
  { traits, signs, wakesFew }: RegisterFactory,
): void {
  it("declares whether it is woken or polls", async () => {
    expect((await scene.open()).traits.push).toBe(traits.push);
  });

  it.runIf(traits.push)("wakes when somebody else changes the document", async () => {
    const [one, other] = [await scene.open(), await scene.open()];
    const version = await put(one, KEY, '{"n":1}');
    const woken = one.changed(KEY, version, { pause: LONG_MS });
    const began = performance.now();
    await put(other, KEY, '{"n":2}');
    await woken;
    expect(performance.now() - began).toBeLessThan(SOON_MS);
  });

  it.runIf(traits.push && signs)("wakes a session by the swap that names it", async () => {
    const [one, other] = [await scene.open(), await scene.open()];
    const mine = one.session("mine", LONG_MS);
    await mine.renew();
    const version = await put(one, KEY, '{"n":1}');
    const woken = mine.changed(KEY, version, { pause: LONG_MS });
    // What concerns others may wake it or not; then it waits for what comes next.
    const second = await swap(other, version, '{"n":2}', { wakes: ["another"] });
    const began = performance.now();
    await swap(other, second, '{"n":3}', { wakes: ["another", "mine"] });
    await woken;
    expect(performance.now() - began).toBeLessThan(SOON_MS);
  });

  it.runIf(traits.push)(
    "wakes at once where the document has already left the version",
    async () => {
      const register = await scene.open();
      await put(register, KEY, '{"n":1}');
      const began = performance.now();
      await register.changed(KEY, null, { pause: LONG_MS });
      expect(performance.now() - began).toBeLessThan(SOON_MS);
    },
  );

  it("waits for the pause, and no longer, where nothing changes", async () => {
    const register = await scene.open();
    const version = await put(register, KEY, '{"n":1}');
    const began = performance.now();
    await register.changed(KEY, version, { pause: PAUSE_MS });
    const took = performance.now() - began;
    expect(took).toBeGreaterThan(PAUSE_MS - EARLY_MS);
    expect(took).toBeLessThan(LATE_MS);
  });

  it("ends when its signal fires", async () => {
    const register = await scene.open();
    const version = await put(register, KEY, '{"n":1}');
    const controller = new AbortController();
    const reason = new Error("enough");
    setTimeout(() => controller.abort(reason), PAUSE_MS);
    const waiting = register.changed(KEY, version, { pause: LONG_MS, signal: controller.signal });
    const began = performance.now();
    await expect(waiting).rejects.toBe(reason);
    expect(performance.now() - began).toBeLessThan(SOON_MS);
  });

  it.runIf(wakesFew)("wakes no claim by what another one of its process reads", async () => {
    const [one, other] = [await scene.open(), await scene.open()];
    const version = await put(one, KEY, '{"n":1}');
    const own = await watching(one, version, "mine");
    const another = await watching(one, version, "yours");
    const [mine, yours] = [own, another].map((session) =>
      session.changed(KEY, version, { pause: LONG_MS }),
    );
    let isWoken = false;
    void yours?.then(() => {
      isWoken = true;
    });
    const second = await swap(other, version, '{"n":2}', { wakes: ["mine"] });
    await mine;
    expect((await own.read(KEY, { strong: true })).version).toBe(second);
    await one.read(KEY, { strong: true });
    await setImmediate();
    expect(isWoken).toBe(false);
    await swap(other, second, '{"n":3}', { wakes: ["yours"] });
    await yours;
  });

  it.runIf(wakesFew)("wakes a claim once for what it has read since", async () => {
    const [one, other] = [await scene.open(), await scene.open()];
    const version = await put(one, KEY, '{"n":1}');
    const own = await watching(one, version, "mine");
    const woken = own.changed(KEY, version, { pause: LONG_MS });
    const second = await swap(other, version, '{"n":2}', { wakes: ["mine"] });
    await woken;
    const third = await swap(other, second, '{"n":3}', { wakes: ["another"] });
    await own.read(KEY, { strong: true });
    let turns = 0;
    const end = performance.now() + TURNS_MS;
    while (performance.now() < end) {
      await own.changed(KEY, third, { pause: TURNS_MS / 4 });
      turns++;
    }
    expect(turns).toBeLessThan(7);
  });
}

/** Changes the document from this version on. */
async function swap(
  register: Register,
  version: string,
  text: string,
  options: SwapOptions,
): Promise<string> {
  const done = await register.swap(KEY, version, text, options);
  if (done.outcome !== "done") throw new Error(`the swap is ${done.outcome}`);
  return done.version;
}

/** A session that lives, and that the engine tells what concerns it. */
async function watching(register: Register, version: string, id: string): Promise<Session> {
  const session = register.session(id, LONG_MS);
  await session.renew();
  await session.changed(KEY, version, { pause: PAUSE_MS });
  return session;
}
