import { spawnKeeper } from "../../../keeper/client/spawn.ts";
import { claimThroughKeeper, type StartOptions } from "../../../keeper/client/start.ts";
import {
  newLeasePath,
  prepareLeaseDirectory,
  refuseHeld,
  sweepLeases,
} from "../../../keeper/leases.ts";
import { LockError } from "../../../lock/errors.ts";
import type { Lease, Store } from "../../../lock/store.ts";
import { jsonText, quote, withoutPassword } from "../../../lock/text.ts";
import { openProcesses, type ProcessMark } from "../../../machine/processes.ts";
import { keeperEntry } from "../../../machine/programs.ts";
import { type Command, type Input, KEY_MAY_BE_LEFT_OUT } from "../../command.ts";
import {
  checkRunner,
  jobOf,
  statusCommandOf,
  storeOptionsOf,
  withForge,
  withNextCommand,
  withStore,
} from "../../context.ts";
import type { Io } from "../../io.ts";
import { reportError } from "../../output.ts";
import { CLAIM_OPTIONS } from "../../run/options.ts";
import { type ClaimPlan, claimPlanOf } from "../../run/plan.ts";
import { Signals, signalCode } from "../../run/signals.ts";
import { openWaitingLine } from "../../run/waiting-line.ts";

export const acquireCommand: Command = {
  name: "acquire",
  summary: "Claims the lock and leaves a keeper behind that holds it",
  usage: "KEY [options] [--until-pid PID | --detach]",
  about: [
    "Prints the path of the lease file, which release and verify take. The keeper releases the lock when the process that called acquire ends. In $(…), under npx, npm scripts or make that is a short-lived shell: name the one that is meant with --until-pid $$.",
    KEY_MAY_BE_LEFT_OUT,
  ],
  takes: "key",
  options: [
    ...CLAIM_OPTIONS,
    {
      name: "until-pid",
      value: "PID",
      says: "release it when that process ends",
      default: "the calling process",
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
  ],
  exitCodes: [
    ["0", "acquired"],
    ["1", "not acquired in time"],
    ["2", "bad input or failure"],
    ["128+n", "ended by signal n while waiting; the line is left"],
  ],
  async act(input, io) {
    const watched = watchedProcess(input);
    // Named after the process that it is held for: this one ends in a moment.
    const plan = claimPlanOf(input, io, watched?.pid);
    const signals = new Signals();
    const key = plan.request.key || withoutPassword(input.store);
    const look = statusCommandOf(plan.request.key, input);
    const line = openWaitingLine(key, plan.timeout, look, io);
    try {
      const onProgress = input.quiet ? {} : { onProgress: line.update };
      const options = { signal: signals.interrupted, ...onProgress };
      const { lease, leaseFile } = await withStore(input, io, plan.storeOptions, (store) =>
        leaveKeeper(input, io, store, plan, watched, options),
      );
      line.end();
      io.stdout.write(
        input.json ? `${jsonText(publicLease(lease, leaseFile))}\n` : `${leaseFile}\n`,
      );
      return 0;
    } catch (error) {
      line.end();
      if (signals.first === null) throw withNextCommand(error, look);
      reportError(
        new LockError("ABORTED", `Interrupted by ${signals.first}: the claim has left the line.`),
        io,
        input.json,
      );
      return signalCode(signals.first);
    } finally {
      signals.close();
    }
  },
};

/** Starts a keeper that holds what the plan asks for, and waits until it does. */
async function leaveKeeper(
  input: Input,
  io: Io,
  store: Store,
  plan: ClaimPlan,
  watched: ProcessMark | null,
  options: StartOptions,
): Promise<{ lease: Lease; leaseFile: string }> {
  checkRunner(input, io, store);
  const { url } = store;
  const key = store.keyOf(plan.request.key);
  const directory = prepareLeaseDirectory(io.env);
  sweepLeases(directory);
  refuseHeld(io.env, key, url);
  const leaseFile = newLeasePath(directory, key);
  // A detached lock outlives the job that claims it.
  const { storeOptions } = plan;
  const claimOptions = watched === null ? storeOptions : await withForge(input, io, storeOptions);
  const claim = {
    store: url,
    storeOptions: storeOptionsOf(io, claimOptions),
    request: { ...plan.request, key, refresh: !input.flag("detach") },
    timeout: plan.timeout,
    history: !input.quiet,
    leaseFile,
    watched,
    // A detached lock belongs to no job.
    jobDirectory: watched === null ? null : io.env.RUNNER_TEMP || null,
    job: jobOf(io),
  };
  const entry = keeperEntry(process.argv[1] ?? "");
  const keeper = spawnKeeper({ entry, env: io.env, directory });
  return { lease: await claimThroughKeeper(keeper, store, claim, options), leaseFile };
}

/** The lease without its token, as scripts see it; times in seconds. */
function publicLease(lease: Lease, path: string) {
  const { key, store, owner, fence, slot, since, ttl } = lease;
  return { key, store, owner, fence, slot, since, ttl, waited: lease.waited / 1_000, lease: path };
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
  const pid = text === undefined ? process.ppid : Number(text);
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
