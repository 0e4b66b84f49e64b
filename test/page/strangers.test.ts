import { expect, it } from "vitest";
import { encodeWireKey } from "../../src/wire/key.ts";
import {
  describeInBrowser,
  openLock,
  openPage,
  overflow,
  rowOf,
  shownKeys,
  takeTrouble,
} from "../helpers/page/browser.ts";
import { startPanel } from "../helpers/panel/panel.ts";
import { PATIENT } from "../helpers/waiting.ts";

/** Each would set `window.hit`, were it taken for anything but text. */
const ATTACKS = [
  `<img src=x onerror="window.hit=1">`,
  `"><script>window.hit=1</script>`,
  `</textarea></title><svg onload=window.hit=1>`,
  `'-(window.hit=1)-'`,
  `{{constructor.constructor('window.hit=1')()}}`,
];

const ADDRESSES = [
  "javascript:window.hit=1",
  "JaVaScRiPt:window.hit=1",
  "\u00a0javascript:window.hit=1",
  "data:text/html,<script>window.hit=1</script>",
  "vbscript:window.hit=1",
  "file:///etc/passwd",
  "blob:https://ci.example/1",
  "//evil.example",
  "not an address",
];

describeInBrowser("what strangers choose", () => {
  it("is text and nothing else", async () => {
    const server = await startPanel();
    const tokens = new Map<string, string>();
    const holder = await server.keeper("<b>nobody</b>", "<i>note</i>", { job: ATTACKS[0] ?? "" });
    for (const attack of ATTACKS) {
      const metadata = { run_url: `https://ci.example/${attack}`, job: attack, actor: attack };
      tokens.set(attack, await holder.take(encodeWireKey(attack)));
      const waiter = await server.keeper(attack, attack, metadata);
      waiter.send(`l\n${encodeWireKey(attack)}\n600\n`);
      await expect.poll(async () => (await server.key(attack)).waiting, PATIENT).toBe(1);
    }
    const page = await openPage(server.address);
    expect(await shownKeys(page)).toEqual(ATTACKS);
    for (const [attack, token] of tokens) {
      await openLock(page, attack);
      const detail = page.locator("#detail");
      expect(await detail.locator("h2").textContent()).toBe(attack);
      expect(await detail.locator("#line .owner").textContent()).toBe(attack);
      await holder.free(encodeWireKey(attack), token);
      await detail.locator("#history .bar").first().waitFor({ state: "attached" });
      await detail.locator(".holder .owner").getByText(attack, { exact: true }).waitFor();
      expect(await detail.locator(".holder > .note").textContent()).toBe(attack);
      await page.getByRole("button", { name: "Break…" }).click();
      expect(await page.locator("#break-key").textContent()).toBe(attack);
      expect(await page.locator("#break-owner").textContent()).toBe(attack);
      await page.getByRole("button", { name: "Keep it" }).click();
      await page.locator("#filter").fill(attack);
      await page.locator("#filter").fill("");
    }
    expect(await page.evaluate("window.hit")).toBeUndefined();
    expect(await page.locator("main img, main script, main b, main svg:not(.bars)").count()).toBe(
      0,
    );
  });

  it("is no link where it is no address of the web", async () => {
    const server = await startPanel();
    for (const [index, run_url] of ADDRESSES.entries()) {
      const holder = await server.keeper("me", null, { run_url });
      await holder.free(`k-${index}`, await holder.take(`k-${index}`));
      await holder.take(`k-${index}`);
    }
    const page = await openPage(server.address);
    expect(await page.locator(".row").count()).toBe(ADDRESSES.length);
    for (const index of ADDRESSES.keys()) {
      await openLock(page, `k-${index}`);
      await page.locator(".holds tbody tr").waitFor();
      expect(await page.locator("main a").count(), ADDRESSES[index]).toBe(0);
    }
    const honest = await server.keeper("me", null, { run_url: "https://a@b.example/?x=<y>" });
    await honest.take("honest");
    const link = rowOf(page, "honest").locator("a");
    expect(await link.getAttribute("href")).toBe("https://a@b.example/?x=%3Cy%3E");
  });

  it("cannot end a line of the stream, nor turn the text around it", async () => {
    const server = await startPanel();
    const key = "a\u2028b\u2029c\u202edorp";
    await (await server.keeper("me\u2028", "note\u2028data: {}")).take(encodeWireKey(key));
    await (await server.keeper("you")).take("other");
    const page = await openPage(server.address);
    await expect.poll(() => shownKeys(page), PATIENT).toEqual([key, "other"]);
    const style = await page.evaluate(
      "getComputedStyle(document.querySelector('.key')).unicodeBidi",
    );
    expect(style).toBe("isolate");
  });

  it("of any length breaks no layout", async () => {
    const server = await startPanel();
    const long = "W".repeat(250);
    await (await server.keeper(long, "M".repeat(900), { job: long })).take(long);
    const page = await openPage(server.address, { viewport: { width: 360, height: 700 } });
    await openLock(page, long);
    expect(await overflow(page)).toBe(0);
    expect(await overflow(page, "#detail")).toBe(0);
  });

  it("is kept in by a content policy that allows this script and no other", async () => {
    const server = await startPanel();
    const page = await openPage(server.address);
    const inject = `(() => {
      const script = document.createElement("script");
      try { script.textContent = "window.hit = 1"; } catch { return "refused"; }
      document.body.append(script);
      return window.hit === undefined ? "refused" : "ran";
    })()`;
    expect(await page.evaluate(inject)).toBe("refused");
    const markup = `(() => { try { document.body.innerHTML = "x"; } catch { return "refused"; } return "set"; })()`;
    expect(await page.evaluate(markup)).toBe("refused");
    expect(takeTrouble(page).join()).toContain("TrustedHTML");
  });
});
