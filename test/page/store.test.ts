import { expect, it } from "vitest";
import type { Store } from "../../src/lock/store.ts";
import { openStore } from "../../src/stores/open.ts";
import { temporaryDirectory } from "../helpers/directories.ts";
import { hasRedis, startRedis } from "../helpers/engines/redis.ts";
import { startGitServer } from "../helpers/git-server.ts";
import {
  describeInBrowser,
  openLock,
  openPage,
  rowOf,
  untilLive,
} from "../helpers/page/browser.ts";
import { claim, startPage } from "../helpers/page/store-page.ts";
import { PATIENT } from "../helpers/waiting.ts";

interface Place {
  readonly url: string;
  readonly secret?: string;
  close(): Promise<void>;
}

const PLACES: Record<string, (() => Promise<Place>) | null> = {
  "a lock directory": async () => ({ url: temporaryDirectory(), async close() {} }),
  "a repository": async () => {
    const secret = "s3cret-of-git";
    const git = await startGitServer({
      access: (_, password) => (password === secret ? "write" : null),
    });
    return { url: git.url, secret, close: () => git.close() };
  },
  Redis: hasRedis
    ? async () => {
        const secret = "s3cret-of-redis";
        const redis = await startRedis({
          settings: ["--requirepass", secret],
          cli: ["-a", secret],
        });
        return { url: await redis.fresh(), secret, close: () => redis.stop() };
      }
    : null,
};

/** Runs a test with a store of its own, which no longer runs afterwards. */
async function onStore(
  make: () => Promise<Place>,
  test: (store: Store, place: Place, env: NodeJS.ProcessEnv) => Promise<void>,
): Promise<void> {
  const place = await make();
  const { secret } = place;
  const env = secret === undefined ? {} : { HOLDFAST_TOKEN: secret };
  const store = await openStore(place.url, secret === undefined ? {} : { token: secret });
  try {
    await test(store, place, env);
  } finally {
    await store.close();
    await place.close();
  }
}

for (const [name, make] of Object.entries(PLACES)) {
  describeInBrowser(`the page of ${name}`, () => {
    it.skipIf(make === null)("shows holder and line, lives, and only looks", async () => {
      await onStore(
        make as () => Promise<Place>,
        async (store, { url, secret = "nobody knows" }, env) => {
          const holding = await claim(store, "production", "ann", { note: "release 5" });
          const started = await startPage(url, [], env);
          const page = await openPage(started.address);
          const bodies: string[] = [];
          page.on("response", (response) => {
            const isWhole = !response.url().endsWith("/events");
            if (isWhole)
              response.text().then(
                (text) => bodies.push(text),
                () => {},
              );
          });
          const row = rowOf(page, "production");
          await row.getByText("ann", { exact: true }).waitFor();
          await row.getByText("release 5").waitFor();
          expect(await page.locator("#store").textContent()).toBe(store.url);
          // The token is kept for this tab, and no longer stands in the address.
          expect(page.url()).toBe(`${started.origin}/`);

          const waiting = claim(store, "production", "bob", { priority: 7 });
          waiting.catch(() => {});
          await row.getByText("1 waiting").waitFor();
          await openLock(page, "production");
          const line = page.locator("#line");
          await line.getByText("bob").waitFor();
          await line.getByText("priority 7").waitFor();

          await holding.release();
          const next = await waiting;
          await row.getByText("bob", { exact: true }).waitFor();
          await page.locator("#history .holds").getByText("ann").waitFor();

          expect(await page.getByRole("button", { name: "Freeze…" }).count()).toBe(0);
          expect(await page.getByRole("button", { name: "Break…" }).count()).toBe(0);
          for (const [method, path] of [
            ["PUT", "/admin/freezes/production?reason=x"],
            ["DELETE", "/admin/freezes/production"],
            ["DELETE", "/admin/locks/production?reason=x"],
          ] as const) {
            const refused = await started.ask(path, { method });
            expect(refused.status, path).toBe(403);
            expect(await refused.json()).toMatchObject({ error: "Read-only" });
          }
          expect((await store.inspect("production")).holders).toHaveLength(1);
          expect((await store.inspect("production")).frozen).toBeNull();
          expect(bodies.join()).not.toContain(secret);
          await next.release();
          await expect.poll(() => row.count(), PATIENT).toBe(0);
        },
      );
    });

    it.skipIf(make === null)("freezes a slot, thaws it, and breaks, where it may", async () => {
      await onStore(make as () => Promise<Place>, async (store, { url }, env) => {
        const resources = ["rig-a", "rig-b", "rig-c"];
        const holding = await claim(store, "rigs", "ann", { resources, weight: 2 });
        const started = await startPage(url, ["--allow-changes"], env);
        const page = await openPage(started.address);
        const row = rowOf(page, "rigs");
        await row.getByText("2 of 3", { exact: true }).waitFor();
        await row.getByText("rig-a, rig-b").waitFor();
        await openLock(page, "rigs");
        await page.locator("#detail-state").getByText("2 of 3 slots held").waitFor();

        await page.getByRole("button", { name: "Freeze…" }).click();
        await page.getByLabel("Reason, for those who wait").fill("its cable is loose");
        await page.getByLabel(/^Who you are/).fill("maria");
        await page.getByLabel("What of it").selectOption("rig-c");
        await page.getByRole("button", { name: "Freeze the key" }).click();
        await page.getByText("Frozen: rig-c").waitFor();
        await row.getByText("1 of 3 frozen").waitFor();
        const [frozen] = (await store.inspect("rigs")).frozenSlots;
        expect(frozen).toMatchObject({ slot: 2, by: "maria", reason: "its cable is loose" });
        await page.locator("#frozen-slots").getByRole("button", { name: "Thaw" }).click();
        await expect.poll(() => page.getByText("Frozen: rig-c").count(), PATIENT).toBe(0);
        expect((await store.inspect("rigs")).frozenSlots).toEqual([]);

        await page.getByRole("button", { name: "Break…" }).click();
        await page.getByLabel("Reason, for the log").fill("unplugged");
        await page.getByLabel(/^Type the key/).fill("rigs");
        await page.getByRole("button", { name: "Break the lock" }).click();
        await page.locator("#detail-state").getByText("Free", { exact: true }).waitFor();
        expect((await store.inspect("rigs")).holders).toEqual([]);
        await holding.release();
      });
    });
  });
}

describeInBrowser("the page of a store", () => {
  it("takes its new address also in the tab that still shows the one before", async () => {
    const store = temporaryDirectory();
    const before = await startPage(store);
    const page = await openPage(before.address);
    before.process.kill("SIGTERM");
    await before.process.ended;
    const started = await startPage(store, ["--port", new URL(before.origin).port]);
    await page.getByLabel("Token", { exact: true }).waitFor();
    await page.goto(started.address);
    await untilLive(page);
    expect(page.url()).toBe(`${started.origin}/`);
  });

  it("says that the store is away, and shows it again when it is back", async () => {
    const git = await startGitServer();
    const store = await openStore(git.url);
    const holding = await claim(store, "production", "ann");
    const started = await startPage(git.url);
    const page = await openPage(started.address);
    await rowOf(page, "production").waitFor();
    await git.stop();
    await page.locator("#live[data-state=lost]").waitFor({ timeout: 120_000 });
    await page
      .locator("#banner")
      .getByText(/cannot be reached|did not answer|STORE|answer/)
      .waitFor({
        timeout: 120_000,
      });
    await git.listen();
    await page.locator("#live[data-state=live]").waitFor({ timeout: 120_000 });
    await holding.release();
    await store.close();
    await git.close();
  });
});
