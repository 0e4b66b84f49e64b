import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../src/stores/open.ts";

const PROGRAM = fileURLToPath(new URL("../../scripts/stress.ts", import.meta.url));

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "holdfast-stress-"));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

async function stress(...args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [PROGRAM, "--store", directory, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (data: Buffer) => {
      output += data.toString("utf8");
    });
  }
  await once(child, "close");
  return { code: child.exitCode, output };
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
    expect(output).toContain("OVERLAP 2 at once");
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
