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
    include: ["test/**/*.test.ts"],
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
      ? ["default", ["json", { outputFile: "build/test-report.json" }]]
      : ["default"],
  },
});
