import { Forecast } from "../../forecast/forecast.ts";
import { historyOf } from "../../lock/history.ts";
import { shareOf } from "../../lock/request.ts";
import type { Progress, Store } from "../../lock/store.ts";
import { withoutPassword } from "../../lock/text.ts";
import type { Input } from "../command.ts";
import { statusCommandOf } from "../context.ts";
import type { Io } from "../io.ts";
import type { ClaimPlan } from "./plan.ts";
import { openWaitingLine } from "./waiting-line.ts";

/** What people are told while a claim of this process waits. */
export interface Waiting {
  readonly update: (progress: Progress) => void;
  /** Whether anything was said. */
  readonly shown: boolean;
  /** The command that tells more about the key that is waited for. */
  readonly look: string;
  end(): void;
}

/** The waiting line of a claim, with the turn that the history of the key lets expect. */
export function openWaiting(store: Store, plan: ClaimPlan, input: Input, io: Io): Waiting {
  const { request, timeout } = plan;
  let look = statusCommandOf(request.key, input);
  const name = request.key || withoutPassword(input.store);
  const line = openWaitingLine(name, timeout, () => look, io);
  const forecast = new Forecast({
    ...shareOf(request),
    history: historyOf(store, request.key),
    onProgress: line.update,
  });
  return {
    update: (progress) => {
      if (progress.key !== undefined) look = statusCommandOf(progress.key, input);
      if (!input.quiet) forecast.update(progress);
    },
    get shown() {
      return line.shown;
    },
    get look() {
      return look;
    },
    end: () => {
      forecast.end();
      line.end();
    },
  };
}
