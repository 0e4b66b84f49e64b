import { type ForecastStatus, withEstimates } from "../../../forecast/status.ts";
import { isStuck } from "../../../forecast/turn.ts";
import { ago, frozenInLine, frozenName } from "../../../forecast/words.ts";
import { counted } from "../../../lock/people/names.ts";
import { whoIs } from "../../../lock/people/who.ts";
import { type Holder, type KeyStatus, stoppedProcess } from "../../../lock/status.ts";
import type { Store } from "../../../lock/store.ts";
import type { Input } from "../../command.ts";
import { commandFor } from "../../context.ts";
import { lineName } from "../../output.ts";
import type { Finding } from "./finding.ts";

/** A finding for each key that will not go on by itself; if there is none, one finding that says so. */
export async function stuckIn(
  store: Store,
  found: readonly KeyStatus[],
  input: Input,
): Promise<Finding[]> {
  const now = Date.now();
  const stuck = (await withEstimates(store, found, now)).flatMap((status) => [
    ...frozen(status, input),
    ...status.holders.flatMap((holder) => stuckHolder(holder, status, store, input, now)),
  ]);
  if (stuck.length > 0) return stuck;
  const waiting = found.reduce((sum, status) => sum + status.waiting, 0);
  const says = `nothing is stuck: ${counted(found.length, "key")} in use, ${counted(waiting, "claim")} waiting`;
  return [{ about: "stuck", ok: true, says }];
}

function frozen({ key, frozen, frozenSlots, resources }: KeyStatus, input: Input): Finding[] {
  const whole = frozen === null ? [] : [{ ...frozen, name: lineName(key), more: "" }];
  const parts = frozenSlots.map((freeze) => {
    const name = `${frozenName(freeze, resources)} of ${lineName(key)}`;
    return { ...freeze, name, more: ` --slot ${freeze.slot}` };
  });
  return [...whole, ...parts].map(({ name, more, ...freeze }) => ({
    about: "stuck",
    ok: false,
    says: `${name} is ${frozenInLine(freeze)}`,
    todo: `when that is over, ${commandFor("thaw", key, input, more)}`,
  }));
}

function stuckHolder(
  holder: Holder,
  status: ForecastStatus,
  store: Store,
  input: Input,
  now: number,
): Finding[] {
  const { key, slots } = status;
  const slot = slots > 1 ? ` --slot ${holder.slot}` : "";
  const breakIt = `${commandFor("break", key, input, slot)} --reason TEXT`;
  const found = (says: string, todo: string): Finding[] => [
    { about: "stuck", ok: false, says: `${lineName(key)} ${says}`, todo },
  ];
  const since = ago(holder.since, now) ?? "an unknown time";
  if (holder.problem !== undefined) {
    return found(
      `has a lock that cannot be read (${holder.problem})`,
      `if it is garbage, ${breakIt}`,
    );
  }
  if (holder.reclaimable !== null) {
    const clean = store.clean === undefined ? "" : `, or ${commandFor("clean", "", input)}`;
    return found(
      `is held by ${whoIs(holder)}, which is gone (${holder.reclaimable})`,
      `the next claim takes it over${clean}`,
    );
  }
  if (holder.stopped) {
    const pid = stoppedProcess(holder);
    return found(
      `is held by ${whoIs(holder)}, which is stopped (process ${pid})`,
      `continue it with kill -CONT ${pid}, or ${breakIt}`,
    );
  }
  if (isStuck(status, now)) {
    return found(
      `is held by ${whoIs(holder)} for ${since}, far longer than usual`,
      `look whether it still works; if not, ${breakIt}`,
    );
  }
  return [];
}
