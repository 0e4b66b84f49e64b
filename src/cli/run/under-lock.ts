import type { Writable } from "node:stream";
import { isatty } from "node:tty";
import { formatDuration } from "../../lock/duration.ts";
import { LockError, messageOf } from "../../lock/errors.ts";
import { locksWere } from "../../lock/people/names.ts";
import { randomHex } from "../../machine/random.ts";
import { schemeOf } from "../../stores/open.ts";
import type { SeveralHolding } from "../../stores/several.ts";
import type { Io } from "../io.ts";
import { reportError, reportJson, say } from "../output.ts";
import { childEnvironment, type RunningCommand, startCommand } from "./child.ts";
import { Family } from "./family.ts";
import { Forwarder } from "./forwarder.ts";
import type { Plan } from "./plan.ts";
import { Sentinel } from "./sentinel.ts";
import { type Signal, type Signals, signalCode } from "./signals.ts";

const isWindows = process.platform === "win32";
const LOST_CODE = 123;
/** The exit code of a process of Windows that Ctrl-C, Ctrl-Break or a closed console has ended. */
const CONSOLE_EXIT = 0xc000013a;
/** How many random bytes a mark has: no two commands on a machine get the same. */
const MARK_BYTES = 8;
/** How long before others may have the lock a command is killed: the kernel needs a moment too. */
const KILL_MARGIN_MS = 500;

export interface Manner {
  readonly json: boolean;
  readonly quiet: boolean;
}

/** Runs the command while the lock is held, then releases it. Resolves to the exit code of `run`. */
export async function runUnderLock(
  holding: SeveralHolding,
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
    const lifeline = await coverBeforehand(holding, sentinel);
    const mark = randomHex(MARK_BYTES);
    const env = childEnvironment(io.env, holding, mark);
    const command = await startCommand(plan.commandLine, env, lifeline);
    // From here on the lock outlives a kill -9 of this process, as long as the command runs. On Windows
    // the command ends with this process, and its warden covers what is left.
    sentinel.tell(command.pid);
    if (!isWindows || lifeline === null) void holding.cover(command.pid).catch(() => {});
    const onTerminal = isatty(0) || io.stderr.isTerminal;
    const forwarder = new Forwarder(command.process, sentinel, onTerminal);
    signals.forwardTo(forwarder.receive);
    const family = new Family(command.pid, mark);
    code = await endOf(command, family, holding, plan.grace, io);
    if (code === CONSOLE_EXIT && forwarder.last !== null) code = signalCode(forwarder.last);
    await endRest(family, forwarder.last, code, plan.grace, io);
  } catch (error) {
    await release(holding, io);
    throw error;
  } finally {
    // There is no command to signal any more, and the release takes only a moment.
    signals.forwardTo(() => {});
    sentinel.dismiss();
  }
  const wasLost = holding.lost.aborted;
  // Of several keys, those that were not lost are held until the command has ended, which is here.
  const gone = wasLost && holding.leases.length === 1 ? [] : await release(holding, io);
  return wasLost || gone.length > 0 ? lost(holding, gone, code, io, manner) : code;
}

/**
 * Lets the lock be covered by the sentinel before the command starts, and gives the end of the pipe
 * that the command has to inherit. Until its own pid is in the lock file, some milliseconds later,
 * the sentinel then lives as long as the command does, also if this process is killed in between.
 */
async function coverBeforehand(
  holding: SeveralHolding,
  sentinel: Sentinel,
): Promise<Writable | null> {
  const { lifeline } = sentinel;
  if (lifeline === null) return null;
  const covers = await holding.cover(lifeline.pid).catch(() => false);
  return covers ? lifeline.end : null;
}

