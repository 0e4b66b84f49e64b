import { here, identify } from "../../ci/index.ts";
import { namesInLine, toTheSecond } from "../../forecast/words.ts";
import { type IdleKeeper, spawnKeeper } from "../../keeper/client/spawn.ts";
import { claimThroughKeeper } from "../../keeper/client/start.ts";
import { leasesOf } from "../../keeper/lease-file.ts";
import { newLeasePath, prepareLeaseDirectory, refuseHeld } from "../../keeper/leases.ts";
import type { KeeperClaim } from "../../keeper/protocol.ts";
import { formatDuration } from "../../lock/duration.ts";
import { isLockError, SupersededError } from "../../lock/errors.ts";
import { RUN_TTL_MS, shareOf } from "../../lock/request.ts";
import type { Lease, Progress, Run } from "../../lock/store.ts";
import { openProcesses } from "../../machine/processes.ts";
import { keeperEntry } from "../../machine/programs.ts";
import { isDocumentStore } from "../../stores/open.ts";
import type { StoreOptions } from "../../stores/options.ts";
import { exportEnvironment, installCommand } from "../environment.ts";
import { type Inputs, namesOf, parseInputs } from "../inputs.ts";
import { ownRun } from "../run.ts";
import { type Outcome, type State, saveState } from "../state.ts";
import { checkStore, givenDeadAfter, type OpenedStore, openStepStore } from "../store.ts";
import type { Stage } from "../workflow.ts";
import { Wait } from "./progress.ts";
// The usual store is part of this program: loaded one by one, its modules would take longer.
import "../../stores/file/store.ts";

/**
 * Acquires the lock for the job and gives it to the steps that follow: in pre, or in main where no
 * pre ran. `idle`: a keeper that waits for its task. `join`: it only joins the line, and the step takes
 * the lock.
 */
export async function acquire(stage: Stage, idle: IdleKeeper | null, join = false): Promise<State> {
  const inputs = parseInputs(stage.core.getInput, stage.env);
  installCommand(stage);
  const state = await claim(stage, inputs, idle, join);
  exportEnvironment(stage, state);
  return state;
}

async function claim(
  stage: Stage,
  inputs: Inputs,
  idle: IdleKeeper | null,
  join: boolean,
): Promise<State> {
  const { core, env } = stage;
  const run = inputs.until === "run" ? ownRun(env) : null;
  const opened = await openStepStore(stage, inputs);
  const { store, identity } = opened;
  const directory = prepareLeaseDirectory(env);
  for (const key of inputs.keys) refuseHeld(env, key, store.url, run?.id);
  checkStore(stage, store);

  const leaseFile = newLeasePath(directory, inputs.key);
  const started = Date.now();
  const processes = openProcesses({ sharedFilesystem: false });
  const entry = keeperEntry(stage.program);
  const keeper = run === null ? (idle ?? spawnKeeper({ entry, env, directory })) : null;
  const state = {
    inputs,
    owner: identity.owner.id,
    store: store.url,
    leaseFile,
    ...(opened.options.caFile && { caFile: opened.options.caFile }),
    ...(await cacheOf(stage, inputs)),
    keeper: keeper && processes.mark(keeper.child.pid ?? 0, "new"),
    started,
    outcome: null,
  };
  saveState(core, state);
  const wait = await openWait(stage, inputs, store.url);
  const onTrouble = (sentence: string) => core.info(`holdfast: ${sentence}`);
  const options = { signal: stage.cancelled, onProgress: wait.update, onTrouble };
  try {
    return await settled(stage, state, wait, async () => {
      const task = await claimOf(stage, inputs, opened, leaseFile, run);
      if (keeper === null) return holdForRun(opened, task, ownRun(env), options);
      if (!join) {
        const claimed = await claimThroughKeeper(keeper, store, task, options);
        return { leases: leasesOf(claimed), until: null };
      }
      const places: Progress[] = [];
      const onProgress = (progress: Progress) => places.push(progress);
      await claimThroughKeeper(keeper, store, { ...task, join }, { ...options, onProgress });
      await wait.joined(places);
      return null;
    });
  } finally {
    await store.close();
  }
}

/**
 * Waits for `obtain` to get the lock, saves the outcome and reports it. `obtain` gives null if the job
 * stands in line and nothing is held yet.
 */
export async function settled(
  stage: Stage,
  state: State,
  wait: Wait,
  obtain: () => Promise<{ leases: readonly Lease[]; until: string | null } | null>,
): Promise<State> {
  const { core } = stage;
  const { inputs } = state;
  const started = Date.now();
  try {
    const held = await obtain();
    if (held === null) {
      const waiting = { ...state, inLine: true } as const;
      saveState(core, waiting);
      return waiting;
    }
    // A server that knows this job by its ID token names the owner.
    const owner = held.leases[0]?.owner ?? state.owner;
    const outcome = { ...acquired(held.leases), until: held.until, ...wait.seen() };
    return settle(stage, { ...state, owner }, outcome);
  } catch (error) {
    if (!isLockError(error, "TIMEOUT") && !isLockError(error, "SUPERSEDED")) throw error;
    const waited = Date.now() - started;
    const newer = error instanceof SupersededError ? { by: error.by, url: error.url } : null;
    const reason = error.message;
    const done = settle(stage, state, { acquired: false, waited, reason, newer });
    if (inputs.required) throw error;
    core.notice(`${error.message} The job goes on without the lock, since required is false.`);
    return done;
  } finally {
    wait.end();
  }
}

