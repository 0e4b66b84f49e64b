/** `holdfast serve` as a process to be measured. */
import { systemIo } from "../src/cli/io.ts";
import { holdfast } from "../src/cli/program.ts";

process.exitCode = await holdfast(["serve", ...process.argv.slice(2)], systemIo());
