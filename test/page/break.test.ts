import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser, openLock, openPage } from "../helpers/page/browser.ts";
import { startPanel } from "../helpers/panel/panel.ts";
import { PATIENT } from "../helpers/waiting.ts";

async function askToBreak(page: Page, key: string): Promise<void> {
  await openLock(page, key);
  await page.getByRole("button", { name: "Break…" }).first().click();
  await page.getByRole("dialog", { name: "Break this lock?" }).waitFor();
}

const go = (page: Page) => page.getByRole("button", { name: "Break the lock" });
const reason = (page: Page) => page.getByLabel("Reason, for the log");
const typed = (page: Page) => page.getByLabel(/^Type the key/);

describeInBrowser("breaking a lock on the page", () => {
  it("takes a reason and the typed key, and hands the lock on", async () => {
    const server = await startPanel();
    const holder = await server.keeper("ci-1");
    await holder.take("production", { lease: 600 });
    const next = await server.keeper("ci-2");
    next.send("l\nproduction\n600\n");
    const page = await openPage(server.address);
    await askToBreak(page, "production");
    expect(await page.locator("#break-owner").textContent()).toBe("ci-1");
    await reason(page).fill("runner died");
    await page.getByLabel(/^Your name/).fill("maria");
    await typed(page).fill("production");
    await go(page).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.locator(".holder").getByText("ci-2").waitFor();
    expect(await next.line()).toMatch(/^ok /);
    expect(server.printed.log).toMatch(/break asked for .*by=maria .*reason="runner died"/);
    await expect.poll(() => page.locator("#history .bar.rough").count(), PATIENT).toBe(1);
  });

  it("does nothing for another key, for none, or without a reason", async () => {
    const server = await startPanel();
    await (await server.keeper("ci-1")).take("production");
    const page = await openPage(server.address);
    await askToBreak(page, "production");
    await reason(page).fill("because");
    expect(await go(page).isDisabled()).toBe(true);
    for (const wrong of ["production ", "Production", "productions"]) {
      await typed(page).fill(wrong);
      await page.getByText("That is not the key.").waitFor();
      expect(await go(page).isDisabled(), wrong).toBe(true);
      await typed(page).press("Enter");
    }
    await reason(page).fill("   ");
    await typed(page).fill("production");
    expect(await go(page).isDisabled()).toBe(true);
    await typed(page).press("Enter");
    expect((await server.key("production")).holders).toHaveLength(1);
    expect(server.printed.log).not.toContain("break asked for");
    await page.getByRole("button", { name: "Keep it" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  });

  it("leaves the next holder alone where the lock went on meanwhile", async () => {
    const server = await startPanel();
    const first = await server.keeper("ci-1");
    const token = await first.take("production");
    const next = await server.keeper("ci-2");
    next.send("l\nproduction\n600\n");
    await expect.poll(async () => (await server.key("production")).waiting, PATIENT).toBe(1);
    const page = await openPage(server.address);
    await askToBreak(page, "production");
    await first.free("production", token);
    await next.line();
    await reason(page).fill("looked stuck");
    await typed(page).fill("production");
    await go(page).click();
    await page.locator("#break-trouble").getByText("is over: nothing was broken").waitFor();
    expect((await server.key("production")).holders).toMatchObject([{ owner: "ci-2" }]);
  });

  it("takes one slot, of the holder that was chosen", async () => {
    const server = await startPanel();
    for (const id of ["a", "b", "c"]) await (await server.keeper(id)).take("farm", { limit: 3 });
    const page = await openPage(server.address);
    await openLock(page, "farm");
    await page.locator(".holder").filter({ hasText: /^b/ }).getByRole("button").click();
    await reason(page).fill("stuck");
    await typed(page).fill("farm");
    await typed(page).press("Enter");
    await page.getByText("2 of 3 slots held").waitFor();
    expect((await server.key("farm")).holders.map(({ owner }) => owner)).toEqual(["a", "c"]);
  });
});
