/** `holdfast serve` as a process to be measured. */
import { serveCommand } from "../src/cli/commands/serve.ts";

const { stdout, stderr, env } = process;
process.exitCode = await serveCommand(process.argv.slice(2), { stdout, stderr, env });
