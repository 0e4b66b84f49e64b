/**
 * Makes the pictures of the documents, in light and dark, in a real browser and from the project's
 * own code:
 *
 *     npm run screenshots
 */
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { findChromium } from "../../test/helpers/page/chromium.ts";
import { closePage, showPage } from "./page.ts";
import { showSummary } from "./summary.ts";

const BYTES_LIMIT = 160_000;
const folder = new URL("../../docs/images/", import.meta.url);

const executablePath = findChromium();
if (executablePath === null) throw new Error("No Chromium: name one in CHROMIUM_BIN.");
const browser = await chromium.launch({ executablePath });
try {
  for (const scheme of ["light", "dark"] as const) {
    for (const [name, show] of Object.entries({ page: showPage, summary: showSummary })) {
      const tab = await browser.newPage({ locale: "en-GB", colorScheme: scheme });
      await show(tab, scheme);
      const suffix = scheme === "dark" ? "-dark" : "";
      const path = fileURLToPath(new URL(`${name}${suffix}.png`, folder));
      await tab.screenshot({ path });
      await tab.close();
      const { size } = statSync(path);
      console.log(`${path}: ${size} bytes`);
      if (size > BYTES_LIMIT) throw new Error(`The picture is larger than ${BYTES_LIMIT} bytes.`);
    }
  }
} finally {
  await browser.close();
  await closePage();
}
