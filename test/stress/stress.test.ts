import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../src/stores/open.ts";
import { temporaryDirectory } from "../helpers/directories.ts";
import { start } from "../helpers/processes.ts";

const PROGRAM = fileURLToPath(new URL("../../scripts/stress.ts", import.meta.url));

let directory: string;

beforeEach(() => {
  directory = temporaryDirectory();
});

async function stress(...args: string[]): Promise<{ code: number | null; output: string }> {
  const run = start(process.execPath, [PROGRAM, "--store", directory, ...args]);
  const { code, stdout, stderr } = await run.ended;
  return { code, output: stdout + stderr };
}

function figure(output: string, name: string): number {
  return Number(new RegExp(`^${name} +(\\d+)`, "m").exec(output)?.[1]);
}

describe("a stress run", { timeout: 300_000 }, () => {
  it("finds no overlap and nobody stuck among 8 processes that are killed at random", async () => {
    const { code, output } = await stress("--acquisitions", "2500", "--kill-every", "150");
    expect(code, output).toBe(0);
    expect(figure(output, "acquisitions")).toBeGreaterThanOrEqual(2_500);
    expect(figure(output, "kills")).toBeGreaterThanOrEqual(5);
    expect(figure(output, "overlaps")).toBe(0);
    expect(figure(output, "stuck")).toBe(0);
  });

  it("finds no more than three at once where a key has three slots", async () => {
    const kills = ["--kill-every", "150"];
    const { code, output } = await stress("--acquisitions", "1000", "--slots", "3", ...kills);
    expect(code, output).toBe(0);
    expect(figure(output, "kills")).toBeGreaterThanOrEqual(3);
  });

  it("fails when nothing excludes its processes", async () => {
    const { code, output } = await stress(
      "--apart",
      "--acquisitions",
      "100000",
      "--processes",
      "4",
    );
    expect(code, output).toBe(1);
    expect(figure(output, "overlaps")).toBeGreaterThan(0);
    expect(output).toContain("OVERLAP 2 of 1 slots of stress are held at once");
  });

  it("fails when its processes are stuck, and says who holds the key", async () => {
    const store = await openStore(join(directory, "store"), { fsync: false });
    const owner = { id: "somebody-else", metadata: {} };
    const holding = await store.claim({ key: "stress", owner });
    const { code, output } = await stress("--stuck-after", "3", "--processes", "2");
    await holding.release();
    await store.close();
    expect(code, output).toBe(1);
    expect(figure(output, "stuck")).toBe(1);
    expect(output).toContain("somebody-else");
  });
});
