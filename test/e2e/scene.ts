import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, onTestFailed } from "vitest";
import { hasKeeper, leasesIn } from "../../src/keeper/lease-file.ts";
import type { KeyStatus } from "../../src/lock/status.ts";
import { lockFileName } from "../../src/stores/file/disk/place.ts";
import { openStore } from "../../src/stores/open.ts";
import { temporaryDirectory } from "../helpers/directories.ts";
import { isAlive } from "../helpers/processes.ts";
import { until } from "../helpers/waiting.ts";
import type { ActionStep, RunnerEvent } from "./runner/job.ts";
import { type JobOptions, type JobRun, startJob } from "./runner/start-job.ts";
import { sweep, trackedProcesses } from "./runner/tracking.ts";

/** The repository's root is the action: action.yml and the committed bundles. */
export const ACTION = join(dirname(fileURLToPath(import.meta.url)), "../..");
export const KEY = "production";

/** One store and the jobs that meet there, each on a runner of its own. */
export interface Scene {
  readonly directory: string;
  readonly store: string;
  job(options: Partial<JobOptions> & Pick<JobOptions, "steps">): JobRun;
  /** The action as a step, in this scene's store. */
  lock(inputs?: Record<string, string>, more?: Partial<ActionStep>): ActionStep;
  inspect(key?: string): Promise<KeyStatus>;
  holders(key?: string): Promise<string[]>;
  /**
   * What every scenario ends with, once its jobs are over: the keys are free, no process of any job
   * is left, no file but those that a store keeps, and nobody kept a stage's outputs open.
   */
  isTidy(keys?: readonly string[]): Promise<void>;
}

/** For what has no event to wait for; ample for a machine that is busy with something else. */
const PATIENCE_MS = 20_000;

const running: JobRun[] = [];

// Before the helpers remove the directories: what is left of a failed test must not meet the next.
afterEach(async () => {
  for (const { worker, description } of running.splice(0)) {
    worker.kill("SIGKILL");
    await worker.ended;
    const left = sweep(description.trackingId);
    await until(() => !left.some(({ pid }) => isAlive(pid)));
  }
});

/** `elsewhere`: a server's store. Without it, a lock directory of the scene's own. */
export function openScene(elsewhere: { store?: string; token?: string } = {}): Scene {
  const directory = temporaryDirectory();
  const path = join(directory, "locks");
  const { store = `file:${path}`, ...storeOptions } = elsewhere;
  const jobs: JobRun[] = [];
  onTestFailed(() => {
    for (const job of jobs) console.error(storyOf(job));
  });

  const inspect = async (key = KEY) => {
    const opened = await openStore(store, storeOptions);
    try {
      return await opened.inspect(key);
    } finally {
      await opened.close();
    }
  };
  const holders = async (key?: string) =>
    (await inspect(key)).holders.filter(({ alive }) => alive !== false).map(({ owner }) => owner);

  return {
    directory,
    store,
    job: (options) => {
      const number = jobs.length + 1;
      const job = startJob({ directory: join(directory, `runner-${number}`), ...options });
      jobs.push(job);
      running.push(job);
      return job;
    },
    lock: (inputs = {}, more = {}) => ({
      id: "lock",
      uses: ACTION,
      with: { key: KEY, store, ...inputs },
      ...more,
    }),
    inspect,
    holders,
    isTidy: async (keys = [KEY]) => {
      const reports = await Promise.all(jobs.map((job) => job.finished));
      // A keeper that has released its lock needs a moment to end.
      const left = () => jobs.flatMap((job) => trackedProcesses(job.description.trackingId));
      await expect.poll(left, { timeout: PATIENCE_MS }).toEqual([]);
      for (const key of keys) expect(await inspect(key)).toMatchObject({ holders: [], waiting: 0 });
      expect(strayFiles(path, keys)).toEqual([]);
      expect(jobs.flatMap((job) => filesIn(leaseDirectoryOf(job)))).toEqual([]);
      const stages = reports.flatMap((report) => report.stages);
      expect(stages.filter(({ stdioHeld }) => stdioHeld)).toEqual([]);
    },
  };
}

/** The files of a store that should not be there when nobody holds or waits. */
export function strayFiles(store: string, keys: readonly string[]): string[] {
  const kept = keys.flatMap((key) =>
    ["guard", "fence"].map((file) => `.holdfast/${lockFileName(key)}/${file}`),
  );
  return filesIn(store).filter((name) => name !== ".lock_audit.log" && !kept.includes(name));
}

/** What a person wants to see of a job when its test has failed. */
function storyOf(job: JobRun): string {
  const lines = job.events.map((event) => {
    const { files: _, ...rest } = event as RunnerEvent & { files?: unknown };
    return event.event === "log" ? `  ${event.line}` : JSON.stringify(rest);
  });
  return [`${job.description.directory}, worker ${job.worker.pid}`, ...lines].join("\n");
}

/** Every file below a directory, by its path from there; none where there is no directory. */
export function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1));
  } catch {
    return [];
  }
}

/** Leases, logs and sockets are here: all of them must be gone when a job is over. */
export function leaseDirectoryOf(job: JobRun): string {
  return join(job.description.directory, "_temp", "holdfast");
}

/** The lease of a job while its keeper holds it. */
export function leaseOf(job: JobRun) {
  const [found] = leasesIn(leaseDirectoryOf(job));
  if (found === undefined || !hasKeeper(found.lease)) throw new Error("the job has no lease");
  return found.lease;
}

/** The owner id that the action gives a job. */
export function ownerOf(job: JobRun): string {
  const { runner, runId, attempt, name, leg } = job.description;
  const number = runner === "gitea" ? `-${31 + (leg?.index ?? 0)}` : "";
  return `ci-${runner}-${runId}-${attempt}-${name}${number}`;
}
