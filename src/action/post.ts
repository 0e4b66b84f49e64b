import { type Released, releaseLease } from "../keeper/client.ts";
import { readState } from "./state.ts";

/**
 * The keeper is asked before anything else, and lets go while this process loads what it needs to
 * tell about it. Where no stage got as far as a claim, there is nothing to do.
 */
const state = readState(process.env);
if (state !== null) {
  const releasing: Promise<Released> = releaseLease(state.leaseFile, {
    history: state.inputs.history === "auto",
  });
  // Whatever goes wrong is told below, which is not yet loaded.
  releasing.catch(() => {});
  const { runPost } = await import("./finish.ts");
  await runPost(state, releasing);
}
