import { ciOwnerId, type Metadata, OWNER_BYTES_LIMIT, type Owner } from "../../lock/owner.ts";
import { cutToBytes } from "../../lock/text.ts";
import { randomHex } from "../../machine/random.ts";
import type { GateTerms } from "./config.ts";
import type { Requested } from "./events.ts";

/** What GitHub waits for, one job each. */
export interface GatedDeployment {
  /** Null: GitHub did not say it. */
  readonly id: number | null;
  /** It waits for an answer; it was let in, by this gate or by a person; it is done. */
  state: "asked" | "answered" | "over";
}

/** The way of one run into one environment, from its request to the end of its jobs there. Kept over restarts. */
export interface Pass {
  /** Also the id of its claim in the table, which nobody else can know. */
  readonly id: string;
  readonly repository: string;
  readonly repositoryId: number;
  readonly installation: number;
  readonly run: number;
  /** Null: not asked yet. */
  attempt: number | null;
  readonly environment: string;
  readonly deployments: GatedDeployment[];
  readonly sha: string | null;
  readonly ref: string | null;
  readonly actor: string | null;
  workflow: string | null;
  /** What it claims; null: it is to be turned away. */
  readonly terms: GateTerms | null;
  /** Why it is turned away. */
  readonly refusal: string | null;
  phase: "new" | "waiting" | "held" | "refused";
  fence: number | null;
  /** By GitHub's clock, milliseconds: when an approval was last sent; null: never. */
  sentAt: number | null;
  /** Comments that were sent. */
  reports: number;
  /** A job of the run has asked for the lock until the end of the run. */
  untilRun: boolean;
  /** A job of the run had the lock for its run before: it is not released with this pass. */
  isGuest: boolean;
  /** Wall clock, milliseconds. */
  readonly since: number;
}

export function newPass(
  event: Requested,
  terms: GateTerms | null,
  refusal: string | null,
  now: number,
): Pass {
  const { repository, repositoryId, installation, run, environment, sha, ref, actor } = event;
  return {
    id: `gate-${randomHex(16)}`,
    repository,
    repositoryId,
    installation,
    run,
    attempt: null,
    environment,
    deployments: [{ id: event.deployment, state: "asked" }],
    sha,
    ref,
    actor,
    workflow: null,
    terms,
    refusal,
    phase: terms === null ? "refused" : "new",
    fence: null,
    sentAt: null,
    reports: 0,
    untilRun: false,
    isGuest: false,
    since: now,
  };
}

/** Who holds what the pass claims: the run, and the environment where a job would stand. */
export function ownerOf(pass: Pass, web: string): Owner {
  const { repository, run, environment, sha, ref, actor, workflow } = pass;
  const attempt = String(pass.attempt ?? 1);
  const known = Object.entries({
    ci_system: "github",
    repository,
    run_id: String(run),
    run_attempt: attempt,
    run_url: `${web}/${repository}/actions/runs/${run}`,
    job: environment,
    workflow,
    sha,
    ref,
    actor,
  }).filter(([, value]) => value !== null);
  return {
    id: cutToBytes(ciOwnerId("github", String(run), attempt, environment), OWNER_BYTES_LIMIT),
    metadata: Object.fromEntries(known) as Metadata,
  };
}

/** The run as a job of it names itself for `until: run`: see src/ci/run.ts. A test compares the two. */
export function runText(web: string, repository: string, run: string, attempt: string): string {
  return [new URL(web).host, repository, "runs", run, "attempts", attempt].join("/");
}

/** It has a claim in the table, which waits or holds. */
export function isInLine({ phase }: Pick<Pass, "phase">): boolean {
  return phase === "waiting" || phase === "held";
}
