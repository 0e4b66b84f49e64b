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
  /** The session of this process, and that of the other. */
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
  const session = register.session(own, LONG_MS);
  await session.renew();
  let { version } = await session.read(KEY, { strong: true });
  const turns: Turn[] = [];
  for (let turn = 0; turn < task.turns; turn++) {
    let granted = now();
    while (turn > 0 || !task.isFirst) {
      await session.changed(KEY, version, { pause: LONG_MS });
      granted = now();
      const seen = await session.read(KEY, { strong: true });
      // A register may also wake for nothing.
      if (seen.version === version) continue;
      ({ version } = seen);
      break;
    }
    await delay(HOLD_MS);
    const released = now();
    const swap = await session.swap(KEY, version, newDocument(), { wakes: [other] });
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