/** The claim as a keeper takes it; of a run, as this process does. */
async function claimOf(
  stage: Stage,
  inputs: Inputs,
  { store, options, identity }: OpenedStore,
  leaseFile: string,
  run: Run | null,
): Promise<KeeperClaim> {
  const { env } = stage;
  const [key, ...also] = inputs.keys as [string, ...string[]];
  const ttl = inputs.ttl ?? (run === null ? null : RUN_TTL_MS);
  const deadAfter = givenDeadAfter(inputs);
  return {
    store: store.url,
    storeOptions: { ...options, ...(run === null ? await lifeIn(stage, store.url, options) : {}) },
    request: {
      key,
      owner: identity.owner,
      slots: inputs.slots,
      weight: inputs.weight,
      priority: inputs.priority,
      ...(inputs.resources === null ? {} : { resources: inputs.resources }),
      ...(deadAfter === undefined ? {} : { deadAfter }),
      reclaim: inputs.reclaim,
      line: inputs.line,
      ...(ttl === null ? {} : { ttl }),
      ...(inputs.note === "" ? {} : { note: inputs.note }),
    },
    ...(also.length === 0 ? {} : { also }),
    timeout: inputs.timeout,
    history: inputs.history === "auto",
    leaseFile,
    // Without the leg, which a step's `holdfast release KEY` cannot know; RUNNER_TEMP keeps legs apart.
    job: identify({ ...here(), env }).owner.id,
    watched: openProcesses({ sharedFilesystem: false }).mark(stage.parentPid),
    jobDirectory: env.RUNNER_TEMP || null,
  };
}

async function holdForRun(
  { store }: OpenedStore,
  task: KeeperClaim,
  run: Run,
  options: { signal: AbortSignal; onProgress: Wait["update"] },
) {
  const { claimForRun } = await import("../../keeper/client/run.ts");
  return claimForRun(store, task, run, options);
}

/** How other jobs can ask whether this job lives, for a store in a forge's repository; nothing for other stores. */
async function lifeIn(
  { core, env, cancelled: signal }: Stage,
  store: string,
  { forgeToken: token }: Pick<StoreOptions, "forgeToken">,
): Promise<Pick<StoreOptions, "life">> {
  if (!isDocumentStore(store)) return {};
  const { askForge } = await import("../../ci/forge.ts");
  const caFile = env.HOLDFAST_CA_FILE;
  const jobId = core.getInput("job-id");
  const { life, hint } = await askForge({ env, store, token, caFile, jobId, signal });
  if (hint !== undefined) for (const line of hint.split("\n")) core.info(`holdfast: ${line}`);
  return life === undefined ? {} : { life };
}

/** Where the cache is, to be saved for post. */
async function cacheOf({ env }: Stage, { history }: Inputs): Promise<Pick<State, "cache">> {
  if (history !== "cache") return {};
  const { cacheAddress } = await import("../cache/client.ts");
  return { cache: cacheAddress(env) };
}

export async function openWait(stage: Stage, inputs: Inputs, store: string): Promise<Wait> {
  const { key, slots, timeout } = inputs;
  const { weight } = shareOf({ slots, weight: inputs.weight });
  const remembers = inputs.history === "cache";
  const memory = remembers
    ? new (await import("../cache/client.ts")).Recall(stage, key, store)
    : null;
  return new Wait({ key, slots, weight, timeout, store, memory, write: stage.core.info });
}

function acquired(leases: readonly Lease[]) {
  const { fence, slot, resources, waited, since } = leases[0] as Lease;
  const fences = Object.fromEntries(leases.map((lease) => [lease.key, lease.fence]));
  return { acquired: true, fence, fences, slot, resources, waited, since } as const;
}

/** Says that the lock is held, by whom, and until when if there is a bound. */
function reportHeld({ core }: Stage, { inputs, outcome, owner }: State): void {
  if (!outcome?.acquired) return;
  const { until, fences, resources } = outcome;
  const waited = outcome.waited >= 1_000 ? ` after ${formatDuration(outcome.waited)}` : "";
  const who = until === null ? "this job" : "this run";
  const end = until === null ? "" : `, until ${toTheSecond(until)} at the latest`;
  const known = Object.entries(fences).filter(([, fence]) => fence !== null);
  const isOne = inputs.keys.length === 1;
  const list = known.map(([key, fence]) => (isOne ? fence : `${fence} of ${key}`)).join(", ");
  const fence = known.length === 0 ? "" : `, fence ${list}`;
  const on = resources === null || !isOne ? "" : ` on ${namesInLine(resources)}`;
  core.info(
    `holdfast: ${who} holds ${namesOf(inputs)}${on}${waited}${end}${fence} (owner ${owner})`,
  );
}

/** Saves the outcome for the later stages. */
function settle(stage: Stage, state: State, outcome: Outcome): State {
  const done = { ...state, outcome };
  saveState(stage.core, done);
  reportHeld(stage, done);
  return done;
}
