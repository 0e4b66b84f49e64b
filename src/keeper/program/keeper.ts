import { aliveLater } from "../../ci/index.ts";
import { Forecast, foretold } from "../../forecast/forecast.ts";
import { isLockError, LockError, messageOf } from "../../lock/errors.ts";
import { shareOf } from "../../lock/request.ts";
import type { Progress } from "../../lock/store.ts";
import { openFileHolder } from "../../stores/file/holder.ts";
import { openStore } from "../../stores/open.ts";
import { claimAll } from "../../stores/several.ts";
import { tidyUpAfter } from "../client/tidy-up.ts";
import { removeLeaseFile } from "../lease-file.ts";
import { failureOf, historyFor, pastOf, requestsOf, type Task } from "../protocol.ts";
import { hold } from "./hold.ts";
import { type KeeperLog, openLog } from "./log.ts";
import { KeptPlace } from "./place.ts";
import { stopSignals } from "./signals.ts";
import { type ListenedStarter, Starter } from "./starter.ts";
import { type WatchedJob, watchJob } from "./watch-job.ts";

/** The whole life of a keeper: it claims or adopts a lock, holds it, watches the job, and releases. */
export async function keep(): Promise<void> {
  const starter = new Starter();
  const task = starter.task();
  // The starter found that there is nothing to claim, or ended.
  if (task === null) return;
  const log = openLog(task.leaseFile);
  try {
    await (task.claimedBy === "starter" ? adopt : claim)(task, starter, log);
  } catch (error) {
    const known = knownError(error);
    log.write(`failed: ${known.code} ${known.message}`);
    starter.tell(failureOf(known));
    // The starter was told, and no other process looks for this lease: nothing is left behind.
    removeLeaseFile(task.leaseFile);
  }
}

/**
 * Holds what the starter claims in this process's name. Only locks in files are claimed by one
 * process for another, and the code to hold those is part of this program.
 */
async function adopt(task: Task, starter: Starter, log: KeeperLog): Promise<void> {
  const store = openFileHolder(task.store, task.storeOptions);
  try {
    const lease = starter.lease();
    if (lease === null) return await tidyUpAfter(starter, task);
    const holding = await store.adopt(lease, task.request);
    const listened = starter.listen();
    const job = watchJob(task);
    const { past } = listened;
    const verify = async () => !holding.lost.aborted;
    await hold(task, log, { holding, tell: starter.tell, starter: listened, job, past, verify });
  } finally {
    await store.close();
  }
}

/** Stands in line itself: for a store that knows a holder by its connection, and for several keys. */
async function claim(task: Task, starter: Starter, log: KeeperLog): Promise<void> {
  const { request, timeout } = task;
  const requests = requestsOf(task);
  const keys = requests.map(({ key }) => JSON.stringify(key)).join(", ");
  log.write(`claims ${keys} in ${task.store}`);
  const listened = starter.listen();
  const job = watchJob(task);
  const { forgeToken: token, caFile, variables: env } = task.storeOptions;
  const alive = aliveLater({ env, token, caFile });
  const onTrouble = (sentence: string) => {
    log.write(sentence);
    starter.tell({ event: "trouble", sentence });
  };
  const store = await openStore(task.store, { ...task.storeOptions, alive, onTrouble });
  const place = task.join ? new KeptPlace(task, log) : null;
  const foreseen = { ...shareOf(request), history: historyFor(store, task) };
  const forecast = new Forecast({
    ...foreseen,
    onProgress: place?.update ?? ((progress) => starter.tell({ event: "progress", progress })),
  });
  // The starter ends once it knows of the place; if it ends before, the claim ends too.
  listened.gone.addEventListener("abort", () => place?.isOpen || place?.leave());
  try {
    const ends = [place?.gone ?? listened.gone, job.gone, stopSignals()];
    const options = {
      timeout,
      signal: AbortSignal.any(ends),
      onProgress: forecast.update,
      onTrouble,
      ...(place && {
        ready: place.ready,
        onJoined: (places: readonly Progress[]) =>
          joined(place, job, starter, listened, () =>
            Promise.all(places.map((each) => foretold(each, foreseen))),
          ),
      }),
    };
    const holding = await claimAll(store, requests, options)
      .catch((error: unknown) => {
        if (!place?.isOpen) throw error;
        log.write(`failed: ${messageOf(error)}`);
        place.over(knownError(error));
        return null;
      })
      .finally(() => forecast.end());
    if (holding === null) return;
    const past = pastOf(store, task);
    const verify = async () => {
      const held = await Promise.all(holding.leases.map((lease) => store.verify(lease)));
      return held.every(Boolean);
    };
    const kept = { holding, tell: starter.tell, starter: listened, job, past, verify };
    await hold(task, log, place === null ? kept : { ...kept, place });
  } finally {
    job.close();
    listened.close();
    await store.close();
  }
}

/**
 * The claim stands in line: the starter is told how, and may then end. `told`: how it stands in the line
 * of each key.
 */
async function joined(
  place: KeptPlace,
  job: WatchedJob,
  starter: Starter,
  listened: ListenedStarter,
  told: () => Promise<readonly Progress[]>,
): Promise<void> {
  await place.open(job);
  for (const progress of await told()) starter.tell({ event: "progress", progress });
  starter.tell({ event: "granted" });
  if (!(await listened.acknowledged)) place.leave();
}

function knownError(error: unknown): LockError {
  if (isLockError(error)) return error;
  return new LockError("INTERNAL", messageOf(error), { cause: error });
}
