import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { isThere } from "./helpers/needs.ts";
import { ROOT } from "./helpers/sources.ts";

/**
 * The habits of the project's own workflows. actionlint and zizmor look further, where they are
 * installed: the workflow "Workflows" runs them.
 */

const FOLDER = join(ROOT, ".github/workflows");
const WORKFLOWS = readdirSync(FOLDER).map((name) => ({
  name,
  lines: readFileSync(join(FOLDER, name), "utf8").split("\n"),
}));

/** The part of a workflow below a line, as far as it is indented deeper. */
function below(lines: readonly string[], from: number): string[] {
  const depth = (line: string) => line.length - line.trimStart().length;
  const rest = lines.slice(from + 1);
  const end = rest.findIndex(
    (line) => line.trim() !== "" && depth(line) <= depth(lines[from] as string),
  );
  return end === -1 ? rest : rest.slice(0, end);
}

/** The actions that a workflow uses, with the line of each. */
function usesOf(lines: readonly string[]) {
  return lines.flatMap((line, index) => {
    const match = /^\s*(?:- )?uses: (\S+)(?:\s+# (.*))?$/.exec(line);
    if (match === null) return [];
    const [, action = "", comment = ""] = match;
    return [{ action, comment, index }];
  });
}

test("there are workflows, and they use actions", () => {
  expect(WORKFLOWS.length).toBeGreaterThan(5);
  expect(WORKFLOWS.flatMap(({ lines }) => usesOf(lines)).length).toBeGreaterThan(20);
});

describe.each(WORKFLOWS)("$name", ({ lines }) => {
  const jobs = below(lines, lines.indexOf("jobs:"));
  const names = jobs.filter((line) => /^ {2}\S/.test(line));

  test("uses actions by their full commit, and says which version that is", () => {
    const loose = usesOf(lines).filter(
      ({ action, comment }) =>
        action !== "./" &&
        !(/^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/.test(action) && /^v\d+\.\d+\.\d+$/.test(comment)),
    );
    expect(loose).toEqual([]);
  });

  test("gives nothing to all its jobs, and to each job what it needs", () => {
    expect(lines).toContain("permissions: {}");
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) {
      const job = below(jobs, jobs.indexOf(name));
      expect(job, name).toContain("    permissions:");
      expect(job.join("\n"), name).toMatch(/^ {4}timeout-minutes: \d+$/m);
    }
  });

  test("leaves no token behind in a checkout", () => {
    for (const { index } of usesOf(lines).filter(({ action }) => /\/checkout@/.test(action))) {
      const step = lines.slice(index, index + 6).join("\n");
      expect(step).toContain("persist-credentials: false");
    }
  });
});

test("one version of an action has one commit, and the other way round", () => {
  const pins = WORKFLOWS.flatMap(({ lines }) => usesOf(lines))
    .filter(({ action }) => action !== "./")
    .map(({ action, comment }) => {
      const [path = "", commit = ""] = action.split("@");
      return { repository: path.split("/").slice(0, 2).join("/"), commit, comment };
    });
  const distinct = new Set(
    pins.map(({ repository, commit, comment }) => `${repository} ${commit} ${comment}`),
  );
  expect([...new Set(pins.map(({ repository }) => repository))]).toHaveLength(distinct.size);
});

describe("what the tests need", () => {
  afterEach(() => vi.unstubAllEnvs());

  test("is a skip for people, and a failure in CI", () => {
    vi.stubEnv("CI", "");
    expect(isThere("etcd", true)).toBe(true);
    expect(isThere("etcd", false)).toBe(false);
    vi.stubEnv("CI", "true");
    expect(isThere("etcd", true)).toBe(true);
    expect(() => isThere("etcd", false)).toThrow("etcd is missing, and CI must have it");
    expect(isThere("MinIO", false)).toBe(false);
  });

  test.each([".ci/run", ".github/workflows/ci.yml"])("%s installs it", (file) => {
    const text = readFileSync(join(ROOT, file), "utf8");
    for (const name of ["etcd-server", "etcd-client", "redis-server", "postgresql", "pgbouncer"])
      expect(text).toContain(name);
  });

  test("runs once in CI: both halves of test:all, and no other", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect(scripts).toMatchObject({ test: "vitest run --project quick", "test:all": "vitest run" });
    const ci = readFileSync(join(ROOT, ".ci/run"), "utf8");
    expect(ci.match(/^tested .*$/gm)).toEqual([
      expect.stringContaining("npm cit"),
      expect.stringContaining("npm run -s test:all -- --project rest"),
    ]);
  });
});
