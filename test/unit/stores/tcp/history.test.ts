import { expect, test } from "vitest";
import { introductionRequest } from "../../../../src/wire/introduction.ts";
import { served } from "../../../helpers/http/served.ts";
import { connectTo, startProcess } from "../../../helpers/server/server.ts";
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

test.each(["tcp", "http"])("as many holds as are asked for are told over %s", async (scheme) => {
  const { url, port } = await served();
  const client = await connectTo(port);
  await client.stats(introductionRequest({ owner: { id: "ci", metadata: {} }, note: null }));
  for (let count = 0; count < 70; count += 1) await client.free(KEY, await client.take(KEY));
  const store = await open(scheme === "tcp" ? `tcp://127.0.0.1:${port}` : url);
  const counts = [];
  for (const limit of [1, 50, 60, 1_000]) {
    counts.push((await store.history?.(KEY, { limit }))?.length);
  }
  expect(counts).toEqual([1, 50, 60, 70]);
});

test("our server knows who holds and who waits, also what one introduction has no room for", async () => {
  const server = await startProcess([]);
  const store = await open(`tcp://127.0.0.1:${server.port}`);
  const metadata = {
    ci_system: "github",
    run_id: "12345678901",
    run_attempt: "1",
    job: "deploy",
    workflow: "Release",
    repository: "acme/a-shop-with-a-rather-long-name",
    ref: "refs/heads/main",
    sha: "a".repeat(40),
    actor: "ann",
    run_url: "https://github.com/acme/a-shop-with-a-rather-long-name/actions/runs/12345678901",
  };
  const owner = { id: "ci-github-12345678901-1-deploy", metadata };
  const holding = await hold(store, "", { owner, note: "the note ".repeat(20).trim() });
  const waiting = hold(store, "", { owner: { ...owner, id: "next" } });
  await expect.poll(async () => (await store.inspect(KEY)).waiting).toBe(1);
  const { holders, waiters } = await store.inspect(KEY);
  expect(holders).toMatchObject([
    { owner: owner.id, metadata, note: "the note ".repeat(20).trim() },
  ]);
  expect(waiters).toMatchObject([{ owner: "next", metadata }]);
  await holding.release();
  await (await waiting).release();
});
