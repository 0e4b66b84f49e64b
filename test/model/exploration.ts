export interface Exploration {
  readonly states: number;
  readonly transitions: number;
  readonly ends: number;
  readonly grants: number;
  readonly deepest: number;
}

/** A violation, with the schedule that leads to it. */
export class Violation extends Error {
  readonly schedule: readonly string[];

  constructor(message: string, schedule: readonly string[]) {
    super(`${message}\n${schedule.map((line, index) => `${index + 1}. ${line}`).join("\n")}`);
    this.schedule = schedule;
  }
}

/** Runs a model that is wrong on purpose, and gives back what it found. */
export function violationIn(run: () => unknown): Violation {
  try {
    run();
  } catch (error) {
    if (error instanceof Violation) return error;
    throw error;
  }
  throw new Error("the model found nothing wrong");
}

/** A rolling hash in two halves: enough for millions of states, far cheaper than a digest. */
export function hashed(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x1000193;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    a = Math.imul(a ^ c, 0x01000193);
    b = Math.imul(b ^ (c + i), 0x85ebca6b) ^ (b >>> 13);
  }
  return `${(a >>> 0).toString(36)}.${(b >>> 0).toString(36)}`;
}
