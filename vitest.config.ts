import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Real processes, real waits: a loaded machine must not turn a slow test into a failed one.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
  },
});
