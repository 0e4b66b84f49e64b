import { expect, it } from "vitest";
import type { ClaimRequest } from "../../../../src/lock/store.ts";
import { Relay } from "../../../helpers/http/relay.ts";
import { served } from "../../../helpers/http/served.ts";
import { hold, KEY, open, request } from "../../../helpers/tcp/support.ts";

const BEYOND: readonly Partial<ClaimRequest>[] = [
  { slots: 2, weight: 2 },
  { priority: 1 },
  { resources: ["a", "b"] },
];
const REFUSAL = { code: "NOT_SUPPORTED", message: expect.stringContaining("use holdfast serve") };

/** A server of ours that is older than the words of sharing: it does not hear them. */
async function older(): Promise<string> {
  const { httpPort } = await served();
  const relay = await Relay.start((line) => {
    const [method, path = ""] = line.split(" ");
    if (method === "GET" && path.startsWith("/admin/locks/"))
      return { status: 200, body: { key: KEY, slots: 1, holders: [], waiting: 0, waiters: [] } };
    if (path === "/auth/session" && method === "POST") return { without: "knows" };
    return { path: path.replace(/&(weight|priority|resources|ready)=[^&]*/g, "") };
  }, httpPort);
  return relay.url;
}

it("an older server of ours is refused what it would ignore, where the key is free", async () => {
  const store = await open(await older());
  for (const extras of BEYOND) {
    await expect(store.claim(request("me", extras))).rejects.toMatchObject(REFUSAL);
    const slots = extras.slots ?? extras.resources?.length ?? 1;
    const next = await hold(store, "next", { slots });
    expect(await next.release()).toBe("released");
  }
  await expect(store.join?.(request("me"))).rejects.toMatchObject(REFUSAL);
  expect(await (await hold(store, "next")).release()).toBe("released");
});

it("and where it waits", async () => {
  const store = await open(await older());
  for (const extras of BEYOND) {
    const slots = extras.slots ?? extras.resources?.length ?? 1;
    const holders = [await hold(store, "one", { slots })];
    if (slots > 1) holders.push(await hold(store, "two", { slots }));
    await expect(store.claim(request("me", extras))).rejects.toMatchObject(REFUSAL);
    for (const holding of holders) await holding.release();
  }
  const holder = await hold(store, "holder");
  await expect(store.join?.(request("me"))).rejects.toMatchObject(REFUSAL);
  expect(await holder.release()).toBe("released");
});

it("is not asked to freeze one slot, since it would freeze the whole key", async () => {
  const store = await open(await older());
  const freeze = { owner: "ann", reason: "broken", duration: null, slot: 0 };
  await expect(store.freeze?.(KEY, freeze)).rejects.toMatchObject(REFUSAL);
  await expect(store.thaw?.(KEY, freeze)).rejects.toMatchObject(REFUSAL);
  expect(await (await hold(store, "me")).release()).toBe("released");
});
