import { expect, it } from "vitest";
import {
  describeInBrowser,
  openLock,
  openPage,
  rowOf,
  shownKeys,
} from "../helpers/page/browser.ts";
import { startPanel } from "../helpers/panel/panel.ts";
import { PATIENT } from "../helpers/waiting.ts";

const RUN = { run_url: "https://ci.example/acme/shop/runs/42", repository: "acme/shop" };

describeInBrowser("the page", () => {
  it("without locks tells how to take the first one", async () => {
    const server = await startPanel();
    const page = await openPage(server.address);
    await page.getByText("Nobody holds a lock").waitFor();
    expect(await page.locator("#first-command").textContent()).toBe(
      `holdfast run production --store ${server.address} -- ./deploy.sh`,
    );
    expect(await page.title()).toBe("Holdfast");
  });

  it("shows a lock when it is taken, queued for, handed on and freed", async () => {
    const server = await startPanel();
    const page = await openPage(server.address);
    const first = await server.keeper("ci-1", "v1.2.3", RUN);
    const token = await first.take("production");
    const row = rowOf(page, "production");
    await row.waitFor();
    expect(await row.locator(".note").textContent()).toBe("v1.2.3");
    const link = row.locator("a.owner");
    expect(await link.textContent()).toBe("acme/shop (ci-1)");
    expect(await link.getAttribute("href")).toBe(RUN.run_url);
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
    await expect.poll(() => page.title(), PATIENT).toBe("1 held · Holdfast");
    await expect.poll(() => page.locator("#empty").isVisible(), PATIENT).toBe(false);

    const second = await server.keeper("ci-2");
    second.send("l\nproduction\n60\n");
    await row.getByText("1 waiting").waitFor();

    await first.free("production", token);
    await row.getByText("ci-2").waitFor();
    await expect.poll(() => row.locator(".line").textContent(), PATIENT).toBe("");

    second.hangUp();
    await row.waitFor({ state: "detached" });
    await page.getByText("Nobody holds a lock").waitFor();
  });

  it("shows locks of HTTP sessions, and how long they are held, by the second", async () => {
    const server = await startPanel();
    const page = await openPage(server.address);
    const session = await server.session("by-hand");
    await server.lock(session, "db/main", "acquire");
    const time = rowOf(page, "db/main").locator(".time");
    await time.waitFor();
    await expect.poll(() => time.textContent(), PATIENT).toMatch(/^[1-9]\d*s$/);
    const before = await time.textContent();
    await expect.poll(() => time.textContent(), PATIENT).not.toBe(before);
    expect(await page.locator("#held").textContent()).toBe("1");
    await server.lock(session, "db/main", "release");
    await rowOf(page, "db/main").waitFor({ state: "detached" });
  });

  it("opens a lock: holder, fence, everything about the run, and who waits in order", async () => {
    const server = await startPanel();
    const holder = await server.keeper("ci-1", "v1.2.3", { ...RUN, hostname: "runner-3" });
    await holder.take("production", { lease: 60 });
    const waiters = ["ci-2", "ci-3", "ci-4"];
    for (const [index, id] of waiters.entries()) {
      (await server.keeper(id, `note of ${id}`, RUN)).send("l\nproduction\n600\n");
      const waiting = async () => (await server.key("production")).waiting;
      await expect.poll(waiting, PATIENT).toBe(index + 1);
    }
    const page = await openPage(server.address);
    await openLock(page, "production");
    const detail = page.locator("#detail");
    const fence = (await server.key("production")).holders[0]?.fence;
    expect(await detail.getByRole("heading", { level: 2 }).textContent()).toBe("production");
    const facts = await detail.locator(".facts").textContent();
    for (const words of [String(fence), "acme/shop", "runner-3", "TCP", "1m,"]) {
      expect(facts).toContain(words);
    }
    expect(await detail.locator(".owner-line").textContent()).toBe("acme/shop (ci-1) ci.example ↗");
    expect(await detail.locator("#line .owner").allTextContents()).toEqual(
      waiters.map((id) => `acme/shop (${id})`),
    );
    expect(await detail.locator("#line .note").first().textContent()).toBe("note of ci-2");
    await page.getByRole("button", { name: "Close details" }).click();
    expect(await detail.isVisible()).toBe(false);
  });

  it("follows the open lock live, and shows it as free when it is", async () => {
    const server = await startPanel();
    const [one, two] = [await server.keeper("ci-1"), await server.keeper("ci-2")];
    const token = await one.take("k");
    const page = await openPage(server.address);
    await openLock(page, "k");
    const detail = page.locator("#detail");
    await expect.poll(() => detail.locator("#line-section").isVisible(), PATIENT).toBe(false);
    two.send("l\nk\n600\n");
    await detail.locator("#line").getByText("ci-2").waitFor();
    await one.free("k", token);
    await detail.locator(".holder").getByText("ci-2").waitFor();
    two.hangUp();
    await detail.getByText("Free", { exact: true }).waitFor();
    expect(await detail.locator(".holder").count()).toBe(0);
  });

  it("draws the last hold times of the open lock, and adds the one that ends", async () => {
    const server = await startPanel();
    const client = await server.keeper("ci-1", null, RUN);
    for (let times = 0; times < 5; times += 1) await client.free("k", await client.take("k"));
    const token = await client.take("k");
    const page = await openPage(server.address);
    await openLock(page, "k");
    const bars = page.locator("#history .bar");
    await expect.poll(() => bars.count(), PATIENT).toBe(5);
    expect(await page.getByRole("img", { name: /5 holds: usually .+, longest/ }).count()).toBe(1);
    expect(await page.locator(".holds tbody tr").count()).toBe(5);
    await client.free("k", token);
    await expect.poll(() => bars.count(), PATIENT).toBe(6);
    expect(await page.locator("#history .bar.rough").count()).toBe(0);
  });

  it("shows how many slots of a key are held", async () => {
    const server = await startPanel();
    const client = await server.keeper("ci-1");
    await client.take("farm", { limit: 4 });
    await client.take("farm", { limit: 4 });
    const page = await openPage(server.address);
    expect(await rowOf(page, "farm").locator(".slots").textContent()).toBe("2 of 4");
    await openLock(page, "farm");
    await page.locator("#detail").getByText("2 of 4 slots held").waitFor();
    expect(await page.locator(".holder").count()).toBe(2);
  });

  it("opens the lock that its address names, and keeps it there", async () => {
    const server = await startPanel();
    await (await server.keeper("me")).take("a%20b/ü");
    const page = await openPage(`${server.address}/#${encodeURIComponent("a b/ü")}`);
    const title = page.locator("#detail h2");
    expect(await title.textContent()).toBe("a b/ü");
    await page.reload();
    await page.locator(".holder").getByText("me").waitFor();
  });

  it("sorts by time held, by age, by line and by key", async () => {
    const server = await startPanel();
    const client = await server.keeper("me");
    for (const key of ["b", "c", "a"]) await client.take(key);
    (await server.keeper("next")).send("l\nc\n600\n");
    await expect.poll(async () => (await server.key("c")).waiting, PATIENT).toBe(1);
    const page = await openPage(server.address);
    expect(await shownKeys(page)).toEqual(["b", "c", "a"]);
    const orders = { newest: ["a", "c", "b"], line: ["c", "b", "a"], key: ["a", "b", "c"] };
    for (const [order, keys] of Object.entries(orders)) {
      await page.locator("#sort").selectOption(order);
      expect(await shownKeys(page), order).toEqual(keys);
    }
    await client.take("aa");
    await expect.poll(() => shownKeys(page), PATIENT).toEqual(["a", "aa", "b", "c"]);
  });
});
