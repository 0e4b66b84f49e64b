import fc from "fast-check";
import { expect } from "vitest";
import { type ModelTerms, NAMES, type ReferenceTable } from "./reference.ts";
import type { World } from "./world.ts";

type Step = fc.Command<ReferenceTable, World>;

/** A command that does the same on both sides; afterwards both sides are compared. */
function step(name: string, run: (model: ReferenceTable, world: World) => void): Step {
  return {
    check: () => true,
    run(model, world) {
      run(model, world);
      world.compare(model);
    },
    toString: () => name,
  };
}

/** Which key has its turn first is nobody's business; within a key the order of holders shows it. */
function sortTold(model: ReferenceTable, world: World): void {
  world.told.sort();
  model.told.sort();
}

/** A party that is still here; `nth` counts round and round. */
function livingParty(world: World, nth: number): number {
  const living = world.parties.flatMap((party, index) => (party.gone ? [] : [index]));
  if (living.length === 0) {
    world.admit();
    return world.parties.length - 1;
  }
  return living[nth % living.length] as number;
}

const KEYS = ["a", "b", "c"];
const key = fc.constantFrom(...KEYS);
const limit = fc.constantFrom(1, 1, 1, 2, 3);
const lease = fc.constantFrom(1_000, 5_000, 33_000);
const nth = fc.nat(1_000);

/** A few parties meet each other more often than many would. */
const PARTIES = 3;

const admit = fc.constant(
  step("admit", (_, world) => {
    if (world.parties.filter((party) => !party.gone).length < PARTIES) world.admit();
  }),
);

const claim = fc.tuple(nth, key, limit, lease, fc.boolean()).map(([which, name, slots, ms, two]) =>
  step(`${two ? "enqueue" : "claim"} ${name} limit ${slots} by ${which}`, (model, world) => {
    const index = livingParty(world, which);
    const party = world.party(index);
    const result = two
      ? world.table.enqueue(party, name, slots, ms)
      : world.table.claim(party, name, slots, ms);
    model.choose = (keys) => keys.find((one) => world.table.find(one) === undefined) ?? "none";
    const expected = model.claim(index, name, slots, ms, { enqueued: two });
    if (typeof result !== "string") world.add(result);
    expect(typeof result === "string" ? result : result.state).toBe(expected);
  }),
);

const terms = fc.record({
  weight: fc.constantFrom(1, 1, 2, 3),
  priority: fc.constantFrom(0, 0, 0, 1, -1),
  ready: fc.constantFrom(true, true, false),
  named: fc.constantFrom(false, false, true),
  newest: fc.boolean(),
  age: fc.constantFrom(0, 0, 0, 2_000),
  run: fc.constantFrom(null, null, "r1", "r2"),
});

/** A claim of a run, one that wants to be the newest, one with a weight or a priority, or all of that. */
const claimOn = (names: typeof key, limits: typeof limit, asking: fc.Arbitrary<ModelTerms>) =>
  fc.tuple(nth, names, limits, lease, asking).map(([which, name, slots, ms, asked]) =>
    step(`claim ${name} limit ${slots} by ${which}, ${JSON.stringify(asked)}`, (model, world) => {
      const index = livingParty(world, which);
      model.choose = (keys) => keys.find((one) => world.table.find(one) === undefined) ?? "none";
      const share = { ...asked, weight: Math.min(slots, asked.weight) };
      const resources = asked.named ? NAMES.slice(0, slots) : null;
      const result = world.table.claim(world.party(index), name, slots, ms, {
        ...share,
        resources,
      });
      const expected = model.claim(index, name, slots, ms, share);
      if (typeof result === "string") {
        expect(result).toBe(expected);
        return;
      }
      expect(result.state === "over" ? "superseded" : result.state).toBe(expected);
      // What a run holds is given again; what came too late is nowhere.
      if (result.state !== "over" && !world.knows(result)) world.add(result);
    }),
  );

const claimOnTerms = claimOn(key, limit, terms);

