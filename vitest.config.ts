import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Real processes, real waits: a loaded machine must not turn a slow test into a failed one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: "forks",
    // Most tests wait for processes more than they compute: more workers than cores, but not many.
    maxWorkers: Math.max(2, Math.ceil(availableParallelism() * 1.5)),
    reporters: process.env.CI
      ? ["default", ["json", { outputFile: "build/test-report.json" }]]
      : ["default"],
  },
});
