import { checkHostedRunner, here, identify } from "../ci/index.ts";
import { type IdleKeeper, spawnKeeper } from "../keeper/client/spawn.ts";
import { claimThroughKeeper } from "../keeper/client/start.ts";
import { newLeasePath, prepareLeaseDirectory, refuseHeld } from "../keeper/leases.ts";
import { formatDuration } from "../lock/duration.ts";
import { isLockError } from "../lock/errors.ts";
import type { Store } from "../lock/store.ts";
import { openProcesses } from "../machine/processes.ts";
import { keeperEntry } from "../machine/programs.ts";
import { isDocumentStore, openStore } from "../stores/open.ts";
import { environmentOptions, type StoreOptions } from "../stores/options.ts";
import { exportEnvironment, installCommand } from "./environment.ts";
import { type Inputs, parseInputs, secretsOf } from "./inputs.ts";
import { Wait } from "./progress.ts";
import { type Outcome, type State, saveState } from "./state.ts";
import type { Stage } from "./workflow.ts";
// The usual store is part of this program: loaded one by one, its modules would take longer.
import "../stores/file/store.ts";

/**
 * Acquires the lock for the job and gives it to the steps that follow: in pre, or in main where no
 * pre ran. `idle`: a keeper that waits for its task.
 */
export async function acquire(stage: Stage, idle: IdleKeeper | null): Promise<State> {
  const inputs = parseInputs(stage.core.getInput, stage.env);
  installCommand(stage);
  const state = await claim(stage, inputs, idle);
  exportEnvironment(stage, state);
  return state;
}

async function claim(stage: Stage, inputs: Inputs, idle: IdleKeeper | null): Promise<State> {
  const { core, env } = stage;
  const secrets = secretsOf(stage);
  const surroundings = { ...here(), env };
  const identity = identify(surroundings, {
    owner: inputs.owner ?? undefined,
    purpose: inputs.purpose,
    leg: inputs.leg || undefined,
  });
  const storeOptions = {
    ...environmentOptions(env),
    workingDirectory: env.GITHUB_WORKSPACE ?? process.cwd(),
    format: inputs.format,
    user: identity.user,
    ...secrets,
  };
  // It connects to nobody and makes nothing yet.
  const store = await openStore(inputs.store, storeOptions);
  core.info(`holdfast: the store is ${store.url}, ${whomItExcludes(store)}`);
  const key = inputs.key;
  const directory = prepareLeaseDirectory(env);
  refuseHeld(env, key, store.url);
  const storeWasNamed = Boolean(core.getInput("store") || env.HOLDFAST_STORE);
  const warning = checkHostedRunner(env, store, storeWasNamed);
  if (warning !== null) core.warning(warning);

  const leaseFile = newLeasePath(directory, key);
  const started = Date.now();
  const entry = keeperEntry(stage.program);
  const keeper = idle ?? spawnKeeper({ entry, env, directory });
  const processes = openProcesses({ sharedFilesystem: false });
  const state = {
    inputs,
    owner: identity.owner.id,
    store: store.url,
    leaseFile,
    keeper: processes.mark(keeper.child.pid ?? 0),
    started,
    outcome: null,
  };
  saveState(core, state);
  const wait = await openWait(stage, inputs, store.url);
  try {
    const lease = await claimThroughKeeper(
      keeper,
      store,
      {
        store: store.url,
        storeOptions: { ...storeOptions, ...(await lifeIn(stage, store.url, secrets)) },
        request: {
          key,
          owner: identity.owner,
          slots: inputs.slots,
          deadAfter: inputs.deadAfter,
          reclaim: inputs.reclaim,
          ...(inputs.ttl === null ? {} : { ttl: inputs.ttl }),
          ...(inputs.note === "" ? {} : { note: inputs.note }),
        },
        timeout: inputs.timeout,
        history: inputs.history === "auto",
        leaseFile,
        // Without the leg, which a step's `holdfast release KEY` cannot know; RUNNER_TEMP keeps legs apart.
        job: identify(surroundings).owner.id,
        watched: processes.mark(stage.parentPid),
        jobDirectory: env.RUNNER_TEMP || null,
      },
      { signal: stage.cancelled, onProgress: wait.update },
    );
    const { fence, waited, since } = lease;
    return settle(stage, state, { acquired: true, fence, waited, since, ...wait.seen() });
  } catch (error) {
    if (!isLockError(error, "TIMEOUT")) throw error;
    const waited = Date.now() - started;
    const done = settle(stage, state, { acquired: false, waited, reason: error.message });
    if (inputs.required) throw error;
    core.notice(`${error.message} The job goes on without the lock, since required is false.`);
    return done;
  } finally {
    wait.end();
    await store.close();
  }
}

/** Says whom a lock in a store excludes: a lock that excludes nobody who matters is no lock. */
function whomItExcludes({ url, promises }: Store): string {
  if (isDocumentStore(url))
    return "which excludes every job that uses this repository for its locks";
  if (promises.scope === "network") return "which excludes every job that uses this server";
  if (promises.scope === "filesystem")
    return "which excludes every machine that mounts this directory";
  return "which excludes the jobs of this machine alone";
}

/** The life of this job, for a store that others judge it by; nothing for all other stores. */
async function lifeIn(
  { core, env }: Stage,
  store: string,
  { forgeToken: token }: Pick<StoreOptions, "forgeToken">,
): Promise<Pick<StoreOptions, "life">> {
  if (!isDocumentStore(store)) return {};
  const { askForge } = await import("../ci/forge.ts");
  const caFile = env.HOLDFAST_CA_FILE;
  const { life } = await askForge({ env, store, token, caFile, jobId: core.getInput("job-id") });
  return life === undefined ? {} : { life };
}

async function openWait(stage: Stage, inputs: Inputs, store: string): Promise<Wait> {
  const { key, slots } = inputs;
  const remembers = inputs.history === "cache";
  const memory = remembers
    ? new (await import("./cache/client.ts")).Recall(stage, key, store)
    : null;
  return new Wait({ key, slots, memory, write: stage.core.info });
}

/** Saves the outcome for the later stages. */
function settle(stage: Stage, state: State, outcome: Outcome): State {
  const done = { ...state, outcome };
  saveState(stage.core, done);
  if (outcome.acquired) {
    const { key } = state.inputs;
    const waited = outcome.waited >= 1_000 ? ` after ${formatDuration(outcome.waited)}` : "";
    const fence = outcome.fence === null ? "" : `, fence ${outcome.fence}`;
    stage.core.info(`holdfast: this job holds ${key}${waited}${fence} (owner ${state.owner})`);
  }
  return done;
}
