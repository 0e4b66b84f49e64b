import { formatDuration } from "../../lock/duration.ts";
import { LockError, messageOf } from "../../lock/errors.ts";
import type { Holding } from "../../lock/store.ts";
import { TIMER_LIMIT_MS } from "../../lock/time.ts";
import type { Io } from "../io.ts";
import { reportError, reportJson, say } from "../output.ts";
import { childEnvironment, type RunningCommand, startCommand } from "./child.ts";
import { Forwarder } from "./forwarder.ts";
import type { Plan } from "./plan.ts";
import { Sentinel } from "./sentinel.ts";
import type { Signals } from "./signals.ts";

const LOST_CODE = 123;

export interface Manner {
  readonly json: boolean;
  readonly quiet: boolean;
}

/** Runs the command while the lock is held, then releases it. Resolves to the exit code of `run`. */
export async function runUnderLock(
  holding: Holding,
  plan: Plan,
  signals: Signals,
  io: Io,
  manner: Manner,
): Promise<number> {
  if (holding.lost.aborted) throw holding.lost.reason;
  const sentinel = new Sentinel();
  let code: number;
  try {
    sentinel.post();
    const command = await startCommand(plan.commandLine, childEnvironment(io.env, holding));
    // From here on the lock outlives even a kill -9 of this process, as long as the command runs.
    void holding.cover(command.pid).catch(() => {});
    const onTerminal = process.stdin.isTTY === true || io.stderr.isTerminal;
    signals.forwardTo(new Forwarder(command.process, sentinel, onTerminal).receive);
    code = await endOf(command, holding, plan.grace, io);
  } catch (error) {
    await release(holding, io);
    throw error;
  } finally {
    // There is no command to signal any more, and the release takes only a moment.
    signals.forwardTo(() => {});
    sentinel.dismiss();
  }
  if (!holding.lost.aborted && (await release(holding, io)) !== "already-gone") return code;
  return lost(holding, code, io, manner);
}

/** Waits for the command's end; stops it where the lock is lost before. */
async function endOf(
  command: RunningCommand,
  holding: Holding,
  grace: number | null,
  io: Io,
): Promise<number> {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    const killed = grace === null ? "" : `, and SIGKILL after ${formatDuration(grace)}`;
    say(io, `${messageOf(holding.lost.reason)} The command gets SIGTERM${killed}.`);
    command.process.kill("SIGTERM");
    if (grace === null) return;
    timer = setTimeout(() => command.process.kill("SIGKILL"), Math.min(grace, TIMER_LIMIT_MS));
  };
  if (holding.lost.aborted) stop();
  else holding.lost.addEventListener("abort", stop);
  const code = await command.ended;
  holding.lost.removeEventListener("abort", stop);
  clearTimeout(timer);
  return code;
}

/** Releases the lock, and tells whether it was still there. A failure is said, and is not the command's. */
export async function release(
  holding: Holding,
  io: Io,
): Promise<"released" | "already-gone" | "failed"> {
  try {
    return await holding.release();
  } catch (error) {
    const { key } = holding.lease;
    say(
      io,
      `warning: the lock ${JSON.stringify(key)} was not released: ${messageOf(error)} The next claim takes it over once this process has ended.`,
    );
    return "failed";
  }
}

/** Whatever the command's own code was: it may have run beside another holder's. */
function lost(holding: Holding, code: number, io: Io, manner: Manner): number {
  if (holding.lost.aborted) {
    // Said already, when it happened.
    const error = holding.lost.reason;
    if (manner.json) reportJson(error as LockError, io);
  } else {
    const { key } = holding.lease;
    const sentence = `The lock ${JSON.stringify(key)} was lost before the command ended, with exit code ${code}.`;
    reportError(new LockError("LOCK_LOST", sentence), io, manner.json);
  }
  return LOST_CODE;
}
