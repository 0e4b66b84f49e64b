import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../helpers/sources.ts";
import type { Step } from "../runner/job.ts";
import { list, type Mapping, mapping, readYaml, text } from "../runner/language/yaml.ts";
import type { JobOptions, JobReport, JobRun } from "../runner/start-job.ts";
import { ACTION, type Scene } from "../scene.ts";

/** A workflow of the documents, run as it is written: its jobs in order, each on a runner of its own. */

const RECIPES = readFileSync(join(ROOT, "docs/recipes.md"), "utf8");

/** The block of a recipe, by the recipe's title. */
export function recipe(title: string, language = "yaml"): string {
  const [, section = ""] = RECIPES.split(`\n## ${title}\n`);
  const found = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "m").exec(
    section.split("\n## ")[0] ?? "",
  );
  if (found?.[1] === undefined) throw new Error(`docs/recipes.md has no ${language} in ${title}`);
  return found[1];
}

export const TITLES = [...RECIPES.matchAll(/^## (.*)$/gm)].map(([, title]) => title as string);

export interface WorkflowRun {
  /** Each job as soon as it has started; a leg of a matrix by name and number. */
  job(name: string): Promise<JobRun>;
  readonly finished: Promise<ReadonlyMap<string, JobReport>>;
}

export interface RunOptions extends Partial<JobOptions> {
  readonly runId: string;
  /** What the checkout brings, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Starts a run of a workflow. A job starts when those that it needs are over, as the forge does it. */
export function startWorkflow(
  scene: Scene,
  yaml: string,
  { files = {}, ...options }: RunOptions,
): WorkflowRun {
  const workflow = readYaml(yaml);
  const jobs = Object.entries(mapping(workflow.jobs));
  const names = jobs.flatMap(([name, job]) =>
    legsOf(mapping(job)).map((leg) => (leg === undefined ? name : `${name} ${leg.index}`)),
  );
  const started = new Map(names.map((name) => [name, Promise.withResolvers<JobRun>()]));
  const reports = new Map<string, Promise<Map<string, JobReport>>>();
  for (const [name, value] of jobs) {
    const job = mapping(value);
    const before = [job.needs ?? []].flat().map((needed) => reports.get(text(needed)));
    reports.set(
      name,
      Promise.all(before).then(async (needed) => {
        const results = needed.flatMap((reportsOf) => [...(reportsOf?.values() ?? [])]);
        const mayRun = results.every(({ result }) => result === "success");
        const own = new Map<string, JobReport>();
        if (!mayRun && !text(job.if).includes("always()")) return own;
        const running = legsOf(job).map((leg) => {
          const title = leg === undefined ? name : `${name} ${leg.index}`;
          const directory = join(scene.directory, `${options.runId}-${title.replace(" ", "-")}`);
          writeScripts(scene, directory, options.runId, title);
          for (const [file, content] of Object.entries(files))
            writeFileSync(join(directory, "workspace", file), content);
          const run = scene.job({
            ...options,
            name,
            directory,
            steps: list(job.steps).flatMap((step, index) => stepOf(mapping(step), index)),
            env: { ...texts(workflow.env), ...texts(job.env), ...options.env },
            ...(leg === undefined ? {} : { leg }),
          });
          started.get(title)?.resolve(run);
          return run.finished.then((report) => own.set(title, report));
        });
        await Promise.all(running);
        return own;
      }),
    );
  }
  const finished = Promise.all(reports.values()).then(
    (found) => new Map(found.flatMap((each) => [...each])),
  );
  const job = (name: string) => started.get(name)?.promise as Promise<JobRun>;
  return { job, finished };
}

/** The legs of a job's matrix, which has one dimension here; one without a number where there is none. */
function legsOf(job: Mapping): JobOptions["leg"][] {
  const [dimension] = Object.entries(mapping(mapping(job.strategy).matrix));
  if (dimension === undefined) return [undefined];
  const [name, values] = dimension;
  const total = list(values).length;
  return list(values).map((value, index) => ({ matrix: { [name]: value }, index, total }));
}

/** A step as the stand-in runner takes it. There is no repository to check out. */
function stepOf(step: Mapping, index: number): Step[] {
  const uses = text(step.uses);
  const common = {
    id: text(step.id) || `step-${index}`,
    ...(step.if === undefined ? {} : { if: text(step.if) }),
    env: texts(step.env),
  };
  if (uses === "holdfast-ci/holdfast@v1")
    return [{ ...common, uses: ACTION, with: texts(step.with) }];
  if (uses.startsWith("actions/checkout@")) return [];
  if (uses !== "") throw new Error(`a step of another action: ${uses}`);
  const shell = ["/bin/bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"];
  return [{ ...common, run: [...shell, text(step.run)] }];
}

function texts(value: Mapping[string] | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(mapping(value)).map(([name, each]) => [name, text(each)]),
  );
}

/** The scripts that a recipe calls: each notes when it begins and ends, with its arguments. */
export function writeScripts(scene: Scene, directory: string, run: string, job: string): void {
  const workspace = join(directory, "workspace");
  mkdirSync(workspace, { recursive: true });
  appendFileSync(journalOf(scene), "");
  for (const name of ["deploy", "migrate", "switch-traffic", "test", "train"]) {
    const note = (what: string) =>
      `echo "${what} ${run} ${job}: ${name} $*" >> '${journalOf(scene)}'`;
    const file = join(workspace, `${name}.sh`);
    writeFileSync(file, `#!/bin/sh\n${note("begin")}\nsleep 0.3\n${note("end")}\n`);
    chmodSync(file, 0o755);
  }
}

function journalOf({ directory }: Scene): string {
  return join(directory, "journal");
}

/** What the scripts noted, in order. */
export function journal(scene: Scene): string[] {
  return readFileSync(journalOf(scene), "utf8").split("\n").filter(Boolean);
}

/** Whether, of the lines that a pattern matches, each beginning is followed by its own end. */
export function isOneAtATime(lines: readonly string[], pattern = /./): boolean {
  const found = lines.filter((line) => pattern.test(line));
  return found.every((line, index) =>
    line.startsWith("begin ")
      ? found[index + 1] === line.replace("begin", "end")
      : found[index - 1] === line.replace("end", "begin"),
  );
}
