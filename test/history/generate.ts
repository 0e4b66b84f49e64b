import type { Event } from "./event.ts";

export interface GenerateOptions {
  readonly claims: number;
  readonly processes: number;
  readonly slots: number;
  /** How often a process is killed, stopped, or its lock broken, for one claim. */
  readonly faults: number;
  readonly tellWithin: number;
}

interface Actor {
  readonly process: string;
}

interface Waiting {
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
  const { slots, faults, tellWithin } = options;
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
  const line: Waiting[] = [];
  const holders: Held[] = [];
  const free = new Set(actors);

  const settle = () => {
    while (holders.length < slots && line.length > 0) {
      const next = line.shift() as Waiting;
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
    events.push({ at: tick(), process: actor.process, key, claim, event: "claim", slots });
    line.push({ id: claim, actor });
    settle();
    if (line.some(({ id }) => id === claim) && random() < 0.8)
      events.push({ at: tick(), process: actor.process, key, claim, event: "joined" });
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
    else releaseOne();
  }
  while (holders.length > 0) releaseOne();
  while (line.length > 0) giveUp();
  return events.sort((one, other) => one.at - other.at);
}
