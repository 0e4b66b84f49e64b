import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EXHIBITS, type Exhibit } from "./exhibits.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const copy = mkdtempSync(join(tmpdir(), "holdfast-museum-"));

beforeAll(() => {
  for (const part of [
    "src",
    "test",
    "scripts",
    "package.json",
    "vitest.config.ts",
    "tsconfig.json",
  ])
    cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Puts the bug into the copy. The answer takes it out again. */
function putIn({ changes }: Exhibit): () => void {
  const before = new Map<string, string>();
  for (const { file, from, to } of changes) {
    const path = join(copy, file);
    const text = readFileSync(path, "utf8");
    if (!before.has(path)) before.set(path, text);
    expect(text.split(from).length - 1, `${file} has this once: ${from}`).toBe(1);
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
  }
  return () => {
    for (const [path, text] of before) writeFileSync(path, text);
  };
}

interface Report {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly title: string }[];
  }[];
}

/** Which of the tests of that name fail in the copy; a file that cannot even be loaded is no find. */
function failing({ file, test: name }: Exhibit["foundBy"]): string[] {
  const report = join(copy, "report.json");
  const vitest = join(copy, "node_modules/vitest/vitest.mjs");
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([key]) => !/^CI$|VITEST/.test(key)),
  );
  const args = [
    "run",
    file,
    "-t",
    name,
    "--testTimeout=30000",
    "--reporter=json",
    `--outputFile=${report}`,
  ];
  const ended = spawnSync(process.execPath, [vitest, ...args], {
    cwd: copy,
    env,
    encoding: "utf8",
  });
  expect([0, 1], ended.stderr).toContain(ended.status);
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
  const ran = testResults.flatMap(({ assertionResults }) => assertionResults);
  expect(ran.filter(({ status }) => status !== "skipped").length, ended.stdout).toBeGreaterThan(0);
  return ran.filter(({ status }) => status === "failed").map(({ title }) => title);
}

describe("the museum of published bugs: each is put into our code, and a test of ours finds it", () => {
  test.for(EXHIBITS)("$peer: $name", (exhibit) => {
    const takeOut = putIn(exhibit);
    try {
      expect(failing(exhibit.foundBy)).not.toEqual([]);
    } finally {
      takeOut();
    }
  });
});
