import { appendFileSync } from "node:fs";
import { toTheSecond } from "../../forecast/words.ts";
import { formatDuration } from "../../lock/duration.ts";
import { namesOf } from "../inputs.ts";
import type { State } from "../state.ts";
import { type Ending, summaryOf } from "../summary/summary.ts";
import type { Stage } from "../workflow.ts";

/** Says that a step held the lock although it did not run. The runner checks no `if:` before pre. */
export function reportSkipped({ core }: Stage, { inputs, outcome }: State): void {
  if (!outcome?.acquired || inputs.stage === "main") return;
  core.info(
    `holdfast: the step itself did not run (its if: was false, or a step before it failed), and ${namesOf(inputs)} ${inputs.keys.length === 1 ? "was" : "were"} held all the same, from the start of the job: a step's if: counts only with stage: main.`,
  );
}

/** Says how the hold ended: a line, and an annotation if the lock was lost. */
export function reportEnding(stage: Stage, state: State, ending: Ending, now: number): void {
  const { core } = stage;
  const { outcome, inputs } = state;
  const names = namesOf(inputs);
  const isOne = inputs.keys.length === 1;
  if (outcome === null && state.inLine) {
    // Nothing was held, so nothing was lost: a newer claim may have ended the place.
    core.info(
      ending.outcome === "lost"
        ? `holdfast: had left the line for ${names} before the step: ${ending.reason}`
        : `holdfast: left the line for ${names}, since the step did not take the lock`,
    );
    return;
  }
  if (outcome?.acquired) {
    const held = now - Date.parse(outcome.since);
    if (ending.outcome === "released")
      core.info(`holdfast: ${names} released after ${formatDuration(held)}`);
    if (ending.outcome === "recovered")
      core.warning(
        `${names} ${isOne ? "was" : "were"} released without a keeper: ${ending.reason}`,
      );
    if (ending.outcome === "left" && outcome.until !== null)
      core.info(
        `holdfast: ${names} ${isOne ? "stays" : "stay"} with this run, until mode: release, the end of the run where it can be seen, or ${toTheSecond(outcome.until)}`,
      );
  }
  if (ending.outcome === "lost" || ending.outcome === "recovered")
    for (const line of ending.log) core.info(`keeper: ${line}`);
  if (ending.outcome === "lost") reportLoss(stage, state, ending);
}

/** The step summary, where the runner takes one. One append, as core.summary does it in the end. */
export function writeSummary(stage: Stage, state: State, ending: Ending, now: number): void {
  const path = stage.env.GITHUB_STEP_SUMMARY;
  if (state.outcome === null || !path) return;
  appendFileSync(path, summaryOf(state, ending, now));
}

function reportLoss(stage: Stage, state: State, lost: Extract<Ending, { outcome: "lost" }>): void {
  const { core } = stage;
  const now = nowHeldBy(lost.who);
  const reason = lost.reason.endsWith(".") ? lost.reason : `${lost.reason}.`;
  const key = JSON.stringify(lost.key ?? state.inputs.key);
  const message = `The lock ${key} was lost before the job ended. ${reason} ${now} What this job did after that was not protected.`;
  if (state.inputs.onLost === "fail") core.setFailed(message);
  else core.error(message, { title: "Holdfast: lock lost" });
}

/** Who holds the lock now; if the store cannot be asked, that is not known. */
function nowHeldBy(who: string | null | undefined): string {
  if (who === undefined) return "Who holds it now is not known.";
  return who === null ? "Nobody holds it now." : `It is now held by ${who}.`;
}
