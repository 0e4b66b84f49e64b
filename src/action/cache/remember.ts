import { here, identify } from "../../ci/index.ts";
import type { Hold } from "../../lock/history.ts";
import type { Outcome, State } from "../state.ts";
import type { Stage } from "../toolkit.ts";
import { Recall } from "./client.ts";

/** Adds this job's hold, which has just ended, to the memory in the cache. Resolves to the holds before. */
export async function remember(
  stage: Stage,
  state: State,
  outcome: Extract<Outcome, { acquired: true }>,
  now: number,
): Promise<readonly Hold[]> {
  const { inputs, owner, store } = state;
  const { since, waited, fence } = outcome;
  const { metadata } = identify({ ...here(), env: stage.env }).owner;
  const held = Math.max(0, now - Date.parse(since));
  const hold = { owner, since, waited, held, fence, slot: 0, end: "released", metadata } as const;
  const memory = new Recall(stage, inputs.key, store);
  try {
    return await memory.add(hold);
  } finally {
    memory.end();
  }
}
