import fc from "fast-check";
import { expect, it } from "vitest";
import { closingSteps, sharingSteps, workingSteps } from "./model/commands.ts";
import { ReferenceTable } from "./model/reference.ts";
import { World } from "./model/world.ts";

function run(
  commands: Iterable<fc.Command<ReferenceTable, World>>,
  maxLocks: number,
  maxWaiters: number,
): void {
  const setup = () => ({
    model: new ReferenceTable(maxLocks, maxWaiters),
    real: new World(maxLocks, maxWaiters),
  });
  let last: World | undefined;
  fc.modelRun(() => {
    const both = setup();
    last = both.real;
    return both;
  }, commands);
  if (last !== undefined) endInPeace(last);
}

/** Whatever happened: when all have gone, nothing is left behind. */
function endInPeace(world: World): void {
  for (const key of ["a", "b", "c"]) world.table.thaw(key, "ann");
  for (const party of world.parties) world.table.dismiss(party, true);
  world.monotonic += 40_000;
  world.table.sweep();
  expect([world.table.held, world.table.waiting]).toEqual([0, 0]);
  world.table.collect(0);
  expect(world.table.keys).toBe(0);
  for (const claim of world.claims) expect(claim.state).toBe("over");
  for (const party of world.parties)
    expect([party.claims().length, party.enqueued?.size ?? 0]).toEqual([0, 0]);
}

const bounds = fc.tuple(fc.constantFrom(0, 2, 4), fc.constantFrom(0, 1, 3));

it("does what the reference table does, over thousands of operations, expiries and disconnects", {
  timeout: 300_000,
}, () => {
  const commands = fc.commands(workingSteps, { maxCommands: 3_000, size: "max" });
  fc.assert(
    fc.property(commands, bounds, (steps, [maxLocks, maxWaiters]) =>
      run(steps, maxLocks, maxWaiters),
    ),
    { numRuns: 20 },
  );
});

it("does so in one long line of claims with weights, priorities and places that are kept", {
  timeout: 300_000,
}, () => {
  const commands = fc.commands(sharingSteps, { maxCommands: 120, size: "max" });
  fc.assert(
    fc.property(commands, (steps) => run(steps, 0, 0)),
    { numRuns: 400 },
  );
});

it("does so over many short stories, and when it is closed in the middle", {
  timeout: 300_000,
}, () => {
  const commands = fc.commands(closingSteps, { maxCommands: 60, size: "max" });
  fc.assert(
    fc.property(commands, bounds, (steps, [maxLocks, maxWaiters]) =>
      run(steps, maxLocks, maxWaiters),
    ),
    { numRuns: 1_000 },
  );
});
