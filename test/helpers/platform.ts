import { describe, test } from "vitest";

export const isWindows = process.platform === "win32";

/** wine names itself in the environment of every process. */
export const isWine = isWindows && process.env.WINELOADER !== undefined;

/** Why a test is a matter of Unix alone. */
export type UnixMatter =
  | "signals"
  | "modes and owners"
  | "links"
  | "fifos"
  | "a POSIX shell"
  | "POSIX paths"
  | "files in use that may be replaced and removed"
  | "a boot id"
  | "files as fast as another tool's";

/**
 * Marks of tests that cannot be run everywhere. `why`: what is missing where the test is skipped. There it
 * stands in the title, so that `npm run test:windows` can count the skipped by reason.
 */
export const testWhere = (possible: boolean, why: string) => (title: string, body: () => unknown) =>
  test.skipIf(!possible)(titled(title, possible, why), async () => void (await body()));
export const describeWhere =
  (possible: boolean, why: string) => (title: string, tests: () => void) =>
    describe.skipIf(!possible)(titled(title, possible, why), tests);

export const unixTest = (matter: UnixMatter) => testWhere(!isWindows, matter);
export const unixDescribe = (matter: UnixMatter) => describeWhere(!isWindows, matter);

const isLinux = process.platform === "linux";
const LINUX = "what Linux alone tells of processes and files";
export const linuxTest = testWhere(isLinux, LINUX);
export const linuxDescribe = describeWhere(isLinux, LINUX);

function titled(title: string, possible: boolean, why: string): string {
  return possible ? title : `${title} [without ${why}]`;
}

/** Scenarios of Windows: elsewhere they are skipped. */
export const windows = (title: string, tests: () => void) =>
  describe.skipIf(!isWindows)(`${title}${isWindows ? "" : " [Windows]"}`, tests);
