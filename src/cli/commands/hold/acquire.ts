import { toTheSecond } from "../../../forecast/words.ts";
import { claimForRun } from "../../../keeper/client/run.ts";
import { spawnKeeper } from "../../../keeper/client/spawn.ts";
import { claimThroughKeeper, type StartOptions } from "../../../keeper/client/start.ts";
import { leasesOf } from "../../../keeper/lease-file.ts";
import {
  newLeasePath,
  prepareLeaseDirectory,
  refuseHeld,
  sweepLeases,
} from "../../../keeper/leases.ts";
import { LockError } from "../../../lock/errors.ts";
import { enumerated } from "../../../lock/people/names.ts";
import { RUN_TTL_MS } from "../../../lock/request.ts";
import type { Lease, Progress, Run, Store } from "../../../lock/store.ts";
import { jsonText, quote, withoutPassword } from "../../../lock/text.ts";
import { callerOf } from "../../../machine/ancestry.ts";
import { listProcesses } from "../../../machine/process-table.ts";
import { openProcesses, type ProcessMark } from "../../../machine/processes.ts";
import { keeperEntry } from "../../../machine/programs.ts";
import { tokenIn } from "../../../stores/open.ts";
import { fencesOf } from "../../../stores/several.ts";
import { type Command, type Input, KEY_MAY_BE_LEFT_OUT } from "../../command.ts";
import {
  checkRunner,
  commandFor,
  jobOf,
  statusCommandOf,
  storeOptionsOf,
  troubleOf,
  withForge,
  withNextCommand,
  withStore,
} from "../../context.ts";
import type { Io } from "../../io.ts";
import { reportError, say } from "../../output.ts";
import { CLAIM_OPTIONS } from "../../run/options.ts";
import { type ClaimPlan, claimPlanOf } from "../../run/plan.ts";
import { nameOf, Signals, signalCode } from "../../run/signals.ts";
import { openWaitingLine } from "../../run/waiting-line.ts";
import { runMeant } from "./for-run.ts";

export const acquireCommand: Command = {
  name: "acquire",
  summary: "Claims the lock and leaves a keeper behind that holds it",
  usage: "KEY [options] [--until-pid PID | --detach | --until run] [--join]",
  about: [
    "Prints the path of the lease file, which release and verify take. The keeper releases the lock when the process that called acquire ends. In $(…), under npx, npm scripts or make that is a short-lived shell: name the one that is meant with --until-pid $$.",
    "With --until run the lock belongs to the CI run: later jobs of the run that ask for it share it at once. It ends by release KEY --run, with the run where the forge can be asked, or when its ttl (6h) is over. No keeper stays behind.",
    "With --join it only joins the line and goes on at once: others are served past it, and it keeps its place until holdfast take takes the lock. So a job stands in line while it builds.",
    KEY_MAY_BE_LEFT_OUT,
  ],
  takes: "key",
  options: [
    ...CLAIM_OPTIONS,
    {
      name: "until",
      value: "run",
      says: "the lock outlives this job and belongs to the CI run",
      choices: ["run"],
    },
    {
      name: "until-pid",
      value: "PID",
      says: "release it when that process ends",
      default: "the calling process",
    },
    {
      name: "join",
      says: "only join the line, and keep the place for holdfast take, which has the timeout",
    },
    { name: "detach", says: "watch no process; the ttl is then not refreshed, and is the bound" },
  ],
  examples: [
    { line: "holdfast acquire production --until-pid $$", says: "held until this script ends" },
    {
      line: "lease=$(holdfast acquire production --until-pid $$) || exit 1",
      says: "and its lease file in a variable",
    },
    {
      line: "holdfast acquire freeze --detach --ttl 2h --note 'release week'",
      says: "held for two hours, whatever ends",
    },
    {
      line: "holdfast acquire production --until run",
      says: "held over several jobs, until holdfast release production --run",
    },
  ],
  exitCodes: [
    ["0", "acquired, or with --join in line"],
    ["1", "not acquired in time, or superseded by a newer claim"],
    ["2", "bad input or failure"],
    ["128+n", "ended by signal n while waiting; the line is left"],
  ],
  async act(input, io) {
    const run = runMeant(input, io);
    if (input.flag("join")) checkJoin(input);
    const watched = run === null ? watchedProcess(input) : null;
    // The owner is named after the process that the lock is held for, since this one ends in a moment.
    const plan = claimPlanOf(input, io, watched?.pid);
    return waitFor(plan.request.key, plan.timeout, input, io, async (waiting) => {
      const options = { ...waiting, onTrouble: troubleOf(input, io) };
      const storeOptions = await withForge(input, io, plan.storeOptions, waiting.signal);
      return withStore(input, io, storeOptions, (store) =>
        claim(input, io, store, { ...plan, storeOptions }, { watched, run }, options),
      );
    });
  },
};

