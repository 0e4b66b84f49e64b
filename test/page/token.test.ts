import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryDirectory } from "../helpers/directories.ts";
import { githubClaims, LocalIssuer } from "../helpers/identity/issuer.ts";
import { describeInBrowser, openLock, openTab, rowOf, untilLive } from "../helpers/page/browser.ts";
import { startPanel } from "../helpers/panel/panel.ts";

const TOKEN = "a token of the server: größer";

describeInBrowser("on a server with a token the page", () => {
  it("asks for it, refuses a wrong one, and keeps the right one for this tab alone", async () => {
    const server = await startPanel({ "auth-token": "right-token" }, "right-token");
    await (await server.keeper("ci-1")).take("production");
    const page = await openTab();
    await page.goto(server.address);
    const dialog = page.getByRole("dialog", { name: "This server has a token" });
    await dialog.waitFor();
    expect(await page.locator(".row").count()).toBe(0);
    await page.keyboard.press("Escape");
    expect(await dialog.isVisible()).toBe(true);

    await dialog.getByLabel("Token", { exact: true }).fill("wrong-token");
    await dialog.getByRole("button").click();
    await dialog.getByText("The server does not take this token.").waitFor();
    expect(await page.evaluate("sessionStorage.getItem('holdfast-token')")).toBeNull();

    await dialog.getByLabel("Token", { exact: true }).fill("right-token");
    await page.keyboard.press("Enter");
    await rowOf(page, "production").waitFor();
    expect(await dialog.isVisible()).toBe(false);
    expect(await page.evaluate("localStorage.length")).toBe(0);
    expect(await page.evaluate("document.cookie")).toBe("");

    await page.reload();
    await untilLive(page);
    await rowOf(page, "production").waitFor();

    await page.getByRole("button", { name: "Forget token" }).click();
    await dialog.waitFor();
    expect(await page.evaluate("sessionStorage.getItem('holdfast-token')")).toBeNull();
  });

  it("takes it from an address that is pasted into the open page, and keeps it out of sight", async () => {
    const server = await startPanel({ "auth-token": "right-token" }, "right-token");
    const client = await server.keeper("ci-1");
    for (const key of ["production", "staging"]) await client.take(key);
    const page = await openTab();
    await page.goto(`${server.address}/#token=of-the-server-before`);
    await page.getByRole("dialog", { name: "This server has a token" }).waitFor();
    await page.goto(`${server.address}/#token=right-token`);
    await rowOf(page, "production").waitFor();
    expect(page.url()).not.toContain("token");
    // So does a key.
    for (const key of ["production", "staging"]) {
      await page.goto(`${server.address}/#${key}`);
      await page.locator("#detail-key").getByText(key, { exact: true }).waitFor();
    }
  });

  it("breaks and asks for history with it", async () => {
    const server = await startPanel({ "auth-token": "right-token" }, "right-token");
    const client = await server.keeper("ci-1");
    await client.free("k", await client.take("k"));
    await client.take("k");
    const page = await openTab();
    await page.goto(`${server.address}/#k`);
    await page.getByLabel("Token", { exact: true }).fill("right-token");
    await page.keyboard.press("Enter");
    await page.locator("#history .bar").waitFor();
    await page.getByRole("button", { name: "Break…" }).click();
    await page.getByLabel("Reason, for the log").fill("test");
    await page.getByLabel(/^Type the key/).fill("k");
    await page.getByRole("button", { name: "Break the lock" }).click();
    await page.locator("#detail").getByText("Free", { exact: true }).waitFor();
  });

  it("sends one with spaces and letters beyond ASCII as it is", async () => {
    const server = await startPanel({ "auth-token": TOKEN });
    const page = await openTab();
    await page.goto(server.address);
    await page.getByLabel("Token", { exact: true }).fill(TOKEN);
    await page.keyboard.press("Enter");
    await untilLive(page);
    expect(await page.locator("#first-command").textContent()).toMatch(
      /^HOLDFAST_TOKEN=… holdfast/,
    );
    expect(await page.locator("#empty").textContent()).not.toContain(TOKEN);
  });

  it("shows a job by what its issuer signed, whatever its client says of it", async () => {
    const issuer = await LocalIssuer.open();
    const policy = join(temporaryDirectory(), "policy.json");
    const entry = { name: "github", url: issuer.url, audience: "https://locks.acme.dev" };
    const claims = { repository_owner_id: "1234" };
    const rule = { issuer: "github", claims, keys: ["production"], may: ["claim"] };
    writeFileSync(policy, JSON.stringify({ issuers: [entry], rules: [rule] }));
    const server = await startPanel({ "auth-token": "right-token", policy }, "right-token");
    const opened = await server.ask("/auth/session", {
      method: "POST",
      headers: { authorization: `Bearer ${await issuer.token(githubClaims())}` },
      body: JSON.stringify({ owner: "evil", metadata: { actor: "evil", repository: "evil/evil" } }),
    });
    await issuer.close();
    const { sessionId } = (await opened.json()) as { sessionId: string };
    expect((await server.lock(sessionId, "production", "acquire")).status).toBe(200);
    const page = await openTab();
    await page.goto(server.address);
    await page.getByLabel("Token", { exact: true }).fill("right-token");
    await page.keyboard.press("Enter");
    const lead = /^Release #456 of acme\/shop \(main, job .*\), started by ann$/;
    expect(await rowOf(page, "production").locator(".owner").textContent()).toMatch(lead);
    await openLock(page, "production");
    const card = page.locator(".holder");
    await card.getByText("All about this holder").click();
    for (const fact of ["ci-actions-456-1-987", "acme/shop", "refs/heads/main", "ann"]) {
      expect(await card.getByText(fact, { exact: true }).isVisible()).toBe(true);
    }
    expect(await page.getByText("evil").count()).toBe(0);
  });
});