/** Waits for the command's end. If the lock is lost before, stops the command and all that it started. */
async function endOf(
  command: RunningCommand,
  family: Family,
  holding: SeveralHolding,
  grace: number | null,
  io: Io,
): Promise<number> {
  const loss = Promise.withResolvers<null>();
  const onLoss = () => loss.resolve(null);
  if (holding.lost.aborted) onLoss();
  else holding.lost.addEventListener("abort", onLoss);
  const code = await Promise.race([command.ended, loss.promise]);
  holding.lost.removeEventListener("abort", onLoss);
  if (code !== null) return code;
  if (isWindows) {
    // Windows cannot ask a process to end: a grace would only let it run beside the next holder.
    const fate = grace === null ? "goes on (--grace none)" : "and all that it started are ended";
    say(io, `${messageOf(holding.lost.reason)} The command ${fate}.`);
    if (grace !== null) await family.kill();
    return command.ended;
  }
  const limit = killAfter(holding, grace);
  const killed = limit === null ? "" : `, and SIGKILL after ${formatDuration(limit)}`;
  say(io, `${messageOf(holding.lost.reason)} The command gets SIGTERM${killed}.`);
  const killAt = limit === null ? null : performance.now() + limit;
  family.signal("SIGTERM");
  if (killAt === null) return command.ended;
  if (!(await family.hasEnded(killAt))) await family.kill();
  return command.ended;
}

/**
 * Milliseconds from SIGTERM to SIGKILL. If only silence has ended the lock, it is known from when
 * on others may have it: by then the command must be gone, whatever its grace.
 */
function killAfter(holding: SeveralHolding, grace: number | null): number | null {
  if (grace === null) return null;
  const { safeUntil = null } = holding;
  const safe = safeUntil === null ? grace : safeUntil - performance.now() - KILL_MARGIN_MS;
  return Math.min(grace, Math.max(0, safe));
}

/**
 * Sends a signal on to what the command left behind, where the command died of it: a shell does, and
 * its own child would go on beside the next holder. A command that ends by itself may leave
 * processes behind, as daemons do. On Windows they have got it already, and get time to end.
 */
async function endRest(
  family: Family,
  last: Signal | null,
  code: number,
  grace: number | null,
  io: Io,
): Promise<void> {
  if (last === null || code !== signalCode(last) || !family.members()?.length) return;
  const fate = isWindows ? "the lock is held until they end" : `they get ${last} as well`;
  say(io, `processes that the command started go on: ${fate}`);
  if (!isWindows) family.signal(last);
  const by = performance.now() + (grace ?? Number.POSITIVE_INFINITY);
  if ((await family.hasEnded(by)) || (await family.kill())) return;
  say(io, "some of them cannot be ended: the lock is held until they end");
  await family.hasEnded(Number.POSITIVE_INFINITY);
}

/**
 * Releases the lock, and tells which keys were already gone. A failure is reported, and does not change
 * the command's exit code.
 */
export async function release(holding: SeveralHolding, io: Io): Promise<readonly string[]> {
  try {
    const released = await holding.releaseEach();
    return released.filter(({ outcome }) => outcome === "already-gone").map(({ key }) => key);
  } catch (error) {
    const were = locksWere(holding.leases.map(({ key }) => key)).replace("The", "the");
    const isFile = schemeOf(holding.lease.store) === "file";
    const next = isFile ? "once this process has ended" : "after its dead-after, at the latest";
    say(
      io,
      `warning: ${were} not released: ${messageOf(error)} The next claim takes over ${next}.`,
    );
    return [];
  }
}

/** Whatever the command's own code was: it may have run beside another holder's. */
function lost(
  holding: SeveralHolding,
  gone: readonly string[],
  code: number,
  io: Io,
  manner: Manner,
): number {
  if (holding.lost.aborted) {
    // Said already, when it happened.
    const error = holding.lost.reason;
    if (manner.json) reportJson(error as LockError, io);
  } else {
    const sentence = `${locksWere(gone)} lost before the command ended, with exit code ${code}.`;
    reportError(new LockError("LOCK_LOST", sentence), io, manner.json);
  }
  return LOST_CODE;
}
