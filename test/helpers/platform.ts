import { describe, test } from "vitest";

export const isWindows = process.platform === "win32";

/** Why a test is a matter of Unix alone. */
export type UnixMatter =
  | "signals"
  | "modes and owners"
  | "links"
  | "fifos"
  | "a POSIX shell"
  | "files in use may be replaced and removed"
  | "a boot id"
  | "files as fast as another tool's";

/**
 * Mark tests that are a matter of Unix. On Windows they are skipped, and the reason stands in their
 * title, so that `npm run test:windows` can count the skipped by reason.
 */
export const unixTest = (matter: UnixMatter) => (title: string, body: () => unknown) =>
  test.skipIf(isWindows)(titled(title, matter), async () => void (await body()));
export const unixDescribe = (matter: UnixMatter) => (title: string, tests: () => void) =>
  describe.skipIf(isWindows)(titled(title, matter), tests);

function titled(title: string, matter: UnixMatter): string {
  return isWindows ? `${title} [Unix: ${matter}]` : title;
}

/** Scenarios of Windows: elsewhere they are skipped. */
export const windows = (title: string, tests: () => void) =>
  describe.skipIf(!isWindows)(`${title}${isWindows ? "" : " [Windows]"}`, tests);
