import { expect, test } from "vitest";
import { fuzzTokens } from "../../../helpers/identity/token-fuzzer.ts";

test("broken tokens open no session, sound ones do, and the issuer is left in peace", async () => {
  const { answers, faults, asked } = await fuzzTokens(2_000, 1);
  expect(faults).toEqual([]);
  expect(answers[201]).toBeGreaterThan(1);
  expect(answers[401]).toBeGreaterThan(1_000);
  // Each time anew: a token that no rule lets in is not remembered.
  expect(answers[403]).toBeGreaterThan(100);
  // Discovery and keys, at the start and at most four times a minute.
  expect(asked).toBeLessThan(40);
});
