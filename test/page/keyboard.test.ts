import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser, openPage, shownKeys } from "../helpers/page/browser.ts";
import { startPanel } from "../helpers/panel/panel.ts";
import { PATIENT } from "../helpers/waiting.ts";

const focused = (page: Page): Promise<string> =>
  page.evaluate("document.activeElement?.id || document.activeElement?.textContent");

describeInBrowser("the keyboard", () => {
  it("filters, moves, opens and closes without a mouse", async () => {
    const server = await startPanel();
    const client = await server.keeper("me");
    for (const key of ["alpha", "beta", "gamma", "delta"]) await client.take(key);
    const page = await openPage(server.address);
    await page.keyboard.press("j");
    expect(await focused(page)).toBe("alpha");
    await page.keyboard.press("j");
    await page.keyboard.press("ArrowDown");
    expect(await focused(page)).toBe("gamma");
    await page.keyboard.press("k");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    expect(await focused(page)).toBe("alpha");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    const title = page.locator("#detail h2");
    await expect.poll(() => title.textContent(), PATIENT).toBe("beta");
    await page.keyboard.press("j");
    await expect.poll(() => title.textContent(), PATIENT).toBe("gamma");
    await page.keyboard.press("Escape");
    expect(await page.locator("#detail").isVisible()).toBe(false);
    expect(await focused(page)).toBe("gamma");

    await page.keyboard.press("/");
    expect(await focused(page)).toBe("filter");
    await page.keyboard.type("ta");
    expect(await shownKeys(page)).toEqual(["beta", "delta"]);
    expect(await page.locator("#matches").textContent()).toBe("2 of 4");
    await page.keyboard.press("ArrowDown");
    expect(await focused(page)).toBe("beta");
    await page.keyboard.press("j");
    expect(await focused(page)).toBe("delta");
    await page.keyboard.press("Escape");
    expect(await shownKeys(page)).toHaveLength(4);
  });

  it("reaches one row with Tab, not all of them", async () => {
    const server = await startPanel();
    const client = await server.keeper("me");
    for (let index = 0; index < 20; index += 1) await client.take(`k-${index}`);
    const page = await openPage(server.address);
    expect(await page.locator("button.key[tabindex='0']").count()).toBe(1);
    await page.locator("#sort").focus();
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("k-0");
  });

  it("keeps its place when the row moves or others come and go", async () => {
    const server = await startPanel();
    const [one, two] = [await server.keeper("one"), await server.keeper("two")];
    const token = await one.take("moves");
    await one.take("stays");
    const page = await openPage(server.address);
    await page.keyboard.press("j");
    expect(await focused(page)).toBe("moves");
    two.send("l\nmoves\n600\n");
    await page.locator(".row").getByText("1 waiting").waitFor();
    await one.free("moves", token);
    await expect.poll(() => shownKeys(page), PATIENT).toEqual(["stays", "moves"]);
    expect(await focused(page)).toBe("moves");
    await one.take("new");
    await expect.poll(() => shownKeys(page), PATIENT).toHaveLength(3);
    expect(await focused(page)).toBe("moves");
  });

  it("tells a screen reader what changes", async () => {
    const server = await startPanel();
    const page = await openPage(server.address);
    await (await server.keeper("ci-1")).take("production");
    const region = page.locator("#announce[aria-live=polite]");
    await expect.poll(() => region.textContent(), PATIENT).toBe("production is held by ci-1");
    expect(await page.getByRole("status").textContent()).toBe("Live");
    expect(await page.getByRole("list").count()).toBe(1);
    expect(await page.getByRole("searchbox", { name: "Filter locks" }).count()).toBe(1);
    const row = page.getByRole("button", { name: "production", expanded: false });
    await row.click();
    await page.getByRole("complementary", { name: "production" }).waitFor();
    expect(await page.getByRole("button", { name: "production", expanded: true }).count()).toBe(1);
  });
});
