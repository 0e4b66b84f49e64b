import { describe, expect, test } from "vitest";
import type { Io } from "../../../src/cli/io.ts";
import { exitCodeOf, holdfast } from "../../../src/cli/program.ts";
import { ERROR_CODES } from "../../../src/lock/errors.ts";
import { CLI, environment } from "../../helpers/cli/cli.ts";
import { start } from "../../helpers/processes.ts";

/** A caller whose working directory cannot be asked for, in a way that nobody foresaw. */
function brokenIo(): Io & { written: { stdout: string; stderr: string } } {
  const written = { stdout: "", stderr: "" };
  const output = (stream: "stdout" | "stderr") => ({
    write: (text: string) => {
      written[stream] += text;
    },
    isTerminal: false,
    columns: () => 80,
  });
  return {
    written,
    stdout: output("stdout"),
    stderr: output("stderr"),
    env: {},
    workingDirectory: () => {
      throw new TypeError("nobody foresaw this");
    },
  };
}

describe("a fault of Holdfast's own", () => {
  test.each([
    [["status", "k", "--json"], 2],
    [["run", "k", "--json", "--", "echo"], 125],
  ])("%j is told as such, with %i", async (args, code) => {
    const io = brokenIo();
    expect(await holdfast(args, io)).toBe(code);
    expect(io.written.stderr).toBe("holdfast: internal error: nobody foresaw this\n");
    expect(JSON.parse(io.written.stdout)).toEqual({
      error: { code: "INTERNAL", message: "internal error: nobody foresaw this" },
    });
  });
});

describe("the table of exit codes", () => {
  const special = {
    TIMEOUT: 124,
    SUPERSEDED: 124,
    LOCK_LOST: 123,
    COMMAND_NOT_RUNNABLE: 126,
    COMMAND_NOT_FOUND: 127,
  };

  test.each(ERROR_CODES)("%s", (code) => {
    const forRun = (special as Record<string, number>)[code] ?? 125;
    expect(exitCodeOf(code, "run")).toBe(forRun);
    const isNo = ["TIMEOUT", "SUPERSEDED", "LOCK_LOST"].includes(code);
    expect(exitCodeOf(code, "status")).toBe(isNo ? 1 : 2);
    expect(exitCodeOf(code, null)).toBe(exitCodeOf(code, "status"));
  });
});

test("a working directory that is gone is told in one sentence", async () => {
  const args = ["-c", 'd=$(mktemp -d); cd "$d"; rmdir "$d"; exec "$@"', "sh"];
  const ended = await start("/bin/sh", [...args, process.execPath, CLI, "list", "--store", "x"], {
    env: environment(),
  }).ended;
  expect(ended.code).toBe(2);
  expect(ended.stderr).toMatch(/^holdfast: The working directory is gone .*\.\n$/);
});
