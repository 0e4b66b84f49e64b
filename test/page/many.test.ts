import { expect, it } from "vitest";
import { describeInBrowser, openPage, rowOf, shownKeys } from "../helpers/page/browser.ts";
import { startPanel } from "../helpers/panel/panel.ts";
import { PATIENT } from "../helpers/waiting.ts";

/** Counts what is changed in the list from now on. */
const WATCH = `
  window.changed = { rows: 0, inside: new Set() };
  new MutationObserver((records) => {
    for (const record of records) {
      if (record.target.id === "list") window.changed.rows += record.addedNodes.length + record.removedNodes.length;
      // The clocks tick in every row.
      else if (record.target.closest?.(".time") === null) window.changed.inside.add(record.target.closest(".row"));
    }
  }).observe(document.getElementById("list"), { childList: true, subtree: true, attributes: true });
`;

describeInBrowser("with 1,000 keys the page", () => {
  it("shows them all, changes only what changed, and still filters at once", async () => {
    const server = await startPanel({ "max-locks": "0" });
    const client = await server.keeper("many", "one of a thousand");
    const keys = Array.from({ length: 1_000 }, (_, index) => `service-${index}`);
    client.send(keys.map((key) => `l\n${key}\n0\n`).join(""));
    const tokens = new Map<string, string>();
    for (const key of keys) tokens.set(key, (await client.line()).split(" ")[1] as string);
    const page = await openPage(server.address);
    expect(await page.locator(".row").count()).toBe(1_000);
    expect(await page.locator("#held").textContent()).toBe("1,000");

    await page.evaluate(WATCH);
    await client.free("service-500", tokens.get("service-500") as string);
    await rowOf(page, "service-500").waitFor({ state: "detached" });
    (await server.keeper("next")).send("l\nservice-7\n600\n");
    await rowOf(page, "service-7").getByText("1 waiting").waitFor();
    await client.take("another");
    await rowOf(page, "another").waitFor();
    const changed = (await page.evaluate(
      "({ rows: changed.rows, inside: changed.inside.size })",
    )) as { rows: number; inside: number };
    expect(changed.rows).toBeLessThanOrEqual(6);
    expect(changed.inside).toBeLessThanOrEqual(4);

    const began = performance.now();
    await page.locator("#filter").fill("service-99");
    expect(await shownKeys(page)).toHaveLength(11);
    // Generous: a page that draws everything anew at each key takes many times that here.
    expect(performance.now() - began).toBeLessThan(30_000);
    await page.locator("#filter").fill("no such thing");
    await page.getByText("No lock matches this filter").waitFor();
    await page.getByRole("button", { name: "Clear it" }).click();
    expect(await shownKeys(page)).toHaveLength(1_000);

    client.hangUp();
    await expect.poll(() => page.locator(".row").count(), PATIENT).toBe(1);
  });

  it("keeps up while all of them change again and again", async () => {
    const server = await startPanel({ "max-locks": "0" });
    const page = await openPage(server.address);
    const client = await server.keeper("many");
    const keys = Array.from({ length: 1_000 }, (_, index) => `service-${index}`);
    for (let round = 0; round < 5; round += 1) {
      client.send(keys.map((key) => `l\n${key}\n0\n`).join(""));
      const tokens: string[] = [];
      for (const _ of keys) tokens.push((await client.line()).split(" ")[1] as string);
      client.send(keys.map((key, index) => `r\n${key}\n${tokens[index]}\n`).join(""));
      for (const _ of keys) expect(await client.line()).toBe("ok");
    }
    await client.take("the-last");
    await expect.poll(() => shownKeys(page), PATIENT).toEqual(["the-last"]);
  });
});
