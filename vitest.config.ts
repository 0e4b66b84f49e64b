import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Real processes, real waits: a loaded machine must not turn a slow test into a failed one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: "forks",
    reporters: process.env.CI
      ? ["default", ["json", { outputFile: "build/test-report.json" }]]
      : ["default"],
  },
});
