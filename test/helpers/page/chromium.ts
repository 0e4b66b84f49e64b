import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Where systems put it. Nothing is downloaded: a machine without a browser skips these tests. */
const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/snap/bin/chromium",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

export function findChromium(): string | null {
  const named = process.env.CHROMIUM_BIN;
  if (named !== undefined && named !== "") return named;
  return PLACES.find((place) => existsSync(place) && starts(place)) ?? null;
}

/** One that lacks half of its libraries is no browser. */
function starts(place: string): boolean {
  const args = ["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "about:blank"];
  return spawnSync(place, args, { stdio: "ignore", timeout: 60_000 }).status === 0;
}
