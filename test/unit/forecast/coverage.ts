import { estimateTurn } from "../../../src/forecast/estimate.ts";
import { hold, holding, NOW } from "./holds.ts";
import { KINDS, playQueue } from "./queues.ts";

const SLOTS = [1, 3];
const PLACES = [1, 2, 3, 4, 5];

/** The part of simulated queues of a kind in which the true wait lay within the stated range. */
export function coverageOf(name: string, queues: number): number {
  const kind = KINDS[name];
  if (kind === undefined) throw new Error(`there is no kind ${name}`);
  let within = 0;
  let all = 0;
  for (const slots of SLOTS) {
    for (const position of PLACES) {
      for (let queue = 0; queue < queues; queue++) {
        const scene = playQueue(kind, slots, position, queue * 7_919 + slots * 31 + position * 101);
        const estimate = estimateTurn({
          holds: scene.past.map((time) => hold(time / 60_000)),
          holders: scene.elapsed.map((time) => holding(time / 60_000)),
          position,
          slots,
          now: NOW,
        });
        if (estimate === null) throw new Error("there is no estimate");
        const wait = scene.wait / 1_000;
        all += 1;
        if (wait >= estimate.lower && wait <= estimate.upper) within += 1;
      }
    }
  }
  return within / all;
}
