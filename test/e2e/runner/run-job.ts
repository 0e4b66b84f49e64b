import { randomUUID } from "node:crypto";
import { inputVariables, JobEnvironment } from "./environment.ts";
import type { ActionStep, JobDescription, Result, RunnerEvent, Stage, Step, Where } from "./job.ts";
import { Masks, parseCommand } from "./language/commands.ts";
import { holds, interpolate, stepCondition } from "./language/expression.ts";
import { openFileCommands } from "./language/file-commands.ts";
import { type Manifest, readManifest } from "./language/manifest.ts";
import { startStage } from "./stage-process.ts";
import { sweep } from "./tracking.ts";

/** One stage of one step, in the order in which the runner would come to it. */
interface Task extends Where {
  readonly of: Step;
  readonly command: readonly string[];
  readonly condition: string;
  readonly isImplied: boolean;
}

/** Runs a job as the runner does: every pre, the steps, the posts as a stack, the sweep. */
export class JobRunner {
  readonly #job: JobDescription;
  readonly #emit: (event: RunnerEvent) => void;
  readonly #environment: JobEnvironment;
  readonly #masks = new Masks();
  readonly #states = new Map<Step, Record<string, string>>();
  readonly #manifests = new Map<Step, Manifest>();
  readonly #posts: Task[] = [];
  readonly #registered = new Set<Step>();
  #status = { failed: false, cancelled: false };
  #onCancel: (() => void) | null = null;

  constructor(job: JobDescription, emit: (event: RunnerEvent) => void) {
    this.#job = job;
    this.#emit = emit;
    this.#environment = new JobEnvironment(job);
    for (const step of job.steps) {
      this.#states.set(step, {});
      if ("uses" in step) this.#manifests.set(step, readManifest(step.uses));
    }
  }

  /** What a person's cancel does, and what a job's timeout does. */
  cancel(why: "asked" | "timeout"): void {
    if (this.#status.cancelled) return;
    this.#status = { ...this.#status, cancelled: true };
    this.#emit({ event: "cancelling", at: Date.now(), why });
    this.#onCancel?.();
  }

  async run(): Promise<Result> {
    const { steps, timeout, trackingId, runner } = this.#job;
    const timer =
      timeout === undefined ? undefined : setTimeout(() => this.cancel("timeout"), timeout);
    for (const step of steps) {
      if ("uses" in step && !step.local) await this.#attempt(this.#task(step, "pre"));
    }
    for (const step of steps) {
      await this.#attempt(this.#task(step, "main"));
      const isPostAlone = "uses" in step && step.stages?.every((stage) => stage === "post");
      if (isPostAlone) this.#registerPosts(step);
    }
    for (let post = this.#posts.pop(); post !== undefined; post = this.#posts.pop())
      await this.#attempt(post);
    clearTimeout(timer);
    if (runner === "gitea") this.#environment.remove();
    else this.#emit({ event: "swept", processes: sweep(trackingId) });
    const { failed, cancelled } = this.#status;
    const result = cancelled ? "cancelled" : failed ? "failure" : "success";
    this.#emit({ event: "job-end", at: Date.now(), result });
    return result;
  }

  #task(step: Step, stage: Stage): Task | null {
    const condition = step.if ?? "success()";
    if (!("uses" in step)) {
      return { of: step, step: step.id, stage, command: step.run, condition, isImplied: true };
    }
    const manifest = this.#manifests.get(step) as Manifest;
    const file = manifest[stage];
    const departs = step.stages !== undefined && !step.stages.includes(stage);
    if (file === null || departs) return null;
    const conditions = { pre: manifest.preIf, main: condition, post: manifest.postIf };
    return {
      of: step,
      step: step.id,
      stage,
      command: [process.execPath, file],
      condition: conditions[stage],
      isImplied: stage === "main",
    };
  }

  async #attempt(task: Task | null): Promise<void> {
    if (task === null) return;
    const { step, stage } = task;
    if (!this.#isDue(task)) {
      this.#emit({ event: "stage-skipped", step, stage, condition: task.condition });
      return;
    }
    const registers = this.#job.runner === "gitea" ? ["main"] : ["pre", "main"];
    if (registers.includes(stage)) this.#registerPosts(task.of);
    await this.#run(task);
  }

