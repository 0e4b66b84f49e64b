import { expect, test } from "vitest";
import { startProcess } from "../../../helpers/server/server.ts";
import { hold, KEY, open } from "../../../helpers/tcp/support.ts";

test("our server tells the holds of a key, newest first, also of a free one", async () => {
  const server = await startProcess([]);
  const store = await open(`tcp://127.0.0.1:${server.port}`);
  expect(await store.history?.(KEY, { limit: 50 })).toEqual([]);
  const metadata = { workflow: "Deploy", job: "web" };
  const first = await hold(store, "first", { owner: { id: "first", metadata } });
  await first.release();
  const second = await hold(store, "second");
  await second.release();
  const holds = (await store.history?.(KEY, { limit: 50 })) ?? [];
  expect(holds).toMatchObject([
    { owner: "second", end: "released", fence: second.lease.fence },
    { owner: "first", end: "released", fence: first.lease.fence, metadata },
  ]);
  expect(await store.history?.(KEY, { limit: 1 })).toEqual([holds[0]]);
  const third = await hold(store, "third");
  expect(await store.history?.(KEY, { limit: 50 })).toEqual(holds);
  await third.release();
});
