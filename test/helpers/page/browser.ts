import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, describe, expect } from "vitest";
import { isThere } from "../needs.ts";
import { findChromium } from "./chromium.ts";

const executable = findChromium();

/** Tests in a real browser; skipped where there is none. */
export const describeInBrowser = describe.skipIf(!isThere("Chromium", executable !== null));

let browser: Promise<Browser> | null = null;
const pages: { page: Page; trouble: string[] }[] = [];

afterEach(async () => {
  for (const { page, trouble } of pages.splice(0)) {
    await page.context().close();
    // A broken script, or one that the content policy had to stop, fails every test.
    expect(trouble).toEqual([]);
  }
});

afterAll(async () => {
  await (await browser)?.close();
  browser = null;
});

/** One that has crashed is started anew, so that it fails one test and not all that follow. */
async function runningBrowser(): Promise<Browser> {
  if (browser !== null && !(await browser).isConnected()) browser = null;
  browser ??= chromium.launch({ executablePath: executable as string });
  return browser;
}

/** A tab of its own, closed after the test. */
export async function openTab(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await (await runningBrowser()).newContext({
    viewport: { width: 1_200, height: 800 },
    locale: "en-GB",
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const trouble: string[] = [];
  page.on("pageerror", (error) => trouble.push(error.message));
  page.on("dialog", (dialog) => {
    trouble.push(`A dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    // The browser itself reports each answer that is no success; tests look at those themselves.
    const failed = /^Failed to load resource|net::ERR_/.test(message.text());
    if (message.type() === "error" && !failed) trouble.push(message.text());
  });
  pages.push({ page, trouble });
  return page;
}

/** Opens the page and waits for its first state. */
export async function openPage(
  address: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const page = await openTab(options);
  await page.goto(address);
  await untilLive(page);
  return page;
}

export async function untilLive(page: Page): Promise<void> {
  await page.locator("#live[data-state=live]").waitFor();
}

/** The row of a lock. Its text is the key alone, whatever is in the key. */
export function rowOf(page: Page, key: string) {
  const button = page.locator("button.key").filter({ hasText: exactly(key) });
  return page.locator(".row").filter({ has: button });
}

export function exactly(text: string): RegExp {
  return new RegExp(`^${text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}$`);
}

/** Keys in the order in which they are shown. */
export function shownKeys(page: Page): Promise<string[]> {
  return page.locator(".row:not([hidden]) .key").allTextContents();
}

export async function openLock(page: Page, key: string): Promise<void> {
  await rowOf(page, key).locator(".key").click();
  await page.locator("#detail").waitFor();
}

/** How far it is wider than it shows: 0, or there is a scroll bar that nobody wants. */
export function overflow(page: Page, selector = "html"): Promise<number> {
  const node = `document.querySelector(${JSON.stringify(selector)})`;
  return page.evaluate(`${node}.scrollWidth - ${node}.clientWidth`);
}

/** What the browser complained about so far; the test has looked at it then. */
export function takeTrouble(page: Page): string[] {
  return pages.find((one) => one.page === page)?.trouble.splice(0) ?? [];
}
