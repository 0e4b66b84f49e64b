import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../helpers/directories.ts";
import { type OpenPlace, PLACES } from "./places.ts";
import { openResource, Resource } from "./resource.ts";
import { type ProofOptions, prove } from "./run.ts";
import type { Workload } from "./worker.ts";

/** A short run of what `npm run prove` does at length. The seed is fixed, the machine is not. */
async function short(
  open: OpenPlace,
  workload: Workload,
  operations: number,
  more: Partial<ProofOptions> = {},
) {
  const directory = temporaryDirectory();
  const place = await open(directory);
  if (place === null) return null;
  const size = {
    processes: 4,
    lanes: 1,
    keys: 2,
    slots: 1,
    sharing: false,
    only: null,
    holdFor: 0,
  };
  const options = { ...size, seed: 7, faultEvery: 400, freezeEvery: 150, limit: 20_000 };
  const figures = await prove({ ...options, ...more, place, directory, workload, operations });
  await place.close();
  return figures;
}

describe("a short proof", () => {
  test.for(Object.entries(PLACES))("of the lock on %s", async ([, open], { skip }) => {
    const figures = await short(open, "lock", 2_000);
    if (figures === null) return skip("its engine is not installed");
    const { verdict, failures } = figures;
    expect({ ...verdict, failures }).toMatchObject({ faults: [], unknown: [], failures: [] });
    expect(verdict.grants).toBeGreaterThan(0);
  });

  test("of a set that the fence guards, while its writers are frozen", async () => {
    const figures = await short(PLACES.tcp as OpenPlace, "fenced-set", 2_000);
    expect(figures).toMatchObject({
      verdict: { faults: [], unknown: [] },
      failures: [],
      destroyed: [],
    });
    expect(figures?.writes).toBeGreaterThan(5);
  });
});

test("a resource refuses a writer that wakes between the read and the write of the next one", async () => {
  const resource = await Resource.start();
  onTestFinished(() => resource.close());
  const ask = openResource(resource.port);
  await ask({ ask: "read", key: "k", fence: 1 });
  await ask({ ask: "read", key: "k", fence: 2 });
  const late = await ask({ ask: "write", key: "k", fence: 1, elements: ["old"] });
  const next = await ask({ ask: "write", key: "k", fence: 2, elements: ["new"] });
  expect([late, next]).toEqual([{ stands: false }, { stands: true }]);
  expect(resource.lost).toEqual([]);
});