/** A claim that waited before a restart, and may come back with `stepBack`. */
const restorePlace = fc
  .tuple(nth, key, limit, fc.constantFrom(500, 20_000), terms, fc.constantFrom(0, 8, 10))
  .map(([which, name, slots, left, asked, passed]) =>
    step(`restore the place of ${which} for ${name}, ${JSON.stringify(asked)}`, (model, world) => {
      if (model.closing) return;
      const index = livingParty(world, which);
      const place = model.claims.length + 1;
      const entry = world.table.find(name);
      // All claims of a key agreed before the restart.
      if (entry?.isUsed && entry.limit !== slots) return;
      const { newest, run, age, priority, ready, named } = asked;
      const weight = Math.min(slots, asked.weight);
      const resources = named ? NAMES.slice(0, slots) : null;
      const share = { weight, priority, passed, ready };
      const since = world.wall - 1_000;
      const what = { place, key: name, limit: slots, lease: 1_000, since, left, newest, run };
      const kept = { ...what, ...share, resources, asked: world.wall - age };
      world.table.restorePlace(world.party(index), kept);
      const restored = [...(world.table.find(name)?.waiters ?? [])].at(-1);
      world.add(restored as (typeof world.claims)[number]);
      model.restorePlace(index, name, slots, left, { ...asked, ...share });
    }),
  );

const slot = fc.constantFrom(null, null, 0, 1, 2);

const freeze = fc.tuple(key, slot, fc.constantFrom(null, 0, 500, 5_000)).map(([name, only, ms]) =>
  step(`freeze ${name}, slot ${only}, for ${ms}`, (model, world) => {
    const until = ms === null ? null : new Date(world.wall + ms).toISOString();
    const since = new Date(world.wall).toISOString();
    world.table.freeze(name, { by: "ann", reason: "incident", since, until }, only);
    model.freeze(name, only, ms === null ? Number.POSITIVE_INFINITY : world.wall + ms);
  }),
);

const thaw = fc.tuple(key, slot).map(([name, only]) =>
  step(`thaw ${name}, slot ${only}`, (model, world) => {
    expect(world.table.thaw(name, "ann", only) !== null).toBe(model.thaw(name, only));
  }),
);

const releaseRun = fc.tuple(key, fc.constantFrom("r1", "r2")).map(([name, run]) =>
  step(`release ${name} of the run ${run}`, (model, world) => {
    const held = world.table.holdOfRun(name, run);
    if (held !== null) world.table.release(name, held.token);
    expect(held !== null).toBe(model.releaseRun(name, run));
  }),
);

const attend = fc.tuple(nth, key).map(([which, name]) =>
  step(`attend ${name} by ${which}`, (model, world) => {
    const index = livingParty(world, which);
    const result = world.table.attend(world.party(index), name);
    expect(typeof result === "string" ? result : result.state).toBe(model.attend(index, name));
  }),
);

/** Mostly of the last claims: the older ones are over. */
function pick(world: World, which: number): number | null {
  const { length } = world.claims;
  return length === 0 ? null : length - 1 - (which % Math.min(length, 20));
}

const withdraw = nth.map((which) =>
  step(`withdraw ${which}`, (model, world) => {
    const index = pick(world, which);
    if (index === null) return;
    const done = world.table.withdraw(world.claims[index] as never);
    expect(done).toBe(model.withdraw(model.claims[index] as never));
  }),
);

/** Of a claim that waits: the door that keeps its place asks for nothing else. */
const stepAside = fc.tuple(nth, fc.boolean()).map(([which, aside]) =>
  step(`${aside ? "step aside" : "step back"} ${which}`, (model, world) => {
    const waiting = world.claims.flatMap(({ state }, index) =>
      state === "waiting" ? [index] : [],
    );
    const index = waiting[which % waiting.length];
    if (index === undefined) return;
    const real = world.claims[index] as (typeof world.claims)[number];
    const expected = model.claims[index] as never;
    if (aside) {
      real.absent = true;
      model.stepAside(expected);
    } else {
      world.table.stepBack(real);
      model.stepBack(expected);
    }
  }),
);

const declare = nth.map((which) =>
  step(`declare ${which} ready`, (model, world) => {
    const waiting = world.claims.flatMap(({ state, declared }, index) =>
      state === "waiting" && !declared ? [index] : [],
    );
    const index = waiting[which % waiting.length];
    if (index === undefined) return;
    const real = world.claims[index] as (typeof world.claims)[number];
    world.table.declare(real);
    world.table.stepBack(real);
    model.declare(model.claims[index] as never);
  }),
);

