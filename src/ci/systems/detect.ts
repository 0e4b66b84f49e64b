import { type CiRun, type Detector, isOn, type Read } from "./detector.ts";
import {
  azure,
  azureRelease,
  bitbucket,
  buildkite,
  circleci,
  github,
  gitlab,
  travis,
} from "./hosted.ts";
import { drone, forgejo, gitea, jenkins, teamcity, woodpecker } from "./self-hosted.ts";

/** The lock policy's own variables, for every system that is not in the table. */
const generic: Detector = (env) => {
  const system = env("CI_SYSTEM");
  const run_id = env("CI_RUN_ID");
  if (system === undefined && run_id === undefined && !isOn(env("CI"))) return null;
  return { system: system ?? "unknown-ci", run: [run_id], whole: [system, run_id], run_id };
};

/** Asked in this order. CI=true and the generic variables are set on top of a system's own: last. */
const DETECTORS: readonly Detector[] = [
  forgejo,
  gitea,
  github,
  gitlab,
  circleci,
  buildkite,
  azureRelease,
  azure,
  bitbucket,
  travis,
  woodpecker,
  drone,
  teamcity,
  jenkins,
  generic,
];

export function detect(env: Read, hostname: string): CiRun | null {
  for (const detector of DETECTORS) {
    const run = detector(env, hostname);
    if (run !== null) return run;
  }
  return null;
}
