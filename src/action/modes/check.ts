import { frozenInLine, holdersInLine } from "../../forecast/words.ts";
import type { KeyStatus } from "../../lock/status.ts";
import { installCommand, offerCommand } from "../environment.ts";
import { parseInputs } from "../inputs.ts";
import { checkStore, openStepStore } from "../store.ts";
import type { Stage } from "../workflow.ts";

/**
 * Reads who holds the keys, and takes nothing. A holder that is known to be dead counts as none: the
 * next claim gets its lock at once. Later steps have the command, to freeze a key for instance.
 */
export async function check(stage: Stage): Promise<void> {
  const { core } = stage;
  const inputs = parseInputs(core.getInput, stage.env);
  installCommand(stage);
  offerCommand(stage);
  const { store } = await openStepStore(stage, inputs);
  try {
    checkStore(stage, store);
    const statuses: KeyStatus[] = [];
    for (const key of inputs.keys) statuses.push(await store.inspect(store.keyOf(key)));
    for (const status of statuses) core.info(`holdfast: ${lineOf(status, Date.now())}`);
    const [first] = statuses.flatMap(holdersOf);
    core.setOutput("key", inputs.key);
    core.setOutput("store", store.url);
    core.setOutput("held", first !== undefined);
    core.setOutput("holder", first === undefined ? "" : JSON.stringify(first));
  } finally {
    await store.close();
  }
}

function holdersOf({ holders }: KeyStatus) {
  return holders.filter(({ reclaimable }) => reclaimable === null);
}

function lineOf(status: KeyStatus, now: number): string {
  const holders = holdersOf(status);
  const held = holders.length === 0 ? "free" : `held by ${holdersInLine(holders, now)}`;
  const frozen = status.frozen === null ? "" : `; ${frozenInLine(status.frozen)}`;
  const waiting = status.waiting === 0 ? "" : `; ${status.waiting} waiting`;
  return `${status.key} is ${held}${frozen}${waiting}`;
}
