import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Running, start } from "../../helpers/processes.ts";
import {
  type ActionStep,
  type CommandStep,
  type JobDescription,
  type Result,
  RUNNER_DELAYS,
  type RunnerEvent,
  type Stage,
  type StageEnd,
} from "./job.ts";
import { readLines } from "./language/lines.ts";

const here = dirname(fileURLToPath(import.meta.url));

type EventOf<Name extends RunnerEvent["event"]> = Extract<RunnerEvent, { event: Name }>;

/** What a test has to say about a job; the rest is the same for all. */
export type JobOptions = Pick<JobDescription, "directory" | "steps"> &
  Partial<Omit<JobDescription, "trackingId">>;

export interface JobRun {
  readonly description: JobDescription;
  readonly worker: Running;
  readonly events: readonly RunnerEvent[];
  /** Resolves when the stage's process runs; rejects when the job ends without. */
  started(step: string, stage?: Stage): Promise<EventOf<"stage-start">>;
  ended(step: string, stage?: Stage): Promise<EventOf<"stage-end">>;
  /** Resolves to the first line of the step's log that matches. */
  logged(step: string, pattern: RegExp): Promise<EventOf<"log">>;
  /** Waits until the gate step stands; `open` then lets it go on. */
  gate(step: string): Promise<{ readonly pid: number; open(): void }>;
  cancel(): void;
  /** The worker is killed where it stands. Resolves when it is gone. */
  crash(): Promise<void>;
  /** Resolves when the worker has ended, whichever way; on Gitea, whose runner goes on, when the job has. */
  finished: Promise<JobReport>;
}

export interface JobReport {
  /** Null where the worker ended before its job. */
  readonly result: Result | null;
  readonly stages: readonly StageEnd[];
  stage(step: string, stage?: Stage): StageEnd;
  readonly skipped: readonly string[];
  annotations(level: "error" | "warning" | "notice"): string[];
  /** The log as a person sees it, of one step or of all. */
  log(step?: string, stage?: Stage): string;
  readonly swept: readonly { pid: number; command: string }[];
}

let jobs = 0;

export function startJob(options: JobOptions): JobRun {
  const number = ++jobs;
  const description: JobDescription = {
    runner: "github",
    name: "deploy",
    trackingId: `github_${randomUUID()}`,
    runId: String(process.pid * 1_000 + number),
    attempt: "1",
    repository: "acme/shop",
    environment: "self-hosted",
    path: "/usr/bin:/bin",
    env: {},
    delays: RUNNER_DELAYS,
    ...options,
  };
  mkdirSync(description.directory, { recursive: true });
  const file = join(description.directory, "job.json");
  writeFileSync(file, JSON.stringify(description));
  const worker = start(process.execPath, [join(here, "worker.ts"), file]);
  return follow(description, worker);
}

/** A step that stands until the test opens it. */
export function gateStep(
  id: string,
  more: Partial<CommandStep> & { code?: number } = {},
): CommandStep {
  const { code = 0, ...rest } = more;
  return { id, run: [process.execPath, join(here, "gate.ts"), String(code)], ...rest };
}

/** Stands between the pres of the actions before it and the job's first step. */
export function gateBeforeSteps(id: string): ActionStep {
  return { id, uses: join(here, "gate-action"), stages: ["pre"] };
}

function follow(description: JobDescription, worker: Running): JobRun {
  const events: RunnerEvent[] = [];
  const listeners = new Set<() => void>();
  let over = false;
  const wake = () => {
    for (const listener of [...listeners]) listener();
  };
  if (worker.process.stdout === null) throw new Error("the worker has no stdout");
  readLines(worker.process.stdout, (line) => {
    events.push(JSON.parse(line) as RunnerEvent);
    wake();
  });
  const finished = worker.ended.then((end) => {
    over = true;
    wake();
    if (end.code !== 0 && end.signal === null) throw new Error(`the worker failed: ${end.stderr}`);
    return reportOf(events);
  });
  finished.catch(() => {});
  const isJobEnd = (event: RunnerEvent): event is EventOf<"job-end"> => event.event === "job-end";

  const when = <Event extends RunnerEvent>(
    what: string,
    matches: (event: RunnerEvent) => event is Event,
  ): Promise<Event> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = events.find(matches);
        if (found === undefined && !over) return;
        listeners.delete(look);
        if (found !== undefined) resolve(found);
        else
          reject(
            new Error(
              `the job ended without ${what}:\n${reportOf(events).log()}${worker.stderr()}`,
            ),
          );
      };
      listeners.add(look);
      look();
    });
  const of = <Name extends RunnerEvent["event"]>(name: Name, step: string, stage?: Stage) =>
    when(`${name} of ${step} ${stage ?? ""}`, (event): event is EventOf<Name> => {
      if (event.event !== name || !("step" in event)) return false;
      return event.step === step && (stage === undefined || event.stage === stage);
    });
  const logged = (step: string, pattern: RegExp) =>
    when(
      `${pattern} in the log of ${step}`,
      (event): event is EventOf<"log"> =>
        event.event === "log" && event.step === step && pattern.test(event.line),
    );
  const started = (step: string, stage?: Stage) => of("stage-start", step, stage);

  return {
    description,
    worker,
    events,
    started,
    ended: (step, stage) => of("stage-end", step, stage),
    logged,
    gate: async (step) => {
      const { pid } = await started(step);
      await logged(step, /the gate is closed/);
      return { pid, open: () => process.kill(pid, "SIGUSR2") };
    },
    cancel: () => worker.write("cancel\n"),
    crash: async () => {
      worker.kill("SIGKILL");
      await finished;
    },
    finished:
      description.runner === "github"
        ? finished
        : when("its end", isJobEnd).then(() => reportOf(events)),
  };
}

function reportOf(events: readonly RunnerEvent[]): JobReport {
  const all = <Name extends RunnerEvent["event"]>(name: Name) =>
    events.filter((event): event is EventOf<Name> => event.event === name);
  const stages = all("stage-end");
  return {
    result: all("job-end")[0]?.result ?? null,
    stages,
    stage: (step, stage = "main") => {
      const found = stages.find((end) => end.step === step && end.stage === stage);
      if (found === undefined) throw new Error(`${stage} of ${step} did not run`);
      return found;
    },
    skipped: all("stage-skipped").map(({ step, stage }) => `${step} ${stage}`),
    annotations: (level) =>
      all("annotation")
        .filter((annotation) => annotation.level === level)
        .map(({ message }) => message),
    log: (step, stage) =>
      all("log")
        .filter((line) => step === undefined || line.step === step)
        .filter((line) => stage === undefined || line.stage === stage)
        .map(({ line }) => `${line}\n`)
        .join(""),
    swept: all("swept").flatMap(({ processes }) => processes),
  };
}
