import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { copyOfTheRepository, putIn } from "./copy.ts";
import { EXHIBITS, type Exhibit } from "./exhibits.ts";

const copy = copyOfTheRepository();

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
    const takeOut = putIn(copy, exhibit.changes);
    try {
      expect(failing(exhibit.foundBy)).not.toEqual([]);
    } finally {
      takeOut();
    }
  });
});
