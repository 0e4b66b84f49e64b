import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Register, Session } from "../../../src/stores/engines/register.ts";
import { KEY, type RegisterFactory, type RegisterScene } from "./scene.ts";

const LONG_MS = 20_000;
/** What a busy machine may add. */
const LATE_MS = 5_000;

/** A session that has shown that it lives. */
async function begun(register: Register, id: string, deadAfter = LONG_MS): Promise<Session> {
  const session = register.session(id, deadAfter);
  await session.renew();
  return session;
}

/** Those of which it is known that they live. */
async function living(register: Register, ids: readonly string[]): Promise<string[]> {
  const alive = await register.alive(ids);
  return ids.filter((id) => alive.get(id) === true);
}

/** What the document protocol asks of a register's sessions. */
export function sessionTests(scene: RegisterScene, { signs, watched }: RegisterFactory): void {
  it("declares whether it has signs of life", async () => {
    expect((await scene.open()).traits.signs !== undefined).toBe(signs);
  });

  it("reads, swaps and waits in a session as without one", async () => {
    const [one, other] = [await scene.open(), await scene.open()];
    const session = one.session("a", LONG_MS);
    expect(session.id).toBe("a");
    await session.begin();
    const first = await session.swap(KEY, null, '{"n":1}');
    if (first.outcome !== "done") throw new Error(`the swap is ${first.outcome}`);
    const { version } = first;
    expect(await session.swap(KEY, null, '{"n":2}')).toEqual({ outcome: "conflict" });
    expect(await session.read(KEY, { strong: true })).toEqual({ version, text: '{"n":1}' });
    await session.changed(KEY, version, { pause: 1 });
    await session.renew();
    expect((await session.swap(KEY, version, '{"n":3}', { ends: true })).outcome).toBe("done");
    await session.end();
    expect((await other.read(KEY, { strong: true })).text).toBe('{"n":3}');
  });

  it.runIf(!signs)("knows of no session whether it lives", async () => {
    const register = await scene.open();
    await begun(register, "a");
    expect([...(await register.alive(["a", "b"]))]).toEqual([]);
  });

  it.runIf(signs)("live until they end, or for their time, for all to see", async () => {
    const [one, other] = [await scene.open(), await scene.open()];
    const leastDeadAfter = one.traits.signs?.leastDeadAfter ?? 0;
    await begun(one, "a");
    const b = await begun(one, "b");
    await begun(one, "c", leastDeadAfter);
    expect(await living(other, ["a", "b", "c", "d"])).toEqual(["a", "b", "c"]);
    await b.end();
    await one.session("d", LONG_MS).end();
    const left = () => living(other, ["a", "b"]);
    if (watched) await expect.poll(left, { timeout: LATE_MS }).toEqual(["a"]);
    else expect(await left()).toEqual(["a"]);
    const isDead = async () => (await other.alive(["a", "c"])).get("c") === false;
    await expect.poll(isDead, { timeout: leastDeadAfter + LATE_MS }).toBe(true);
    expect(await living(other, ["a", "c"])).toEqual(["a"]);
  });

  it.runIf(signs)("are begun, needed and ended by swaps, where the engine can", async () => {
    const register = await scene.open();
    if (!register.traits.conditional) return;
    const fresh = register.session("new", LONG_MS);
    await fresh.begin();
    await begun(register, "other");
    const first = await fresh.swap(KEY, null, '{"n":1}');
    if (first.outcome !== "done") throw new Error(`the swap is ${first.outcome}`);
    expect(await living(register, ["new", "other"])).toEqual(["new", "other"]);
    const { version } = first;
    const dead = { needs: ["other", "nobody"], ends: true };
    expect(await fresh.swap(KEY, version, '{"n":2}', dead)).toEqual({ outcome: "conflict" });
    expect(await living(register, ["new"])).toEqual(["new"]);
    const alive = { needs: ["other"], ends: true };
    expect((await fresh.swap(KEY, version, '{"n":3}', alive)).outcome).toBe("done");
    await fresh.end();
    expect(await living(register, ["new", "other"])).toEqual(["other"]);
    // What has ended does not come back.
    await fresh.renew();
    expect(await living(register, ["new"])).toEqual([]);
  });

  it.runIf(signs)("live on while they are renewed", async () => {
    const register = await scene.open();
    const leastDeadAfter = register.traits.signs?.leastDeadAfter ?? 0;
    const session = await begun(register, "a", leastDeadAfter);
    const end = performance.now() + 2 * leastDeadAfter;
    while (performance.now() < end) {
      await session.renew();
      expect(await living(register, ["a"])).toEqual(["a"]);
      await delay(leastDeadAfter / 4);
    }
  });
}
