import { expect, it } from "vitest";
import { hold, holdAndDie, store } from "../helpers/cli/holding.ts";
import { describeInBrowser, openPage, rowOf, shownKeys } from "../helpers/page/browser.ts";
import { startPage } from "../helpers/page/store-page.ts";
import { startPanel } from "../helpers/panel/panel.ts";
import { PATIENT } from "../helpers/waiting.ts";

describeInBrowser("the list on the page", () => {
  it("marks what is overdue and what is frozen, and nothing that is well", async () => {
    const server = await startPanel();
    const client = await server.keeper("ci-1");
    for (let times = 0; times < 3; times += 1) await client.free("late", await client.take("late"));
    await client.take("late", { lease: 600 });
    await client.take("well", { lease: 600 });
    await server.ask("/admin/freezes/late?reason=incident+42&owner=ann", { method: "PUT" });
    const page = await openPage(server.address);
    const badges = (key: string) => rowOf(page, key).locator(".badge").allTextContents();
    await expect.poll(() => badges("late"), PATIENT).toEqual(["overdue", "frozen"]);
    expect(await badges("well")).toEqual([]);
  });

  it("marks a holder that has not been heard of for most of its time, until it is", async () => {
    const server = await startPanel();
    const client = await server.keeper("ci-1");
    const token = await client.take("k", { lease: 600 });
    const page = await openPage(server.address);
    const badge = rowOf(page, "k").locator(".badge");
    expect(await badge.count()).toBe(0);
    await page.evaluate("((now) => { Date.now = () => now() + 500_000 })(Date.now)");
    await badge.getByText("silent", { exact: true }).waitFor();
    expect(await badge.getAttribute("title")).toMatch(
      /^stopped, or cut off: last heard of 8m \d+s ago$/,
    );
    expect(await client.ask(`n\nk\n${token} 3000\n`)).toMatch(/^ok/);
    await badge.waitFor({ state: "detached" });
  });

  it("marks a holder on this machine that is gone or stopped, as list does", async () => {
    const at = store();
    await holdAndDie(at);
    const halt = await hold(at, ["--owner", "me"], "halt");
    halt.killGroup("SIGSTOP");
    await hold(at, ["--owner", "me"], "well");
    const page = await openPage((await startPage(at.env.HOLDFAST_STORE)).address);
    const badges = (key: string) => rowOf(page, key).locator(".badge").allTextContents();
    await expect.poll(() => badges("k"), PATIENT).toEqual(["gone"]);
    await expect.poll(() => badges("halt"), PATIENT).toEqual(["stopped"]);
    expect(await badges("well")).toEqual([]);
    halt.killGroup("SIGCONT");
    await expect.poll(() => badges("halt"), PATIENT).toEqual([]);
  });

  it("says of a free key since when it is frozen, not that it is held", async () => {
    const server = await startPanel();
    await server.ask("/admin/freezes/k?reason=incident+42&owner=ann", { method: "PUT" });
    const page = await openPage(server.address);
    const row = rowOf(page, "k");
    await row.getByText(/^Frozen for [1-9]\d*s by ann: incident 42$/).waitFor();
    expect(await row.locator(".time").textContent()).toBe("");
    await row.locator(".key").click();
    await page
      .locator("#frozen")
      .getByText(/^Frozen for \d+s by ann$/)
      .waitFor();
  });

  it("has a heading above keys with one prefix, where it is sorted by key", async () => {
    const server = await startPanel();
    const client = await server.keeper("me");
    const keys = ["web/eu", "api", "web-old", "Web/us", "web/us", "alone/eu"];
    const tokens = new Map<string, string>();
    for (const key of keys) tokens.set(key, await client.take(key));
    const page = await openPage(server.address);
    const lines = () =>
      page
        .locator("#list > :not([hidden]):is(.group, .row)")
        .locator("xpath=self::*[contains(@class, 'group')] | .//button")
        .allTextContents();
    expect(await page.locator(".group").count()).toBe(0);
    await page.locator("#sort").selectOption("key");
    const sorted = ["alone/eu", "api", "web-old", "web/", "web/eu", "web/us", "Web/us"];
    expect(await lines()).toEqual(sorted);
    await page.locator("#filter").fill("old");
    expect(await lines()).toEqual(["web-old"]);
    await page.locator("#filter").fill("");
    expect(await lines()).toEqual(sorted);
    await client.free("web/eu", tokens.get("web/eu") as string);
    await expect.poll(lines, PATIENT).toEqual(sorted.filter((key) => !/^web\/(?:eu)?$/.test(key)));
    await page.locator("#sort").selectOption("held");
    expect(await shownKeys(page)).toEqual(["api", "web-old", "Web/us", "web/us", "alone/eu"]);
  });
});
