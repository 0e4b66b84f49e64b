import { expect, it } from "vitest";
import type { Hold } from "../../../../src/lock/history.ts";
import { History } from "../../../../src/server/memory/history.ts";
import { startPanel } from "../../../helpers/panel/panel.ts";

function hold(fence: number): Hold {
  const since = new Date(fence).toISOString();
  return {
    owner: "ci-1",
    since,
    waited: 0,
    held: 1,
    fence,
    slot: 0,
    end: "released",
    metadata: {},
  };
}

function fill(history: History, key: string, count: number): void {
  for (let fence = 1; fence <= count; fence += 1) history.add(key, hold(fence));
}

it("a key's last 1,000 holds are remembered, the newest first; 50 where nobody says how many", () => {
  const history = new History();
  fill(history, "k", 1_200);
  expect(history.of("k", 1_000).map(({ fence }) => fence)).toEqual(
    Array.from({ length: 1_000 }, (_, index) => 1_200 - index),
  );
  expect(history.of("k")).toHaveLength(50);
  expect(history.of("k", 3).map(({ fence }) => fence)).toEqual([1_200, 1_199, 1_198]);
});

it("busy keys do not push out the last 50 holds of a quiet one", () => {
  const history = new History();
  fill(history, "quiet", 60);
  for (let index = 0; index < 100; index += 1) fill(history, `busy-${index}`, 1_000);
  expect(history.of("quiet", 1_000)).toHaveLength(60);
  expect(history.of("busy-0", 1_000)).toHaveLength(1_000);
  expect(history.of("busy-99", 1_000)).toHaveLength(50);
});

it("the key that was not held for longest is forgotten first", () => {
  const history = new History();
  fill(history, "oldest", 50);
  for (let index = 0; index < 500; index += 1) fill(history, `k-${index}`, 50);
  expect(history.of("oldest")).toEqual([]);
  expect(history.of("k-499")).toHaveLength(50);
});

it("/admin/history gives as many as asked for, up to 1,000", async () => {
  const server = await startPanel();
  const client = await server.keeper("ci-1");
  for (let count = 0; count < 120; count += 1) await client.free("k", await client.take("k"));
  const holds = async (query: string) =>
    (await server.json<{ holds: Hold[] }>(`/admin/history/k${query}`)).holds;
  expect(await holds("?limit=1000")).toHaveLength(120);
  expect(await holds("?limit=70")).toHaveLength(70);
  expect(await holds("")).toHaveLength(50);
  expect((await server.ask("/admin/history/k?limit=1001")).status).toBe(400);
});
