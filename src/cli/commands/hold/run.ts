import { setTimeout as delay, setImmediate as immediate } from "node:timers/promises";
import { refuseHeld } from "../../../keeper/leases.ts";
import { formatDuration } from "../../../lock/duration.ts";
import { isLockError, LockError, messageOf } from "../../../lock/errors.ts";
import { enumerated } from "../../../lock/people/names.ts";
import { whoseId } from "../../../lock/people/who.ts";
import type { Store } from "../../../lock/store.ts";
import { claimAll, type SeveralHolding } from "../../../stores/several.ts";
import { type Command, type Input, KEY_MAY_BE_LEFT_OUT } from "../../command.ts";
import { checkRunner, openNamedStore, withForge, withNextCommand } from "../../context.ts";
import type { Io } from "../../io.ts";
import { reportError, say } from "../../output.ts";
import { openWaiting } from "../../run/claim-progress.ts";
import { CLAIM_OPTIONS } from "../../run/options.ts";
import { type Plan, planOf, requestsOf } from "../../run/plan.ts";
import { nameOf, Signals, signalCode } from "../../run/signals.ts";
import { release, runUnderLock } from "../../run/under-lock.ts";

/** Leaving the line is quick; a store that hangs must not hold up a user who pressed Ctrl-C. */
const LEAVE_MS = 5_000;
/** A shorter wait is not reported: it was only the store's own work. */
const WORTH_TELLING_MS = 1_000;

export const runCommand: Command = {
  name: "run",
  summary: "Claims the lock, runs a command, releases the lock, and exits with the command's code",
  usage: "KEY [options] -- CMD ARGS…",
  about: [
    "Waits its turn in line, and says who is ahead. CMD finds HOLDFAST_KEY, HOLDFAST_FENCE, HOLDFAST_SLOT, HOLDFAST_OWNER and HOLDFAST_STORE in its environment, with --resources also HOLDFAST_RESOURCE, and with --also HOLDFAST_FENCES, a JSON object from key to fence; the others are those of the first key. SIGINT, SIGTERM and SIGHUP go to CMD, each once. If the lock is lost, CMD and all that it started get SIGTERM, and SIGKILL after the grace, or before others may hold the lock.",
    "Windows has no signals: there Ctrl-C, Ctrl-Break and a closed console reach CMD from the console itself, and a lost lock ends CMD and all that it started at once.",
    KEY_MAY_BE_LEFT_OUT,
  ],
  takes: "key",
  takesCommand: true,
  options: [
    ...CLAIM_OPTIONS,
    {
      name: "grace",
      value: "D",
      says: "from SIGTERM to SIGKILL where the lock was lost; none: no SIGKILL",
      default: "10s",
    },
    {
      name: "until",
      value: "WHAT",
      says: "",
      refused:
        "--until is an option of acquire: run holds the lock for as long as its command runs. Write holdfast acquire KEY --until run.",
    },
  ],
  examples: [
    { line: "holdfast run production -- ./deploy.sh", says: "one deployment at a time" },
    {
      line: "holdfast run gpu --slots 2 --timeout 1h -- make train",
      says: "two at a time, waiting for an hour at most",
    },
    {
      line: "holdfast run web --also database -- ./migrate.sh",
      says: "two keys at once, in an order in which no two jobs wait for each other",
    },
    {
      line: "holdfast run nightly --timeout 0 -- ./backup.sh || echo busy",
      says: "now or not at all",
    },
  ],
  exitCodes: [
    ["CMD's own", "it ran under the lock"],
    ["123", "the lock was lost, and CMD was stopped"],
    ["124", "not acquired in time, or superseded by a newer claim"],
    ["125", "Holdfast failed: bad input, store unreachable"],
    ["126", "CMD cannot be run"],
    ["127", "CMD was not found"],
    ["128+n", "CMD, or a run that still waited, was ended by signal n"],
  ],
  async act(input, io) {
    const plan = planOf(input, io);
    const signals = new Signals();
    const began = performance.now();
    try {
      const options = await withForge(input, io, plan.storeOptions, signals.interrupted);
      const store = await openNamedStore(input, io, options);
      try {
        // The timeout counts from the start, also what was done before the claim.
        const endsAt = plan.timeout ? began + plan.timeout : null;
        return await claimAndRun(store, plan, endsAt, signals, input, io);
      } finally {
        await store.close();
      }
    } finally {
      signals.close();
    }
  },
};

