import { admit, type InLine, PLAIN, passedBy } from "../../src/lock/admission.ts";
import type { Event } from "./event.ts";

export interface GenerateOptions {
  readonly claims: number;
  readonly processes: number;
  readonly slots: number;
  /** How often a process is killed, stopped, or its lock broken, for one claim. */
  readonly faults: number;
  readonly tellWithin: number;
  /** Claims draw weights and priorities, and some stand in line before they are ready. */
  readonly shares?: boolean;
  /** Who enters next. Left out: the rule. */
  readonly rule?: typeof admit;
}

interface Actor {
  readonly process: string;
}

interface Waiting extends InLine {
  readonly id: string;
  readonly actor: Actor;
}

interface Held extends Waiting {
  readonly fence: number;
}

/**
 * Makes a history that is legal by construction: it plays a perfect lock, step by step, and notes
 * what its processes see. The effect of each call lies somewhere between its two events.
 */
export function generate(options: GenerateOptions, random: () => number): Event[] {
  const events: Event[] = [];
  const { slots, faults, tellWithin, shares = false, rule = admit } = options;
  const key = "k";
  let at = 1_000;
  let fence = 0;
  let number = 0;
  const pick = (count: number) => Math.floor(random() * count);
  const tick = (most = 50) => {
    at += 1 + pick(most);
    return at;
  };
  const actors: Actor[] = Array.from({ length: options.processes }, (_, index) => ({
    process: `p${index}`,
  }));
  let line: Waiting[] = [];
  const holders: Held[] = [];
  const free = new Set(actors);

  const settle = () => {
    for (;;) {
      const taken = holders.reduce((sum, { weight }) => sum + weight, 0);
      const [place] = rule(slots - taken, line);
      if (place === undefined) return;
      const passed = passedBy(line, place);
      line = line.map((each, at) =>
        passed.includes(at) ? { ...each, passed: each.passed + 1 } : each,
      );
      const [next] = line.splice(place, 1) as [Waiting];
      fence += 1 + pick(3);
      holders.push({ ...next, fence });
      const { id: claim, actor } = next;
      events.push({ at: tick(), process: actor.process, key, claim, event: "granted", fence });
    }
  };
  const endHold = (held: Held) => {
    holders.splice(holders.indexOf(held), 1);
    settle();
  };
  const claimNext = () => {
    const actor = [...free][pick(free.size)];
    if (actor === undefined) return;
    free.delete(actor);
    const claim = `c${number++}`;
    const { passed: _, ...share } = shares
      ? { ...PLAIN, weight: 1 + pick(slots), priority: pick(3) - 1, ready: random() < 0.7 }
      : PLAIN;
    const base = { process: actor.process, key, claim };
    events.push({ ...base, at: tick(), event: "claim", slots, ...share });
    line.push({ ...PLAIN, ...share, id: claim, actor });
    settle();
    if (isInLine(claim) && random() < 0.8) events.push({ ...base, at: tick(), event: "joined" });
  };
  const isInLine = (claim: string) => line.some(({ id }) => id === claim);
  const getReady = () => {
    const early = line.filter(({ ready }) => !ready);
    const next = early[pick(early.length)];
    if (next === undefined) return;
    const { id: claim, actor } = next;
    const base = { process: actor.process, key, claim };
    events.push({ ...base, at: tick(), event: "ready" });
    at = tick();
    line = line.map((each) => (each === next ? { ...each, ready: true } : each));
    settle();
    if (isInLine(claim) && random() < 0.8) events.push({ ...base, at: tick(), event: "stands" });
  };
  const releaseOne = () => {
    const held = holders[pick(holders.length)];
    if (held === undefined) return;
    const { actor, id: claim, fence: own } = held;
    const base = { process: actor.process, key, claim, fence: own };
    events.push({ ...base, at: tick(), event: "release" });
    at = tick();
    endHold(held);
    events.push({ ...base, at: tick(), event: "released", outcome: "released" });
    free.add(actor);
  };
  const giveUp = () => {
    const [waiting] = line.splice(pick(line.length), 1);
    if (waiting === undefined) return;
    const { actor, id: claim } = waiting;
    events.push({ at: tick(), process: actor.process, key, claim, event: "gave-up" });
    free.add(actor);
  };
  const disturb = () => {
    const held = holders[pick(holders.length)];
    if (held === undefined) return;
    const { actor } = held;
    const { process } = actor;
    const how = pick(3);
    if (how === 0) {
      events.push({ at: tick(), process, event: "kill" });
      endHold(held);
      // A run that ends before it has seen this leaves it out.
      if (random() < 0.8) events.push({ at: tick(), process, event: "ended" });
      free.add({ process: `q${number++}` });
      return;
    }
    if (how === 1) events.push({ at: tick(), process, event: "stop" });
    else events.push({ at: tick(), process: "admin", key, event: "break" });
    const robbed = how === 1 ? [held] : [...holders];
    for (const each of robbed) endHold(each);
    if (how === 1) events.push({ at: tick(), process, event: "continue" });
    for (const each of robbed) {
      at += pick(Math.floor(tellWithin / (2 * robbed.length + 4)));
      const told = { process: each.actor.process, key, claim: each.id };
      const isTold = random() < 0.5;
      if (isTold) events.push({ ...told, at: tick(), event: "lost" });
      if (!isTold || random() < 0.8) {
        events.push({ ...told, at: tick(), event: "release", fence: each.fence });
        const outcome = random() < 0.9 ? "already-gone" : "unknown";
        events.push({ ...told, at: tick(), event: "released", fence: each.fence, outcome });
      }
      free.add(each.actor);
    }
  };

  while (number < options.claims) {
    const dice = random();
    if (dice < faults) disturb();
    else if (dice < 0.45) claimNext();
    else if (dice < 0.5) giveUp();
    else if (shares && dice < 0.6) getReady();
    else releaseOne();
  }
  while (holders.length > 0) releaseOne();
  while (line.length > 0) giveUp();
  return events.sort((one, other) => one.at - other.at);
}
