import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { openStore } from "../../src/stores/open.ts";
import { startGitServer } from "../helpers/git-server.ts";
import { claim, startPage } from "../helpers/page/store-page.ts";
import { EventStream } from "../helpers/panel/stream.ts";
import { PATIENT } from "../helpers/waiting.ts";

/** So long it is counted; the figure in docs/github.md is of some minutes. */
const SECONDS = Number(process.env.HOLDFAST_PAGE_SECONDS ?? 16);
const BROWSERS = 3;
/** The shipped rates: a look is at least so much after the one before. */
const LEAST_S = 5;

it("a page of a repository asks once for all browsers, and not at all without one", async () => {
  const git = await startGitServer();
  const store = await openStore(git.url);
  for (const key of ["staging", "docs"]) await (await claim(store, key, "ann")).release();
  // Frozen, not held: a holder has requests of its own.
  await store.freeze?.("production", { reason: "incident 42", duration: null, owner: "ann" });
  const page = await startPage(git.url);
  const headers = { authorization: `Bearer ${page.token}` };
  const streams = await Promise.all(
    Array.from({ length: BROWSERS }, () =>
      EventStream.open(`${page.origin}/admin/events`, headers),
    ),
  );
  for (const stream of streams) {
    await stream.until(() => stream.events.some(({ keys }) => keys[0]?.key === "production"));
    // What a browser asks besides, as it opens.
    expect((await page.ask("/admin/recent")).status).toBe(200);
    expect((await page.ask("/admin/timeline")).status).toBe(200);
  }
  git.resetCounts();
  await delay(SECONDS * 1_000);
  const { list, fetch: fetched, push } = git.counts;
  console.log(`${list} lists, ${fetched} fetches, ${push} pushes in ${SECONDS} s`);
  expect(list).toBeGreaterThan(0);
  expect(list).toBeLessThanOrEqual(SECONDS / LEAST_S);
  expect(fetched + push).toBe(0);

  // It lives: a change by others is shown, for one list and one fetch.
  const next = await claim(store, "staging", "bob");
  for (const stream of streams) await stream.until(() => stream.locks.has("staging"));
  await next.release();
  for (const stream of streams) stream.close();
  await expect.poll(async () => (await page.ask("/admin/page/none")).status, PATIENT).toBe(404);
  await store.close();
  // A look that was under way as they left may still come.
  await delay(1_000);
  git.resetCounts();
  await delay(LEAST_S * 2_000);
  expect(git.total).toBe(0);
  await git.close();
});
