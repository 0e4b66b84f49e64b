import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "./helpers/sources.ts";

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
}

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(join(ROOT, name), "utf8")) as T;
}

/**
 * npm leaves out of a new lock file what the machine that writes it did not install: the programs
 * for other systems. `npm ci` then fails there, or installs no linter and no bundler. Write the lock
 * file anew where there is no node_modules: npm install --package-lock-only.
 */
describe("package-lock.json", () => {
  const { packages } = readJson<{ packages: Record<string, Locked> }>("package-lock.json");

  /** Where a package finds another: in its own node_modules, or in one further out. */
  function find(from: string, name: string): Locked | undefined {
    for (let folder = from; ; ) {
      const found = packages[`${folder}${folder === "" ? "" : "/"}node_modules/${name}`];
      if (found !== undefined || folder === "") return found;
      const outer = folder.lastIndexOf("node_modules/");
      folder = folder.slice(0, outer).replace(/\/$/, "");
    }
  }

  test.each(["dependencies", "optionalDependencies"] as const)("has all %s", (kind) => {
    const wanted = Object.entries(packages).flatMap(([path, locked]) =>
      Object.keys(locked[kind] ?? {}).map((name) => ({ path, name })),
    );
    expect(wanted.length).toBeGreaterThan(20);
    expect(wanted.filter(({ path, name }) => find(path, name) === undefined)).toEqual([]);
  });

  test.each(["linux-x64", "darwin-arm64", "darwin-x64", "win32-x64"])("serves %s", (system) => {
    const names = Object.keys(packages).filter((path) => path.includes(system));
    for (const tool of ["@biomejs/cli-", "@rolldown/binding-", "lightningcss-"])
      expect(names.filter((path) => path.includes(tool))).not.toEqual([]);
  });

  test("is of this package.json", () => {
    const { devDependencies, version } = readJson<Locked>("package.json");
    expect(packages[""]?.devDependencies).toEqual(devDependencies);
    expect(packages[""]?.version).toBe(version);
  });

  test("names no registry", () => {
    const named = Object.values(packages).flatMap(({ resolved }) => resolved ?? []);
    expect(new Set(named)).toEqual(new Set(["scripts/stand-in"]));
  });
});

/** What GitHub's runner starts must load fast, and what is left out of it must not be missed. */
describe("the bundles of @actions/core", () => {
  const { packages } = readJson<{ packages: Record<string, Locked> }>("package-lock.json");

  test("have stand-ins, and @actions/cache has the real packages", () => {
    for (const name of ["@actions/exec", "@actions/http-client"]) {
      expect(packages[`node_modules/@actions/core/node_modules/${name}`]).toMatchObject({
        resolved: "scripts/stand-in",
      });
      expect(packages[`node_modules/${name}`]?.version).toBeDefined();
    }
  });
});
