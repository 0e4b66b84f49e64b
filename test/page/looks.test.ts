import { expect, it } from "vitest";
import {
  describeInBrowser,
  openLock,
  openPage,
  openTab,
  overflow,
  rowOf,
} from "../helpers/page/browser.ts";
import { startPanel } from "../helpers/panel/panel.ts";

async function startBusy() {
  const server = await startPanel();
  const metadata = { run_url: "https://ci.example/acme/shop/actions/runs/1", job: "deploy" };
  const client = await server.keeper(
    "ci-github-123456789-1-deploy",
    "v4.12.0 of the shop",
    metadata,
  );
  for (const key of ["production", "staging/eu-west-1/checkout-service", "db"]) {
    await client.free(key, await client.take(key));
    await client.take(key);
  }
  (await server.keeper("ci-github-123456790-1-deploy", "next", metadata)).send(
    "l\nproduction\n600\n",
  );
  return server;
}

/** The darkest and the lightest are 0 and 255. */
const GROUND = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)";
const INK = "getComputedStyle(document.body).color.match(/\\d+/g).map(Number)";

describeInBrowser("the page looks right", () => {
  it.each([
    ["light", 320],
    ["light", 360],
    ["dark", 360],
    ["light", 768],
    ["dark", 1_280],
  ] as const)(
    "in %s, %i px wide: nothing is cut off or scrolls sideways",
    async (colorScheme, width) => {
      const server = await startBusy();
      const page = await openPage(server.address, {
        colorScheme,
        viewport: { width, height: 740 },
      });
      expect(await page.locator(".row").count()).toBe(3);
      expect(await overflow(page)).toBe(0);
      const cut = `[...document.querySelectorAll(".row")].filter((row) => {
      const { right } = row.getBoundingClientRect();
      return [...row.querySelectorAll("button, a, time, .line")].some((node) => node.getBoundingClientRect().right > right + 1);
    }).length`;
      expect(await page.evaluate(cut)).toBe(0);
      await openLock(page, "production");
      await page.locator("#history .bar").first().waitFor();
      expect(await overflow(page)).toBe(0);
      expect(await overflow(page, "#detail")).toBe(0);
      await page.getByRole("button", { name: "Break…" }).click();
      const box = await page.getByRole("dialog").boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
      expect((await page.screenshot()).length).toBeGreaterThan(5_000);
    },
  );

  it.each([320, 360])(
    "on a phone of %i px: one row of head, and one edge of the list",
    async (width) => {
      const server = await startPanel({ "auth-token": "secret" }, "secret");
      const client = await server.keeper("ci-1", "a note", {
        repository: "acme/shop",
        workflow: "x",
      });
      for (let times = 0; times < 3; times += 1) await client.free("a", await client.take("a"));
      await client.free("free-now", await client.take("free-now"));
      for (const key of ["a", "a-key-with-a-long-name-of-its-own"]) await client.take(key);
      (await server.keeper("ci-2")).send("l\na\n600\n");
      await server.ask("/admin/freezes/cold?reason=incident+42", { method: "PUT" });
      const page = await openTab({ viewport: { width, height: 740 } });
      await page.goto(server.address);
      await page.getByLabel("Token", { exact: true }).fill("secret");
      await page.getByRole("button", { name: "Show the locks" }).click();
      await rowOf(page, "a").getByText("1 waiting").waitFor();
      await page.locator("#recent-list li").waitFor();
      const boxes = async (selector: string) => {
        const found = await page.locator(selector).all();
        const all = await Promise.all(found.map((node) => node.boundingBox()));
        return all.filter((box) => box !== null && box.width > 0) as {
          x: number;
          y: number;
          width: number;
          height: number;
        }[];
      };
      const head = await boxes(".top > *");
      expect(head).toHaveLength(4);
      const lowest = Math.max(...head.map(({ y }) => y));
      expect(Math.min(...head.map(({ y, height }) => y + height))).toBeGreaterThan(lowest);
      const left = [
        ...(await boxes(".row .key, .row .who, .row .line, #recent-list :is(button, span)")),
      ];
      expect(left.length).toBeGreaterThan(7);
      expect(
        Math.max(...left.map(({ x }) => x)) - Math.min(...left.map(({ x }) => x)),
      ).toBeLessThan(2);
    },
  );

  it("dark where the system is dark, and light where it is light", async () => {
    const server = await startBusy();
    const page = await openPage(server.address, { colorScheme: "dark" });
    const [ground, ink] = [await page.evaluate(GROUND), await page.evaluate(INK)] as number[][];
    expect(Math.max(...(ground as number[]))).toBeLessThan(60);
    expect(Math.min(...(ink as number[]))).toBeGreaterThan(190);
    await page.emulateMedia({ colorScheme: "light" });
    expect(Math.min(...((await page.evaluate(GROUND)) as number[]))).toBeGreaterThan(220);
  });

  it("with text that stands out enough from its ground, in both", async () => {
    const server = await startBusy();
    const page = await openPage(server.address);
    await openLock(page, "production");
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const weak = (await page.evaluate(CONTRAST)) as string[];
      expect(weak, colorScheme).toEqual([]);
    }
  });
});

/** Texts with less than the 4.5 that WCAG asks for. Backgrounds here are plain colours. */
const CONTRAST = `(() => {
  const parse = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (node) => {
    for (let at = node; at !== null; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const weak = [];
  for (const node of document.querySelectorAll("body *")) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim() !== "");
    if (!own || !node.checkVisibility() || node.closest("script, style, svg, [disabled]")) continue;
    const [a, b] = [light(parse(getComputedStyle(node).color)), light(ground(node))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) weak.push(node.className + " " + node.textContent.slice(0, 30) + " " + ratio.toFixed(2));
  }
  return weak;
})()`;
