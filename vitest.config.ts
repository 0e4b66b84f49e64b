import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Test files that take minutes. They begin first, so that no worker ends alone with one of them. */
const LONG = [
  /\/contract\/|\/prove\/|\/museum\/|\/simulation\//,
  /\/faults\.test/,
  /\/model\/|\/stress\//,
  /\/e2e\//,
  /chaos|restarts/,
];

/**
 * What `npm test` leaves to `npm run test:all`: what needs an engine, a browser or the bundles, and
 * what takes minutes because it tries very much.
 */
const REST = [
  "test/{e2e,history,integrations,interop,model,museum,page,prove,simulation,stress}/**",
  "test/contract/!(file|tcp|http).test.ts",
  "test/contract/register/**",
  "test/unit/stores/engines/**",
  "test/unit/**/*{any-text,chaos,coverage,faults,fuzz,race,restart,restarts,stress}.test.ts",
  "test/unit/server/{table/model,gate/gate}.test.ts",
  "test/unit/cli/commands/hold/broken-stores.test.ts",
  "test/unit/stores/remote/command-line.test.ts",
];

/** The test files of a pattern that may name whole folders. */
const testsOf = (pattern: string) => pattern.replace(/\*\*$/, "**/*.test.ts");

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = LONG.findIndex((pattern) => pattern.test(moduleId));
      return place === -1 ? LONG.length : place;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: "quick", include: ["test/**/*.test.ts"], exclude: REST } },
      { extends: true, test: { name: "rest", include: REST.map(testsOf) } },
    ],
    // Real processes, real waits: a loaded machine must not turn a slow test into a failed one.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
    pool: "forks",
    // The tests start thousands of processes, and most of what one costs is compiling the same modules.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), "holdfast-compile-cache") },
    sequence: { sequencer: LongFirst },
    // Most tests wait for processes and for time more than they compute: more workers than cores.
    maxWorkers: Math.max(2, Math.ceil(availableParallelism() * 2.5)),
    reporters: process.env.CI
      ? ["default", ["json", { outputFile: process.env.TEST_REPORT ?? "build/test-report.json" }]]
      : ["default"],
  },
});
