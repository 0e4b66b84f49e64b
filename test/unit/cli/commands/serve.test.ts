import { describe, expect, test } from "vitest";
import { systemIo } from "../../../../src/cli/io.ts";
import { holdfast } from "../../../../src/cli/program.ts";
import { startProcess } from "../../../helpers/server/server.ts";

describe("a flag of serve that is turned off", () => {
  test("--quiet=false lets the server speak", async () => {
    const server = await startProcess(["--quiet=false"]);
    expect(server.stderr()).toContain("started");
    const quiet = await startProcess(["--quiet"]);
    expect(quiet.stderr()).toBe("");
  });

  test("--help=false and --version=false start the server", async () => {
    const server = await startProcess(["--help=false", "--version=false"]);
    expect(server.port).toBeGreaterThan(0);
  });

  test("--no-auto-release-on-disconnect is --auto-release-on-disconnect=false", async () => {
    for (const flag of ["--no-auto-release-on-disconnect", "--auto-release-on-disconnect=off"]) {
      const server = await startProcess([flag, "--log-format", "json", "--log-level", "debug"]);
      expect(server.port).toBeGreaterThan(0);
    }
  });
});

test("a switch that is neither on nor off is refused, and the flag is named", async () => {
  const written: string[] = [];
  const io = systemIo();
  const stderr = { ...io.stderr, write: (text: string) => void written.push(text) };
  expect(await holdfast(["serve", "--insecure=perhaps"], { ...io, stderr })).toBe(2);
  expect(written).toEqual(['holdfast: The option --insecure is "perhaps": use true or false.\n']);
});
