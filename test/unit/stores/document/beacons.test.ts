import { expect, test } from "vitest";
import type { Beacons } from "../../../../src/stores/engines/register.ts";
import { Memory } from "../../../contract/register/memory/register.ts";
import { openOn, request } from "./kit.ts";

/** Lights that the engine does not answer, so many times; then it does. */
function silence(beacons: Beacons, times: number): Beacons {
  let left = times;
  return {
    ...beacons,
    light: (id, deadAfter, options = {}) => {
      if (left-- <= 0) return beacons.light(id, deadAfter, options);
      const { signal } = options;
      return new Promise((_, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
      });
    },
  };
}

test("a claim that only kindles its beacon is not answered by that, and fails soon", async () => {
  const timing = { startPatience: 600_000, startRetry: 100 };
  const { store, register } = openOn(new Memory(), { push: true, beacons: true }, { timing });
  Object.assign(register, { beacons: { ...register.beacons, kindle: async () => {} } });
  register.faults.away = () => true;
  const refused = store.claim(request("hasty"));
  await expect(refused).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
  delete register.faults.away;
  await store.close();
});

/** A store whose first lights are not answered. Its patience is far beyond that of a light. */
function openSilent(times: number, startPatience: number) {
  const timing = { startPatience, startRetry: startPatience };
  const opened = openOn(new Memory(), { push: true, beacons: true }, { timing });
  const { register } = opened;
  Object.assign(register, { beacons: silence(register.beacons as Beacons, times) });
  return opened.store;
}

test("a claim whose first light gets no answer lights again, and is granted", async () => {
  const store = openSilent(1, 60_000);
  const holding = await store.claim(request("patient", { deadAfter: 1_000 }));
  expect(await holding.release()).toBe("released");
  await store.close();
});

test("a claim whose lights never get an answer says that the store does not answer", async () => {
  const store = openSilent(Number.POSITIVE_INFINITY, 1_500);
  const refused = store.claim(request("patient", { deadAfter: 1_000 }));
  await expect(refused).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
  await store.close();
});
