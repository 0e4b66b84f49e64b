import { appendFileSync } from "node:fs";
import type { Released } from "../keeper/client/release.ts";
import { formatDuration } from "../lock/duration.ts";
import type { State } from "./state.ts";
import { summaryOf } from "./summary/summary.ts";
import type { Stage } from "./workflow.ts";

/** Says how it ended: a line, and an annotation where the lock was lost. */
export function reportRelease(stage: Stage, state: State, released: Released, now: number): void {
  const { core } = stage;
  const { outcome, inputs } = state;
  if (outcome?.acquired) {
    const held = now - Date.parse(outcome.since);
    if (released.outcome === "released")
      core.info(`holdfast: ${inputs.key} released after ${formatDuration(held)}`);
    if (released.outcome === "recovered")
      core.warning(`${inputs.key} was released without its keeper: ${released.reason}`);
  }
  if (released.outcome === "lost" || released.outcome === "recovered")
    for (const line of released.log) core.info(`keeper: ${line}`);
  if (released.outcome === "lost") reportLoss(stage, state, released);
}

/** The step summary, where the runner takes one. One append, as core.summary does it in the end. */
export function writeSummary(stage: Stage, state: State, released: Released, now: number): void {
  const path = stage.env.GITHUB_STEP_SUMMARY;
  if (state.outcome === null || !path) return;
  appendFileSync(path, summaryOf(state, released, now));
}

function reportLoss(
  stage: Stage,
  state: State,
  lost: Extract<Released, { outcome: "lost" }>,
): void {
  const { core } = stage;
  const now = nowHeldBy(lost.holder);
  const reason = lost.reason.endsWith(".") ? lost.reason : `${lost.reason}.`;
  const message = `The lock ${JSON.stringify(state.inputs.key)} was lost before the job ended. ${reason} ${now} What this job did after that was not protected.`;
  if (state.inputs.onLost === "fail") core.setFailed(message);
  else core.error(message, { title: "Holdfast: lock lost" });
}

/** Who holds it now. A store that cannot be asked is no reason to say that nobody does. */
function nowHeldBy(holder: string | null | undefined): string {
  if (holder === undefined) return "Who holds it now is not known.";
  return holder === null ? "Nobody holds it now." : `It is now held by ${holder}.`;
}
