import { expect, test } from "vitest";
import { Memory } from "../../../contract/register/memory/register.ts";
import { changeSigns, openOn, request } from "./kit.ts";

test("a claim whose session begins with its first swap is not answered by that, and fails soon", async () => {
  const timing = { startPatience: 600_000, startRetry: 100 };
  const { store, register } = openOn(new Memory(), { push: true, signs: true }, { timing });
  const open = register.session.bind(register);
  register.session = (id, deadAfter) => ({ ...open(id, deadAfter), begin: async () => {} });
  register.faults.away = () => true;
  const refused = store.claim(request("hasty"));
  await expect(refused).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
  delete register.faults.away;
  await store.close();
});

/** A store whose first signs of life are not answered. Its patience is far beyond that of a sign. */
function openSilent(times: number, startPatience: number) {
  const timing = { startPatience, startRetry: startPatience };
  const { store, register } = openOn(new Memory(), { push: true, signs: true }, { timing });
  let left = times;
  changeSigns(register, (renew) => (options = {}) => {
    if (left-- <= 0) return renew(options);
    const { signal } = options;
    return new Promise((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
  });
  return store;
}

test("a claim whose first sign of life gets no answer gives another, and is granted", async () => {
  const store = openSilent(1, 60_000);
  const holding = await store.claim(request("patient", { deadAfter: 1_000 }));
  expect(await holding.release()).toBe("released");
  await store.close();
});

test("a claim whose signs of life never get an answer says that the store does not answer", async () => {
  const store = openSilent(Number.POSITIVE_INFINITY, 1_500);
  const refused = store.claim(request("patient", { deadAfter: 1_000 }));
  await expect(refused).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
  await store.close();
});
