import { ciOwnerId, type Metadata, OWNER_BYTES_LIMIT, type Owner } from "../../lock/owner.ts";
import { cleanText, cutToBytes, sha256 } from "../../lock/text.ts";
import type { Claims, Identity, JobIdentity } from "./policy.ts";

/** Who a job is, in the words of this server: as its issuer signed it, whatever its client says. */
export interface JobOwner {
  readonly owner: Owner;
  /** The run that the job belongs to, for locks that outlive the job; null: the token names none. */
  readonly run: string | null;
}

/** What a client may add about itself. All other fields are the issuer's to say. */
const OF_CLIENT = ["hostname", "process_id", "environment", "purpose", "session_id"];

const GITHUB = "https://token.actions.githubusercontent.com";
const VALUE_BYTES_LIMIT = 1_000;

type Field = string | undefined;

/** What a CI system's claims say about a job. */
interface Job {
  readonly system: string;
  /** Tells this job from every other. */
  readonly id: readonly Field[];
  /** Tells the whole run from every other. */
  readonly whole: readonly Field[];
  readonly fields: Readonly<Record<string, Field>>;
}

type Reading = (claim: (name: string) => Field, issuer: string) => Job | null;

/** GitHub's claims, which Gitea and Forgejo have too. `check_run_id` names the job itself. */
const workflows: Reading = (claim, issuer) => {
  const run = claim("run_id");
  const repository = claim("repository");
  if (run === undefined || repository === undefined) return null;
  const attempt = claim("run_attempt") ?? "1";
  const url =
    issuer === GITHUB ? `https://github.com/${repository}/actions/runs/${run}` : undefined;
  return {
    system: issuer === GITHUB ? "github" : "actions",
    id: [run, attempt, claim("check_run_id")],
    whole: [repository, "runs", run, "attempts", attempt],
    fields: {
      run_id: run,
      run_attempt: attempt,
      repository,
      ref: claim("ref"),
      sha: claim("sha"),
      actor: claim("actor"),
      workflow: claim("workflow"),
      job: claim("check_run_id"),
      run_url: url,
    },
  };
};

const gitlab: Reading = (claim) => {
  const [run, job] = [claim("pipeline_id"), claim("job_id")];
  const repository = claim("project_path");
  if (run === undefined || job === undefined || repository === undefined) return null;
  return {
    system: "gitlab",
    id: [run, job],
    whole: [repository, "pipelines", run],
    fields: {
      run_id: run,
      repository,
      job,
      ref: claim("ref"),
      sha: claim("sha"),
      actor: claim("user_login"),
    },
  };
};

const buildkite: Reading = (claim) => {
  const [job, build] = [claim("job_id"), claim("build_number")];
  const pipeline = claim("pipeline_slug");
  if (job === undefined || build === undefined || pipeline === undefined) return null;
  const repository = [claim("organization_slug"), pipeline].filter(Boolean).join("/");
  return {
    system: "buildkite",
    id: [job],
    whole: [repository, "builds", build],
    fields: {
      run_id: build,
      repository,
      job: claim("step_key") ?? job,
      ref: claim("build_branch"),
      sha: claim("build_commit"),
    },
  };
};

const circleci: Reading = (claim) => {
  const own = (name: string) => claim(`oidc.circleci.com/${name}`);
  const job = own("job-id");
  if (job === undefined) return null;
  const workflow = own("workflow-id");
  return {
    system: "circleci",
    id: [job],
    whole: ["workflows", workflow],
    fields: {
      run_id: workflow,
      job,
      repository: own("vcs-origin"),
      ref: own("vcs-ref"),
    },
  };
};

const READINGS = [workflows, gitlab, buildkite, circleci];

/** Names the owner of what an identity holds. `said`: the metadata that its client sent. */
export function ownerOf(identity: Identity, issuerUrl: string, said: Metadata): JobOwner {
  const { claims, issuer } = identity;
  const claim = (name: string) => textOf(claims, name);
  let job: Job | null = null;
  for (const read of READINGS) job ??= read(claim, issuerUrl);
  const kept = Object.entries(said).filter(([field]) => OF_CLIENT.includes(field));
  const fields = Object.entries(job?.fields ?? {}).filter(([, value]) => value !== undefined);
  const metadata = Object.fromEntries([
    ...kept,
    ["ci_system", job?.system ?? issuer],
    ...fields,
  ]) as Metadata;
  const id =
    job === null
      ? ciOwnerId(issuer, sha256(String(claims.sub ?? claims.jti ?? "")).slice(0, 20))
      : ciOwnerId(job.system, ...job.id);
  const whole = job?.whole ?? [undefined];
  return {
    owner: { id: cutToBytes(id, OWNER_BYTES_LIMIT), metadata },
    run: whole.includes(undefined) ? null : [issuerUrl, ...whole].join("/"),
  };
}

/** The one job of its run that it is; null: the token names none. */
export function jobOf({ run, claims }: JobIdentity): string | null {
  const id = textOf(claims, "check_run_id");
  return run === null || id === undefined ? null : `${run}/jobs/${id}`;
}

/** A claim as plain text on one line; undefined where it is absent, empty or no plain value. */
function textOf(claims: Claims, name: string): Field {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const text = cutToBytes(cleanText(String(value).toWellFormed()).trim(), VALUE_BYTES_LIMIT);
  return text === "" ? undefined : text;
}
