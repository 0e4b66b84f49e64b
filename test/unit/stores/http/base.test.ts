import { expect, it } from "vitest";
import { served } from "../../../helpers/http/served.ts";
import { hold, KEY, open, request } from "../../../helpers/tcp/support.ts";

it("keys under a base path are apart from those elsewhere, and the list tells only its own", async () => {
  const { url, port } = await served();
  const [team, other, whole, tcp] = await Promise.all([
    open(`${url}/team/deploys`),
    open(`${url}/team`),
    open(url),
    open(`tcp://127.0.0.1:${port}`),
  ]);
  await hold(team, "team");
  await hold(other, "other");
  expect((await team.list()).map(({ key, store }) => [key, store])).toEqual([
    [KEY, `${url}/team/deploys`],
  ]);
  expect((await other.list()).map(({ key }) => key).sort()).toEqual([`deploys/${KEY}`, KEY]);
  for (const same of [whole, tcp]) {
    const { holders } = await same.inspect(`team/deploys/${KEY}`);
    expect(holders.map(({ owner }) => owner)).toEqual(["team"]);
    await expect(
      same.claim(request("late", { key: `team/deploys/${KEY}` }), { timeout: 0 }),
    ).rejects.toMatchObject({ code: "TIMEOUT" });
  }
  expect(await whole.inspect(KEY)).toMatchObject({ holders: [] });
});

it("TCP and HTTP claims of one key stand in one line", async () => {
  const { url, port } = await served();
  const stores = await Promise.all([open(url), open(`tcp://127.0.0.1:${port}`)]);
  const [http, tcp] = stores as [(typeof stores)[0], (typeof stores)[0]];
  const first = await hold(http, "first");
  const order: string[] = [];
  const turns: Promise<void>[] = [];
  for (const [index, store] of [tcp, http, tcp, http].entries()) {
    const name = `${store === tcp ? "tcp" : "http"}-${index}`;
    turns.push(
      store.claim(request(name)).then(async (holding) => {
        order.push(name);
        await holding.release();
      }),
    );
    await expect.poll(async () => (await http.inspect(KEY)).waiting).toBe(index + 1);
  }
  const { waiters } = await tcp.inspect(KEY);
  expect(waiters).toEqual((await http.inspect(KEY)).waiters);
  await first.release();
  await Promise.all(turns);
  expect(order).toEqual(["tcp-0", "http-1", "tcp-2", "http-3"]);
});
