import { expect, it } from "vitest";
import { fuzz } from "../../../helpers/server/fuzzer.ts";

it("20,000 fuzzed frames do no harm to the server, its locks, or its other clients", {
  timeout: 300_000,
}, async () => {
  const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000);
  const report = await fuzz({ frames: 20_000, seed, connections: 20 });
  expect(report.faults, `FUZZ_SEED=${seed}`).toEqual([]);
  expect(report.witnessed).toBeGreaterThan(50);
  expect(report.grants).toBeGreaterThan(500);
  // The long run (npm run fuzz) is the one that measures; here only a gross leak shows.
  expect(report.memory.after.used).toBeLessThan(report.memory.before.used * 1.25);
});
