/**
 * A process that an engine tells of a change, and that makes the next one: a hand-off without a lock.
 * Two of them take turns as the holders of a lock do, so that both are measured alike.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Register } from "../../src/stores/engines/register.ts";
import { HOLD_MS, now, type Turn } from "../lib/turn.ts";
import { newDocument, ROWS } from "./rows.ts";

export interface BareTask {
  readonly turns: number;
  /** The beacon of this process, and that of the other. */
  readonly own: string;
  readonly other: string;
  readonly isFirst: boolean;
}

const KEY = "bare";
const LONG_MS = 60_000;
const [, , url = "", name = ""] = process.argv;

/** `granted` is when it was told, `released` when its own change began. */
async function takeTurns(register: Register, task: BareTask): Promise<Turn[]> {
  const { own, other } = task;
  await register.beacons?.light(own, LONG_MS);
  let { version } = await register.read(KEY, { strong: true, beacon: own });
  const turns: Turn[] = [];
  for (let turn = 0; turn < task.turns; turn++) {
    let granted = now();
    while (turn > 0 || !task.isFirst) {
      await register.changed(KEY, version, { pause: LONG_MS, beacon: own });
      granted = now();
      const seen = await register.read(KEY, { strong: true, beacon: own });
      // A register may also wake for nothing.
      if (seen.version === version) continue;
      ({ version } = seen);
      break;
    }
    await delay(HOLD_MS);
    const released = now();
    const options = { lights: own, wakes: [other] };
    const swap = await register.swap(KEY, version, newDocument(), options);
    if (swap.outcome !== "done") throw new Error(`${name}: a bare swap is ${swap.outcome}`);
    ({ version } = swap);
    turns.push({ pid: process.pid, granted, released });
  }
  return turns;
}

if (process.send !== undefined) {
  const row = ROWS.find((each) => each.name === name);
  if (row === undefined) throw new Error(`there is no engine ${name}`);
  const register = row.open(url);
  process.on("message", (task: BareTask) => {
    void takeTurns(register, task).then((turns) => process.send?.(turns));
  });
  process.on("disconnect", () => void register.close());
  process.send("ready");
}
