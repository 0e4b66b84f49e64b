import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { copyOfTheRepository, putIn } from "../museum/copy.ts";
import { MUTANTS } from "./mutants.ts";

/** Seeds within which each of them has to be found. */
const SEEDS = 300;

const copy = copyOfTheRepository();

describe("something wrong on purpose is found by the simulation", () => {
  test.for(MUTANTS)("$world: $name", ({ world, changes, found }) => {
    const takeOut = putIn(copy, changes);
    try {
      const args = ["--world", world, "--seeds", String(SEEDS), "--stop", "--json"];
      const ended = spawnSync(process.execPath, ["scripts/simulate.ts", ...args], {
        cwd: copy,
        encoding: "utf8",
      });
      expect(ended.status, ended.stderr).toBe(1);
      const lines = ended.stdout.trim().split("\n");
      const { faults } = JSON.parse(lines.at(-2) as string) as { faults: string[] };
      const kinds = [...new Set(faults.map((fault) => fault.split(":")[0]))];
      expect(kinds.filter((kind) => found.includes(kind ?? ""))).not.toEqual([]);
    } finally {
      takeOut();
    }
  });
});