  /** Post is registered when the action's first stage starts, before it can fail; on Gitea, when main does. */
  #registerPosts(step: Step): void {
    if (!("uses" in step) || this.#registered.has(step)) return;
    this.#registered.add(step);
    const post = this.#task(step, "post");
    const times = (step.stages ?? ["post"]).filter((stage) => stage === "post").length;
    for (let time = 0; post !== null && time < times; time++) this.#posts.push(post);
  }

  #isDue(task: Task): boolean {
    const context = this.#environment.context(this.#status);
    return task.isImplied ? stepCondition(task.condition, context) : holds(task.condition, context);
  }

  async #run(task: Task): Promise<void> {
    const { step, stage, of } = task;
    const environment = this.#environment;
    const files = openFileCommands(environment.temp, randomUUID());
    const state = this.#states.get(of) ?? {};
    let isCancelled = false;
    let hasTimedOut = false;
    const context = environment.context(this.#status);
    const variables = environment.variables(of, context);
    const child = startStage({
      command: task.command.map((text) => interpolate(text, context)),
      directory: environment.workspace,
      env: { ...variables, ...files.env, ...this.#ofAction(of, state) },
      delays: this.#job.delays,
      onLine: (line) => this.#read(line, { step, stage }),
      onSignal: (signal) => this.#emit({ event: "signal", at: Date.now(), step, stage, signal }),
    });
    if (child.pid !== null)
      this.#emit({ event: "stage-start", at: Date.now(), step, stage, pid: child.pid });
    this.#onCancel = () => {
      // On GitHub a step whose condition still holds is not interrupted, and never learns of the cancel.
      if (this.#job.runner === "github" && this.#isDue(task)) return;
      isCancelled = true;
      child.interrupt();
    };
    const onTimeout = () => {
      hasTimedOut = true;
      child.interrupt();
    };
    const { cancelAt } = this.#job;
    if (cancelAt?.step === step && cancelAt.stage === stage)
      setTimeout(() => this.cancel("asked"), cancelAt.after).unref();
    const timer = of.timeout === undefined ? undefined : setTimeout(onTimeout, of.timeout);
    const { code, signal, stdioHeld } = await child.ended;
    clearTimeout(timer);
    this.#onCancel = null;

    const { outputs, ...rest } = files.read();
    Object.assign(state, rest.state);
    environment.addVariables(rest.env);
    environment.addPaths(rest.paths);
    // Outputs of pre and post go nowhere.
    const seen = stage === "main" ? outputs : {};
    environment.setOutputs(step, seen);
    const failed = hasTimedOut || code !== 0;
    const result = isCancelled ? "cancelled" : failed ? "failure" : "success";
    if (result === "failure" && !of.continueOnError)
      this.#status = { ...this.#status, failed: true };
    const at = Date.now();
    this.#emit({
      event: "stage-end",
      at,
      step,
      stage,
      code,
      signal,
      result,
      stdioHeld,
      outputs: seen,
      ...rest,
    });
  }

  #ofAction(step: Step, state: Record<string, string>): Record<string, string> {
    if (!("uses" in step)) return {};
    const manifest = this.#manifests.get(step) as Manifest;
    const states = Object.entries(state).map(([name, value]) => [`STATE_${name}`, value]);
    const context = this.#environment.context(this.#status);
    return {
      ...Object.fromEntries(states),
      ...inputVariables(step as ActionStep, manifest, context),
      GITHUB_ACTION: step.id,
    };
  }

  #read(raw: string, where: Where): void {
    const command = parseCommand(raw);
    // The runner keeps the line itself out of the log, or it would tell the secret.
    if (command?.kind === "mask") {
      this.#masks.add(command.value);
      return;
    }
    if (command?.kind === "annotation")
      this.#emit({ event: "annotation", ...command.annotation, ...where });
    this.#emit({ event: "log", line: this.#masks.apply(raw), raw, ...where });
  }
}
