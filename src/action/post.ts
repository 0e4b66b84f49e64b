import { type Released, releaseLease } from "../keeper/client/release.ts";
import { endStage } from "./end.ts";
import { readState, type State } from "./state.ts";

/**
 * The keeper is asked before anything else, and lets go while this process loads what it needs to
 * tell about it. Where no stage got as far as a claim, there is nothing to do.
 */
const state = stateOrNothing();
if (state !== null) {
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>();
  const history = state.inputs.history === "auto";
  const releasing: Promise<Released> = releaseLease(state.leaseFile, { history, onAsked });
  // Whatever goes wrong is told below, which is not yet loaded.
  await Promise.race([asked, releasing.catch(() => {})]);
  const { runPost } = await import("./finish.ts");
  await runPost(state, releasing);
  endStage();
}

/** Letting go is the last thing a job does, and fails no job: the keeper ends with the job in any case. */
function stateOrNothing(): State | null {
  try {
    return readState(process.env);
  } catch {
    process.stdout.write("::warning::Holdfast cannot read what its earlier stages saved.\n");
    return null;
  }
}
