import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Beacons, Register } from "../../../src/stores/engines/register.ts";

const KEY = "production";
const LONG_MS = 20_000;
/** What a busy machine may add. */
const LATE_MS = 5_000;

interface BeaconScene {
  open(): Promise<Register>;
}

interface BeaconLimits {
  readonly beacons: boolean;
  readonly watched?: boolean;
}

/** Those of which it is known that they burn. */
async function burning(beacons: Beacons, ids: readonly string[]): Promise<string[]> {
  const lit = await beacons.lit(ids);
  return ids.filter((id) => lit.get(id) === true);
}

/** What the document protocol asks of a register that keeps signs of life. */
export function beaconTests(scene: BeaconScene, { beacons, watched }: BeaconLimits): void {
  it.runIf(!beacons)("has none", async () => {
    expect((await scene.open()).beacons).toBeUndefined();
  });

  it.runIf(beacons)("burn until they are put out, or for their time, for all to see", async () => {
    const [one, other] = [(await scene.open()).beacons, (await scene.open()).beacons];
    if (one === undefined || other === undefined) throw new Error("it has no beacons");
    await one.light("a", LONG_MS);
    await one.light("b", LONG_MS);
    await one.light("c", one.minimum);
    expect(await burning(other, ["a", "b", "c", "d"])).toEqual(["a", "b", "c"]);
    await one.douse("b");
    await one.douse("d");
    const left = () => burning(other, ["a", "b"]);
    if (watched) await expect.poll(left, { timeout: LATE_MS }).toEqual(["a"]);
    else expect(await left()).toEqual(["a"]);
    const isOut = async () => (await other.lit(["a", "c"])).get("c") === false;
    await expect.poll(isOut, { timeout: one.minimum + LATE_MS }).toBe(true);
    expect(await burning(other, ["a", "c"])).toEqual(["a"]);
  });

  it.runIf(beacons)("are lit, needed and put out by swaps, where the engine can", async () => {
    const register = await scene.open();
    const all = register.beacons;
    if (all === undefined || !register.traits.conditional) return;
    await all.kindle?.("new", LONG_MS);
    await all.light("other", LONG_MS);
    const first = await register.swap(KEY, null, '{"n":1}', { lights: "new" });
    if (first.outcome !== "done") throw new Error(`the swap is ${first.outcome}`);
    expect(await burning(all, ["new", "other"])).toEqual(["new", "other"]);
    const { version } = first;
    const dark = { needs: ["other", "nobody"], douses: "new" };
    expect(await register.swap(KEY, version, '{"n":2}', dark)).toEqual({ outcome: "conflict" });
    expect(await burning(all, ["new"])).toEqual(["new"]);
    const bright = { needs: ["other"], douses: "new" };
    expect((await register.swap(KEY, version, '{"n":3}', bright)).outcome).toBe("done");
    await all.douse("new");
    expect(await burning(all, ["new", "other"])).toEqual(["other"]);
  });

  it.runIf(beacons)("burn on while they are lit again", async () => {
    const one = (await scene.open()).beacons;
    if (one === undefined) throw new Error("it has no beacons");
    const end = performance.now() + 2 * one.minimum;
    while (performance.now() < end) {
      await one.light("a", one.minimum);
      expect(await burning(one, ["a"])).toEqual(["a"]);
      await delay(one.minimum / 4);
    }
  });
}
