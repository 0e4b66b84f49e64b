import { expect, it } from "vitest";
import { formatDuration } from "../../src/lock/duration.ts";
import { describeInBrowser, openLock, openPage, openTab, rowOf } from "../helpers/page/browser.ts";
import { breakPath, startPanel } from "../helpers/panel/panel.ts";
import { PATIENT } from "../helpers/waiting.ts";

const RELEASE = {
  ...{ ci_system: "github", repository: "acme/shop", workflow: "Release", run_number: "128" },
  ...{ ref: "refs/heads/main", actor: "maria", hostname: "r-3" },
};
const LEAD = "Release #128 of acme/shop (main), started by maria";

describeInBrowser("what people look for on the page", () => {
  it("is workflow, run, repository, branch and actor before ids, and the rest folded below", async () => {
    const server = await startPanel();
    await (await server.keeper("ci-github-1-1-deploy", "v1", RELEASE)).take("production");
    const next = { ...RELEASE, run_number: "129" };
    (await server.keeper("ci-github-2-1-deploy", null, next)).send("l\nproduction\n600\n");
    const page = await openPage(server.address);
    expect(await rowOf(page, "production").locator(".owner").textContent()).toBe(LEAD);
    await openLock(page, "production");
    const card = page.locator(".holder");
    expect(await card.locator(".owner-line").textContent()).toBe(LEAD);
    const inLine = () => page.locator("#line .owner").textContent();
    await expect.poll(inLine, PATIENT).toBe(LEAD.replace("128", "129"));
    expect(await card.getByText("ci-github-1-1-deploy").isVisible()).toBe(false);
    await card.getByText("All about this holder").click();
    expect(await card.getByText("ci-github-1-1-deploy").isVisible()).toBe(true);
    expect(await card.getByText("r-3").isVisible()).toBe(true);
  });

  it("is why a lock was broken; and a broken hold does not count as usual", async () => {
    const server = await startPanel();
    const client = await server.keeper("ci-1");
    await client.take("k");
    const query = { reason: "runner unplugged", owner: "tom" };
    await server.ask(breakPath("k", query), { method: "DELETE" });
    const page = await openPage(`${server.address}/#k`);
    const history = page.locator("#history");
    await history.locator(".doubt").getByText("broken by tom: runner unplugged").waitFor();
    expect(await history.getByRole("img", { name: /^1 hold: longest/ }).count()).toBe(1);
    const next = await server.keeper("ci-2");
    await next.free("k", await next.take("k"));
    await history.getByRole("img", { name: /^2 holds: usually .+, longest/ }).waitFor();
  });

  it("is whether a holder is over its usual time, and when it is whose turn", async () => {
    const server = await startPanel();
    const client = await server.keeper("ci-1");
    for (let times = 0; times < 3; times += 1) {
      const token = await client.take("k");
      // Long enough to be told in milliseconds.
      await new Promise((resolve) => setTimeout(resolve, 20));
      await client.free("k", token);
    }
    await client.take("k");
    await client.take("never-held-before");
    for (const [index, id] of ["ci-2", "ci-3"].entries()) {
      (await server.keeper(id)).send("l\nk\n600\n");
      await expect.poll(async () => (await server.key("k")).waiting, PATIENT).toBe(index + 1);
    }
    const page = await openPage(server.address);
    await rowOf(page, "k")
      .locator(".late")
      .getByText(/^usually \d+ms$/)
      .waitFor();
    expect(await rowOf(page, "never-held-before").locator(".late").textContent()).toBe("");
    await openLock(page, "k");
    await page
      .locator(".holder.overdue")
      .getByText(/usually \d+ms: it may be stuck/)
      .waitFor();
    const turns = () => page.locator("#line .turn").allTextContents();
    const after = expect.stringMatching(/^, about \d+ms after this hold$/);
    await expect.poll(turns, PATIENT).toEqual([", next", after]);
    // Of one hold the page, the command line and the file of a store say the same words.
    const { usual } = await server.key("k");
    expect(await page.locator(".holder .usual").textContent()).toContain(
      `usually ${formatDuration(usual?.median ?? 0)}`,
    );
  });

  it("is a key that is free by now, and its history", async () => {
    const server = await startPanel();
    const client = await server.keeper("ci-github-1-1-x", null, RELEASE);
    await client.free("nightly", await client.take("nightly"));
    const token = await client.take("production");
    const page = await openPage(server.address);
    const recent = page.locator("#recent-list li");
    await recent.getByText(`by ${LEAD}`).waitFor();
    expect(await recent.getByRole("button").allTextContents()).toEqual(["nightly"]);
    await client.free("production", token);
    await expect
      .poll(() => recent.getByRole("button").allTextContents(), PATIENT)
      .toEqual(["production", "nightly"]);
    await recent.getByRole("button", { name: "nightly" }).click();
    await page.locator("#detail").getByText("Free", { exact: true }).waitFor();
    await page.locator("#history .bar").waitFor();
    await client.take("nightly");
    await expect
      .poll(() => recent.getByRole("button").allTextContents(), PATIENT)
      .toEqual(["production"]);
  });

  it("is a command that can be copied, and is shown whole on a phone", async () => {
    const server = await startPanel();
    const page = await openTab({
      viewport: { width: 340, height: 700 },
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.goto(server.address);
    await page.getByText("Nobody holds a lock").waitFor();
    const command = page.locator("#first-command");
    const cut = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.getElementById("first-command"))`;
    expect(await page.evaluate(cut)).toBe(0);
    await page.getByRole("button", { name: "Copy" }).first().click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(await command.textContent());
  });

  it("logs no failed authentication where it only asks for the token", async () => {
    const server = await startPanel({ "auth-token": "right-token" }, "right-token");
    const page = await openTab();
    await page.goto(server.address);
    await page.getByRole("dialog", { name: "This server has a token" }).waitFor();
    expect(server.printed.log).not.toContain("authentication failed");
    await page.getByLabel("Token", { exact: true }).fill("wrong-token");
    await page.keyboard.press("Enter");
    await expect.poll(() => server.printed.log, PATIENT).toContain("authentication failed");
  });
});