async function claimAndRun(
  store: Store,
  plan: Plan,
  endsAt: number | null,
  signals: Signals,
  input: Input,
  io: Io,
): Promise<number> {
  checkRunner(input, io, store, plan.request);
  for (const key of plan.keys) refuseHeld(io.env, store.keyOf(key), store.url);
  const left = () => (endsAt === null ? plan.timeout : Math.max(1, endsAt - performance.now()));
  let holding = await claim(store, plan, left(), signals, input, io);
  // Failing to release an unused grant harms nothing: no command has run under it.
  while (holding?.lost.aborted && plan.timeout !== 0 && signals.first === null) {
    say(
      io,
      `${messageOf(holding.lost.reason)} The command had not started: joining the line again.`,
    );
    await release(holding, io);
    holding = await claim(store, plan, left(), signals, input, io);
  }
  // A signal may have come in the same turn of the event loop as the lock, and is heard in the next
  // one, which is over at the second of two immediates.
  await immediate();
  await immediate();
  if (signals.first !== null) {
    if (holding !== null) await release(holding, io);
    const left = holding === null ? "the claim has left the line" : "the lock was released";
    const sentence = `Interrupted by ${nameOf(signals.first)} before the command started: ${left}.`;
    reportError(new LockError("ABORTED", sentence), io, input.json);
    return signalCode(signals.first);
  }
  // Without a signal there is a holding: `claim` gives null only where one came.
  return runUnderLock(holding as SeveralHolding, plan, signals, io, input);
}

/** The held lock, or null where a signal came first. */
async function claim(
  store: Store,
  plan: Plan,
  timeout: number | null,
  signals: Signals,
  input: Input,
  io: Io,
): Promise<SeveralHolding | null> {
  const waiting = openWaiting(store, plan, input, io);
  const { interrupted } = signals;
  const overdue = new AbortController();
  try {
    const holding = await Promise.race([
      claimAll(store, requestsOf(plan), {
        timeout,
        asked: plan.timeout,
        signal: interrupted,
        onProgress: waiting.update,
        onTrouble: (trouble) => say(io, trouble),
      }),
      leftBehind(interrupted, overdue.signal),
    ]);
    waiting.end();
    if (holding !== null && !interrupted.aborted && !input.quiet)
      announce(holding, waiting.shown, io);
    return holding;
  } catch (error) {
    if (interrupted.aborted && isLockError(error, "ABORTED")) return null;
    throw withNextCommand(error, waiting.look);
  } finally {
    waiting.end();
    overdue.abort();
  }
}

async function leftBehind(interrupted: AbortSignal, cancel: AbortSignal): Promise<null> {
  const begun = Promise.withResolvers<void>();
  interrupted.addEventListener("abort", () => begun.resolve(), { signal: cancel });
  await begun.promise;
  await delay(LEAVE_MS, undefined, { signal: cancel }).catch(() => {});
  return null;
}

function announce(holding: SeveralHolding, waited: boolean, io: Io): void {
  const { lease, leases, reclaimed } = holding;
  if (!waited && lease.waited < WORTH_TELLING_MS && reclaimed === undefined) return;
  const from =
    reclaimed === undefined
      ? ""
      : `, taken over from ${whoseId(reclaimed.from)} (${reclaimed.reason})`;
  const keys = enumerated(leases.map(({ key }) => key));
  say(io, `acquired ${keys} after ${formatDuration(lease.waited)}${from}`);
}
