/** `holdfast serve` as a process of its own, for tests that send it signals. */
import { serveCommand } from "../../../src/cli/commands/serve.ts";
import { messageOf } from "../../../src/lock/errors.ts";

// The fuzzer asks how much memory is in use: what is left after everything dead is collected.
process.on("message", () => {
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send?.({ used: heapUsed + external, rss });
});
process.channel?.unref();

const { stdout, stderr, env } = process;
try {
  process.exitCode = await serveCommand(process.argv.slice(2), { stdout, stderr, env });
} catch (error) {
  stderr.write(`holdfast: ${messageOf(error)}\n`);
  process.exitCode = 2;
}
