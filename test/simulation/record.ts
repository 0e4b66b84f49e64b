import type { ClaimEvent, Event } from "../history/event.ts";
import type { Universe } from "./clockwork/universe.ts";

type Told = Event extends infer Each ? (Each extends Event ? Omit<Each, "at"> : never) : never;

/** What a claim asks for, and whether it may have the lock already. */
export interface ClaimRank {
  readonly weight: number;
  readonly priority: number;
  isReady: boolean;
}

/** The history of a simulation, in microseconds of its time, and what only a simulation can know. */
export class Record {
  readonly events: Event[] = [];
  /** Of claims that were lost by silence: until when nobody else may hold, in microseconds. */
  readonly safeUntil = new Map<string, number>();
  /** How often each kind of fault was done. */
  readonly faults = new Map<string, number>();
  /** Claims whose session the server may have forgotten, though not their locks. */
  readonly forgotten = new Set<string>();
  /** When keys were broken: between these two times, in microseconds. */
  readonly breaks: { readonly key: string; readonly from: number; to: number }[] = [];
  readonly #universe: Universe;

  constructor(universe: Universe) {
    this.#universe = universe;
  }

  get now(): number {
    return Math.round(this.#universe.now * 1_000);
  }

  write(event: Told, to = this.events): void {
    to.push({ ...event, at: this.now } as Event);
    const { process, event: what } = event;
    if (what === "claim") this.begin(process);
    const { claim, fence, outcome } = event as Partial<ClaimEvent> & {
      fence?: number;
      outcome?: string;
    };
    const words = [what, claim, fence, outcome].filter((word) => word !== undefined);
    this.#universe.say(process, words.join(" "));
  }

  /** Notes that something is done to the world. */
  fault(kind: string, what: string): void {
    this.faults.set(kind, (this.faults.get(kind) ?? 0) + 1);
    this.#universe.say("fate", `${kind}: ${what}`);
  }

  /** The server may have forgotten the sessions of all that hold now: its clock was set while it was away. */
  forget(): void {
    for (const event of this.events) {
      if (event.event === "granted") this.forgotten.add(event.claim);
      else if (event.event === "released") this.forgotten.delete(event.claim);
    }
  }

  /** What each process claims at the moment. */
  readonly ranks = new Map<string, ClaimRank>();
  /** What ended too early or too late by the true time, a sentence each. */
  readonly untimely: string[] = [];
  /** When each process began its latest claim, or was ready for its lock, in milliseconds. */
  readonly began = new Map<string, number>();
  /** Who was served by which fence, and when, in milliseconds: where the world sees it. */
  readonly grants = new Map<string, { readonly owner: string; readonly at: number }>();
  /** What befell claims that share a lock of their run: they neither stand in line nor have a fence of their own. */
  readonly shared: Event[] = [];

  begin(process: string): void {
    this.began.set(process, this.#universe.now);
  }

  /** Whether a claim of a process has got the lock that its run had before. */
  isShared(process: string, key: string, fence: number | null): boolean {
    const grant = this.grants.get(`${key} ${fence}`);
    if (grant === undefined) return false;
    return grant.owner !== process || grant.at < (this.began.get(process) ?? 0);
  }

  /** Somebody begins to break a key. The answer is to be called when it is done, or has failed. */
  breaking(key: string): () => void {
    this.#universe.say("operator", `breaks ${key}`);
    const entry = { key, from: this.now, to: Number.POSITIVE_INFINITY };
    this.breaks.push(entry);
    return () => {
      entry.to = this.now;
      this.#universe.say("operator", `has broken ${key}`);
    };
  }
}