/** What ends a wait, and what is told of it. */
interface InView {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/** Waits where people see it, prints what is held then, and returns the exit code. A signal leaves the line. */
export async function waitFor(
  key: string,
  timeout: number | null,
  input: Input,
  io: Io,
  claiming: (waiting: InView) => Promise<Held>,
): Promise<number> {
  const signals = new Signals();
  let look = statusCommandOf(key, input);
  const line = openWaitingLine(key || withoutPassword(input.store), timeout, () => look, io);
  const onProgress = (progress: Progress) => {
    if (progress.key !== undefined) look = statusCommandOf(progress.key, input);
    if (!input.quiet) line.update(progress);
  };
  try {
    const held = await claiming({ signal: signals.interrupted, onProgress });
    line.end();
    tellLease(held, input, io);
    return 0;
  } catch (error) {
    line.end();
    if (signals.first === null) throw withNextCommand(error, look);
    const sentence = `Interrupted by ${nameOf(signals.first)}: the claim has left the line.`;
    reportError(new LockError("ABORTED", sentence), io, input.json);
    return signalCode(signals.first);
  } finally {
    signals.close();
  }
}

/** What is held when the command ends: by a keeper, or by a run until the given time. */
interface Held {
  /** Of each key, as written. The first one's `waited` is that of all. */
  readonly leases: readonly Lease[];
  readonly leaseFile: string;
  readonly until?: string;
}

/** What the lock is held for: a process (null: none, detached), or a run. */
interface HeldFor {
  readonly watched: ProcessMark | null;
  readonly run: Run | null;
}

/** Claims what the plan asks for, and leaves it with a keeper or with the run. */
async function claim(
  input: Input,
  io: Io,
  store: Store,
  plan: ClaimPlan,
  { watched, run }: HeldFor,
  options: StartOptions,
): Promise<Held> {
  // A run's lock has no dead-after.
  checkRunner(input, io, store, run === null ? plan.request : {});
  const { url } = store;
  const [key = "", ...also] = new Set(plan.keys.map((text) => store.keyOf(text)));
  const directory = prepareLeaseDirectory(io.env);
  sweepLeases(directory);
  for (const each of [key, ...also]) refuseHeld(io.env, each, url, run?.id);
  const leaseFile = newLeasePath(directory, key);
  // A detached lock outlives the job that claims it.
  const { life, ...others } = plan.storeOptions;
  const storeOptions = storeOptionsOf(io, watched === null ? others : plan.storeOptions);
  const task = {
    store: url,
    storeOptions: { ...storeOptions, ...tokenIn(input.store) },
    request: { ...plan.request, key, refresh: !input.flag("detach") },
    ...(also.length === 0 ? {} : { also }),
    timeout: plan.timeout,
    ...(input.flag("join") ? { join: true as const } : {}),
    history: !input.quiet,
    leaseFile,
    watched,
    // A detached lock belongs to no job.
    jobDirectory: watched === null ? null : io.env.RUNNER_TEMP || null,
    job: jobOf(io),
  };
  if (run !== null) {
    const request = { ...task.request, ttl: task.request.ttl ?? RUN_TTL_MS };
    return { ...(await claimForRun(store, { ...task, request }, run, options)), leaseFile };
  }
  const entry = keeperEntry(process.argv[1] ?? "");
  const keeper = spawnKeeper({ entry, env: io.env, directory });
  const leases = leasesOf(await claimThroughKeeper(keeper, store, task, options));
  return { leases, leaseFile };
}

/** Prints what is held, or the place in line that is kept. */
function tellLease({ leases, leaseFile, until }: Held, input: Input, io: Io): void {
  const isPlace = input.flag("join");
  const state = isPlace ? { state: "waiting" } : {};
  const lease = { ...publicLease(leases), ...state, lease: leaseFile };
  const told = until === undefined ? lease : { ...lease, until };
  io.stdout.write(input.json ? `${jsonText(told)}\n` : `${leaseFile}\n`);
  if (isPlace && !input.quiet) {
    const names = enumerated(leases.map(({ key }) => key));
    const timeout = input.text("timeout");
    // The timeout counts from there, so it has to be said there.
    const options = timeout === undefined ? "" : ` --timeout ${timeout}`;
    const next = commandFor("take", leases[0]?.key ?? "", input, options);
    say(io, `in line for ${names}; to take the lock: ${next}`);
  }
  if (input.quiet || until === undefined) return;
  const keys = enumerated(leases.map(({ key }) => key));
  const are = leases.length === 1 ? "is" : "are";
  say(io, `${keys} ${are} held for the whole run, until ${toTheSecond(until)} at the latest`);
}

/** Leases without their tokens, as scripts see them; times in seconds. The first one stands for all. */
function publicLease(leases: readonly Lease[]) {
  const { key, store, owner, fence, slot, slots, resources, since, ttl, waited } =
    leases[0] as Lease;
  const fences = leases.length === 1 ? {} : { fences: fencesOf(leases) };
  const held = { slot, slots, resources };
  return { key, store, owner, fence, ...fences, ...held, since, ttl, waited: waited / 1_000 };
}

/** A place in line belongs to a process that may still take it. */
function checkJoin(input: Input): void {
  const other = ["detach", "until"].find((name) => input.flag(name) || input.text(name));
  if (other === undefined) return;
  throw new LockError(
    "BAD_OPTION",
    `--join and --${other} contradict each other: a place in line is kept for a process that takes it.`,
  );
}

function watchedProcess(input: Input): ProcessMark | null {
  const text = input.text("until-pid");
  if (input.flag("detach")) {
    if (text === undefined) return null;
    throw new LockError(
      "BAD_OPTION",
      "--until-pid and --detach contradict each other: use one of them.",
    );
  }
  const pid = text === undefined ? callingProcess() : Number(text);
  if (!/^\d{1,10}$/.test(text ?? "0") || pid <= 0) {
    throw new LockError(
      "BAD_OPTION",
      `The process id ${quote(text ?? String(pid))} is not a number above 0.`,
    );
  }
  const mark = openProcesses({ sharedFilesystem: false }).mark(pid);
  if (mark !== null) return mark;
  throw new LockError(
    "BAD_OPTION",
    `There is no process ${pid}: name one that lives as long as the lock is wanted.`,
  );
}

/** The process whose end releases the lock, if the user names none. */
function callingProcess(): number {
  if (process.platform !== "win32") return process.ppid;
  const caller = callerOf(process.ppid, listProcesses() ?? []);
  if (caller !== null) return caller;
  throw new LockError(
    "BAD_OPTION",
    "The process that called acquire cannot be told from the one that runs its shim: name it with --until-pid ($PID in PowerShell, the output of cat /proc/$$/winpid in Git Bash), or use --detach.",
  );
}