const renew = fc.tuple(nth, nth, lease).map(([which, who, ms]) =>
  step(`renew ${which} by ${who}`, (model, world) => {
    const index = pick(world, which);
    if (index === null) return;
    const real = world.claims[index] as (typeof world.claims)[number];
    const party = livingParty(world, who);
    const done = world.table.renew(world.party(party), real.entry.key, real.token, ms);
    expect(done !== "not-held").toBe(model.renew(party, model.claims[index] as never, ms));
  }),
);

const release = nth.map((which) =>
  step(`release ${which}`, (model, world) => {
    const index = pick(world, which);
    if (index === null) return;
    const real = world.claims[index] as (typeof world.claims)[number];
    const done = world.table.release(real.entry.key, real.token);
    expect(done !== "not-held").toBe(model.release(model.claims[index] as never));
  }),
);

const releaseWrongly = fc
  .tuple(nth, key, fc.constantFrom(..."0123456789abcdef"))
  .map(([which, name, digit]) =>
    step(`release ${which} with a wrong token or key`, (_, world) => {
      const index = pick(world, which);
      if (index === null) return;
      const real = world.claims[index] as (typeof world.claims)[number];
      const forged = `${real.token.slice(0, -1)}${digit === real.token.at(-1) ? "x" : digit}`;
      expect(world.table.release(real.entry.key, forged)).toBe("not-held");
      if (name !== real.entry.key) expect(world.table.release(name, real.token)).toBe("not-held");
    }),
  );

const breakKey = fc.tuple(key, fc.option(nth)).map(([name, which]) =>
  step(`break ${name}`, (model, world) => {
    const entry = world.table.find(name);
    const chosen = which === null ? undefined : [...(entry?.holders ?? [])][which % 3];
    const number = chosen === undefined ? null : world.claims.indexOf(chosen);
    world.table.break(name, chosen?.slot);
    model.break(name, (one) => number === null || one.id === number);
  }),
);

const dismiss = fc.tuple(nth, fc.boolean()).map(([which, free]) =>
  step(`dismiss ${which}${free ? "" : " and keep its leases"}`, (model, world) => {
    const index = livingParty(world, which);
    world.table.dismiss(world.party(index), free);
    model.dismiss(index, free);
    sortTold(model, world);
  }),
);

const pass = fc
  .tuple(fc.constantFrom(1, 400, 2_000, 20_000), fc.integer({ min: -60_000, max: 60_000 }))
  .map(([ms, jump]) =>
    step(`${ms} ms pass, and the wall clock jumps by ${jump}`, (model, world) => {
      model.now += ms;
      world.monotonic += ms;
      world.wall += ms + jump;
      model.wall = world.wall;
    }),
  );

const sweep = fc.constant(
  step("sweep", (model, world) => {
    world.table.sweep();
    model.sweep();
    sortTold(model, world);
  }),
);

const collect = fc.constantFrom(0, 1_000, 60_000).map((idle) =>
  step(`collect what was idle for ${idle} ms`, (model, world) => {
    world.table.collect(idle);
    model.collect(idle);
  }),
);

const close = fc.constant(
  step("close", (model, world) => {
    world.table.close();
    model.close();
    sortTold(model, world);
  }),
);

const common = [
  ...[admit, claim, claim, claimOnTerms, attend, withdraw, renew, release, release],
  ...[pass, sweep],
];
const rare = [
  restorePlace,
  restorePlace,
  ...[releaseWrongly, breakKey, dismiss, dismiss, collect, stepAside, stepAside, stepAside],
  ...[freeze, thaw, releaseRun, declare, declare],
];

/** One key of three slots, whose claims agree about it: so they meet each other in its line. */
const share = terms.map(({ weight, priority, ready }) => {
  return { weight, priority, ready, named: false, newest: false, age: 0 as const, run: null };
});
const claimShare = claimOn(fc.constant("a"), fc.constant(3), share);
export const sharingSteps = [
  ...[admit, claimShare, claimShare, claimShare, claimShare, release, release, release],
  ...[withdraw, withdraw, stepAside, stepAside, declare, dismiss, pass, freeze, thaw],
];

/** Of a working table, and of one that may close in the middle. */
export const workingSteps = [...common, ...common, ...rare];
export const closingSteps = [...workingSteps, close];
