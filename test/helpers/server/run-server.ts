/** `holdfast serve` as a process of its own, for tests that send it signals. */
import { flushCompileCache } from "node:module";
import { systemIo } from "../../../src/cli/io.ts";
import { holdfast } from "../../../src/cli/program.ts";

// The fuzzer asks how much memory is in use: what is left after everything dead is collected.
process.on("message", () => {
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send?.({ used: heapUsed + external, rss });
});
process.channel?.unref();

// Most of these servers are killed, and would never leave what they compiled to the next one.
setTimeout(flushCompileCache, 1_000).unref();

process.exitCode = await holdfast(["serve", ...process.argv.slice(2)], systemIo());
