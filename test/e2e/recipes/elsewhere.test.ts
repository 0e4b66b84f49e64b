import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { openStore } from "../../../src/stores/open.ts";
import { start } from "../../helpers/processes.ts";
import { ROOT } from "../../helpers/sources.ts";
import { openServed, type ServedScene } from "../places.ts";
import { list, mapping, readYaml, text } from "../runner/language/yaml.ts";
import { isOneAtATime, journal, recipe, writeScripts } from "./workflow.ts";

/** The recipes for GitLab and Jenkins: their commands, with the variables that those systems set. */

/** Where a job of such a system runs: `holdfast` is installed, and the repository checked out. */
function machine(scene: ServedScene, run: string, name: string, env: Record<string, string>) {
  const directory = join(scene.directory, `${run}-${name}`);
  writeScripts(scene, directory, run, name);
  const bin = join(directory, "bin");
  mkdirSync(bin, { recursive: true });
  const command = join(bin, "holdfast");
  writeFileSync(
    command,
    `#!/bin/sh\nexec "${process.execPath}" "${ROOT}/dist/cli/index.js" "$@"\n`,
  );
  chmodSync(command, 0o755);
  const variables = {
    PATH: [bin, "/usr/bin", "/bin"].join(delimiter),
    HOME: directory,
    CI: "true",
    HOLDFAST_STORE: scene.store,
    ...env,
  };
  return (script: string) =>
    start("/bin/bash", ["-eo", "pipefail", "-c", script], {
      cwd: join(directory, "workspace"),
      env: variables,
    }).ended;
}

async function isHeldFor(scene: ServedScene): Promise<string | undefined> {
  const store = await openStore(scene.store);
  const { holders } = await store.inspect("production");
  await store.close();
  return holders[0]?.run?.id;
}

test("GitLab", async () => {
  const scene = await openServed("http");
  const pipeline = readYaml(recipe("GitLab"));
  expect(mapping(pipeline.variables).HOLDFAST_STORE).toMatch(/^https:/);
  const stages = list(pipeline.stages).map(text);
  expect(stages).toEqual(["migrate", "deploy", "unlock"]);
  const runPipeline = async (id: string) => {
    for (const [index, name] of stages.entries()) {
      const job = mapping(pipeline[name]);
      const env = {
        GITLAB_CI: "true",
        CI_SERVER_URL: "https://gitlab.example.com",
        CI_PROJECT_PATH: "acme/shop",
        CI_PIPELINE_ID: id,
        CI_JOB_ID: `${id}${index}`,
        CI_JOB_NAME: name,
      };
      const run = machine(scene, id, name, env);
      const ended = await run(list(job.script).map(text).join("\n"));
      expect(ended.code, ended.stderr).toBe(0);
      const held = name === "unlock" ? undefined : `gitlab.example.com/acme/shop/pipelines/${id}`;
      if (held !== undefined) expect(await isHeldFor(scene)).toBe(held);
    }
  };
  await Promise.all(["601", "602"].map(runPipeline));
  const runs = journal(scene).map((line) => line.split(" ")[1]);
  expect(runs).toHaveLength(8);
  // All of one pipeline, then all of the other.
  expect(new Set(runs.slice(0, 4)).size).toBe(1);
  expect(isOneAtATime(journal(scene))).toBe(true);
  await scene.isTidy();
});

test("Jenkins", async () => {
  const scene = await openServed("http");
  const pipeline = recipe("Jenkins", "groovy");
  const steps = [...pipeline.matchAll(/sh '([^']*)'/g)].map(([, script]) => script as string);
  expect(steps).toHaveLength(4);
  const build = async (number: string) => {
    const env = {
      JENKINS_URL: "https://jenkins.example.com/",
      JOB_NAME: "shop",
      BUILD_NUMBER: number,
      BUILD_URL: `https://jenkins.example.com/job/shop/${number}/`,
    };
    for (const [index, script] of steps.entries()) {
      // Each step may come to another agent.
      const ended = await machine(scene, number, `agent-${index}`, env)(script);
      expect(ended.code, ended.stderr).toBe(0);
      if (index < 3) expect(await isHeldFor(scene)).toBe(`jenkins.example.com/shop/${number}`);
    }
  };
  await Promise.all(["41", "42"].map(build));
  const runs = journal(scene).map((line) => line.split(" ")[1]);
  expect(runs).toHaveLength(8);
  expect(new Set(runs.slice(0, 4)).size).toBe(1);
  await scene.isTidy();
});
