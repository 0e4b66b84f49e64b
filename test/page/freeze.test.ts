import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryDirectory } from "../helpers/directories.ts";
import {
  describeInBrowser,
  openLock,
  openPage,
  openTab,
  rowOf,
  untilLive,
} from "../helpers/page/browser.ts";
import { startPanel } from "../helpers/panel/panel.ts";
import { PATIENT } from "../helpers/waiting.ts";

describeInBrowser("freezing a key on the page", () => {
  it("takes a reason and a time, shows a banner, and thaws", async () => {
    const server = await startPanel();
    const holder = await server.keeper("ci-1");
    const token = await holder.take("production", { lease: 600 });
    const page = await openPage(server.address);
    await openLock(page, "production");
    await page.getByRole("button", { name: "Freeze…" }).click();
    await page.getByRole("dialog", { name: "Freeze this key?" }).waitFor();
    const go = page.getByRole("button", { name: "Freeze the key" });
    expect(await go.isDisabled()).toBe(true);
    await page.getByLabel("Reason, for those who wait").fill("incident <b>42</b>");
    await page.getByLabel(/^Who you are/).fill("maria");
    await page.getByLabel("For how long").selectOption("4 hours");
    await go.click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.locator("#frozen").getByText("incident <b>42</b>").waitFor();
    await rowOf(page, "production").getByText("frozen", { exact: true }).waitFor();
    const { frozen } = await server.key("production");
    expect(frozen).toMatchObject({ by: "maria", reason: "incident <b>42</b>" });
    expect(Date.parse(frozen?.until ?? "") - Date.parse(frozen?.since ?? "")).toBe(4 * 3_600_000);
    // The row stays when the holder is gone: it is what people look for.
    await holder.free("production", token);
    await page.getByText("Free, and frozen").waitFor();
    await rowOf(page, "production").getByText("frozen", { exact: true }).waitFor();
    expect(await holder.ask("l\nproduction\n0\n")).toBe("timeout");
    await page.getByRole("button", { name: "Thaw" }).click();
    await page.locator("#frozen").waitFor({ state: "hidden" });
    await expect.poll(() => rowOf(page, "production").count(), PATIENT).toBe(0);
    await page.locator(".past-freeze").getByText("by maria: incident").waitFor();
    expect((await server.key("production")).frozen).toBeUndefined();
  });

  it("is not offered to a token that may only look, nor is a break", async () => {
    const file = join(temporaryDirectory(), "read-token");
    writeFileSync(file, "for-looking\n", { mode: 0o600 });
    const server = await startPanel({ "auth-token": "secret", "read-token-file": file }, "secret");
    await (await server.keeper("ci-1")).take("production");
    const page = await openTab();
    await page.goto(server.address);
    await page.getByLabel("Token", { exact: true }).fill("for-looking");
    await page.getByRole("button", { name: "Show the locks" }).click();
    await untilLive(page);
    await openLock(page, "production");
    await page.locator(".holder").getByText("ci-1").waitFor();
    expect(await page.getByRole("button", { name: "Break…" }).isVisible()).toBe(false);
    expect(await page.getByRole("button", { name: "Freeze…" }).isVisible()).toBe(false);
  });
});

describeInBrowser("the timeline of all keys", () => {
  it("hatches the freezes that are over, and one that is not", async () => {
    const server = await startPanel();
    const client = await server.keeper("ci-1");
    await client.free("k", await client.take("k"));
    const freeze = (key: string, method: string, slot = "") =>
      server.ask(`/admin/freezes/${key}?owner=ann&reason=incident${slot}`, { method });
    await freeze("k", "PUT");
    await freeze("k", "DELETE");
    await freeze("never-held", "PUT");
    const page = await openPage(server.address);
    await page.getByText("Timeline of all keys").click();
    const cold = page.locator("#timeline .bar.freeze");
    await expect.poll(() => cold.count(), PATIENT).toBe(2);
    for (const bar of await cold.all()) {
      expect(await bar.getAttribute("fill")).toBe("url(#hatch)");
      expect(await bar.locator("title").textContent()).toMatch(/^Frozen for .+ by ann: incident$/);
    }
    await freeze("k", "PUT");
    await expect.poll(() => cold.count(), PATIENT).toBe(3);
    await client.take("one", { lease: 600 });
    await freeze("one", "PUT", "&slot=0");
    const slot = page.locator("#timeline .bar.freeze title", { hasText: /^Slot 0 frozen for / });
    await expect.poll(() => slot.count(), PATIENT).toBe(1);
  });

  it("has a line a key and a bar a hold, also of what is held now", async () => {
    const server = await startPanel();
    const client = await server.keeper("ci-1", null, { repository: "acme/shop", actor: "ann" });
    for (const key of ["a", "a", "b"]) await client.free(key, await client.take(key));
    await client.take("c", { lease: 600 });
    await server.ask("/admin/locks/c?reason=stuck", { method: "DELETE" });
    await (await server.keeper("ci-2")).take("b", { lease: 600 });
    const page = await openPage(server.address);
    await page.getByText("Timeline of all keys").click();
    const lines = page.locator("#timeline .span");
    await expect.poll(() => lines.count(), PATIENT).toBe(3);
    expect(await lines.locator("button").allTextContents()).toEqual(["c", "b", "a"]);
    const bars = async (key: string, kind: string) =>
      lines
        .filter({ hasText: new RegExp(`^${key}`) })
        .locator(`.bar.${kind}`)
        .count();
    expect([await bars("a", "calm"), await bars("b", "calm"), await bars("b", "now")]).toEqual([
      2, 1, 1,
    ]);
    expect(await bars("c", "rough")).toBe(1);
    expect(await lines.first().locator("title").textContent()).toContain("broken: stuck");
    // All of this happened just now: the picture of a day begins with it.
    const scale = await page.locator("#timeline .scale span").allTextContents();
    expect(scale).toEqual([expect.stringMatching(/^\d\d:\d\d:\d\d$/), expect.anything(), "now"]);
    const first = lines.last().locator(".bar.calm").last();
    expect(Number.parseFloat((await first.getAttribute("x")) ?? "")).toBeLessThan(50);
    await page.locator("#timeline-range").selectOption("hour");
    await expect.poll(() => lines.count(), PATIENT).toBe(3);
    await lines.last().locator("button").click();
    await page.locator("#detail-key").getByText("a", { exact: true }).waitFor();
  });
});
