import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { cli } from "../../helpers/cli/cli.ts";
import { temporaryDirectory } from "../../helpers/directories.ts";
import { isRoot } from "../../helpers/file/support.ts";
import { testWhere, unixTest } from "../../helpers/platform.ts";

/** Runs the command as a person with this home, and tells what it has kept there. */
async function keptIn(home: string, env: NodeJS.ProcessEnv = {}): Promise<string[] | null> {
  const ended = await cli(["--version"], { env: { HOME: home, NODE_COMPILE_CACHE: "", ...env } });
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  const directory = join(env.XDG_CACHE_HOME ?? join(home, ".cache"), "holdfast");
  return existsSync(directory) ? readdirSync(directory) : null;
}

describe("what Node has compiled", () => {
  unixTest("modes and owners")(
    "is kept in a directory of this user alone, also where caches have another place",
    async () => {
      const home = temporaryDirectory();
      expect(await keptIn(home)).toHaveLength(1);
      expect(await keptIn(home)).toHaveLength(1);
      expect(statSync(join(home, ".cache/holdfast")).mode & 0o777).toBe(0o700);
      const caches = temporaryDirectory();
      expect(await keptIn(home, { XDG_CACHE_HOME: caches })).toHaveLength(1);
    },
  );

  unixTest("modes and owners")(
    "is not kept in CI, where a job could leave something for the next one",
    async () => {
      const home = temporaryDirectory();
      expect(await keptIn(home, { CI: "true" })).toBeNull();
    },
  );

  unixTest("modes and owners")(
    "is not kept, or read, where others may write or no home is known",
    async () => {
      const home = temporaryDirectory();
      const directory = join(home, ".cache/holdfast");
      mkdirSync(directory, { recursive: true });
      chmodSync(directory, 0o770);
      expect(await keptIn(home)).toEqual([]);
      expect(await keptIn("")).toBeNull();
      expect(await keptIn(home, { XDG_CACHE_HOME: "caches" })).toBeNull();
    },
  );

  testWhere(isRoot, "the right to give a directory away")(
    "is not kept by root in another user's home, where not even a directory is made",
    async () => {
      const home = temporaryDirectory();
      chownSync(home, 65_534, 65_534);
      expect(await keptIn(home)).toBeNull();
      expect(existsSync(join(home, ".cache"))).toBe(false);
    },
  );
});
