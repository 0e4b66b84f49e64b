import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { hasRedis } from "../helpers/engines/redis.ts";
import { isThere } from "../helpers/needs.ts";
import { copyOfTheRepository, putIn } from "../museum/copy.ts";
import type { Change } from "../museum/exhibits.ts";

const copy = copyOfTheRepository();
const FILE = "src/lock/admission.ts";

/** What is wrong with the rule, on which store it is run, and how the checker calls it. */
const MUTANTS: readonly {
  readonly name: string;
  readonly store: string;
  readonly found: string;
  readonly change: Omit<Change, "file">;
}[] = [
  {
    name: "a claim that fits enters past one that does not",
    store: "redis",
    found: "order",
    change: {
      from: "if (weight > room) break;",
      to: "if (weight > room && place < line.length) {\n      left.serve(place);\n      continue;\n    }\n    if (place >= line.length) break;",
    },
  },
  {
    name: "priorities are ignored",
    store: "http",
    found: "priority",
    change: {
      from: "if (highest === null || priority > highest.priority) highest = claim;",
      to: "highest ??= claim;",
    },
  },
  {
    name: "a claim may be passed as often as others like",
    store: "http",
    found: "starved",
    change: { from: "PASSES_LIMIT = 10;", to: "PASSES_LIMIT = 1_000_000;" },
  },
];

/** Runs claims of many kinds against one key, with the code of the copy. */
function storm(store: string) {
  const size = ["--keys", "1", "--slots", "4", "--processes", "3", "--lanes", "8"];
  const length = ["--operations", "1200", "--minutes", "9", "--fault-every", "0", "--seed", "7"];
  const args = ["scripts/prove.ts", "--store", store, "--sharing", ...size, ...length];
  return spawnSync(process.execPath, args, { cwd: copy, encoding: "utf8" });
}

const STORES = { file: true, http: true, redis: hasRedis };

describe("a storm of claims with weights and priorities, some of them not ready at once", () => {
  test.for(Object.entries(STORES))("keeps the rules on %s", ([store, isHere], { skip }) => {
    if (!isThere(store, isHere)) return skip("its engine is not installed");
    const { status, stdout, stderr } = storm(store);
    expect(status, stdout + stderr).toBe(0);
    expect(Number(/grants (\d+)/.exec(stdout)?.[1])).toBeGreaterThan(500);
  });

  test.for(MUTANTS)("finds a rule by which $name", ({ store, found, change }, { skip }) => {
    if (store === "redis" && !isThere(store, hasRedis)) return skip("Redis is not installed");
    const takeOut = putIn(copy, [{ file: FILE, ...change }]);
    try {
      const { status, stdout, stderr } = storm(store);
      expect(status, stdout + stderr).toBe(1);
      expect(stdout).toContain(`ILLEGAL ${found}: `);
    } finally {
      takeOut();
    }
  });
});
