import { expect, it } from "vitest";
import {
  describeInBrowser,
  openLock,
  openPage,
  rowOf,
  untilLive,
} from "../helpers/page/browser.ts";
import { Restartable } from "../helpers/server/restartable.ts";
import { PATIENT } from "../helpers/waiting.ts";

describeInBrowser("when the server goes away the page", () => {
  it("says so, keeps what it knew, and comes back by itself with what is true then", async () => {
    const server = await Restartable.start(["--http-port", "0"]);
    const keeper = await server.keeper("ci-1");
    await keeper.take("production", { lease: 600 });
    await (await server.plain()).take("fleeting");
    const page = await openPage(`http://127.0.0.1:${server.httpPort}`);
    await rowOf(page, "fleeting").waitFor();
    await server.end();
    await page.getByRole("alert").getByText("The connection to the server is lost.").waitFor();
    expect(await page.locator("#live").getAttribute("data-state")).toBe("lost");
    expect(await page.locator(".row").count()).toBe(2);

    await server.startAgain();
    await untilLive(page);
    await expect.poll(() => page.getByText("is lost").isVisible(), PATIENT).toBe(false);
    // The keeper's lease outlived the restart, the other did not; and the keeper is not back yet.
    await rowOf(page, "fleeting").waitFor({ state: "detached" });
    await rowOf(page, "production").getByText("gone", { exact: true }).waitFor();
    await openLock(page, "production");
    await page.locator(".holder .owner").getByText("ci-1").waitFor();
  });

  it("tries again at once where it is told to", async () => {
    const server = await Restartable.start(["--http-port", "0"]);
    const page = await openPage(`http://127.0.0.1:${server.httpPort}`);
    await server.end("SIGTERM");
    await page.getByText(/Trying again in [48]s|Trying again in 10s/).waitFor();
    await server.startAgain();
    await page.getByRole("button", { name: "Try now" }).click();
    await untilLive(page);
  });
});
