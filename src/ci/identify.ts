import {
  checkMetadata,
  ciOwnerId,
  localOwnerId,
  type Metadata,
  type MetadataValue,
  OWNER_BYTES_LIMIT,
  type Owner,
  parseOwnerId,
  sessionOwnerId,
  tokenOwnerId,
} from "../lock/owner.ts";
import type { Environment, Purpose } from "../lock/ttl.ts";
import { detect } from "./systems/detect.ts";
import type { CiRun, Read } from "./systems/detector.ts";
import { clean, shorten, TEXT_BYTES_LIMIT, webUrl } from "./text.ts";

/** All that is known about this process; `here()` finds it out. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly pid: number;
  readonly hostname: string;
  readonly user: string;
  readonly isContainer: boolean;
}

/** Who is running. */
export interface Identity {
  /** The CI system, or null outside CI. */
  readonly system: string | null;
  readonly owner: Owner;
  readonly environment: Environment;
  readonly purpose: Purpose;
  readonly user: string;
}

/** What the caller says about itself; it overrides everything that is found. */
export interface IdentityOverrides {
  /** Used as it is. Throws BAD_OWNER where it is no acceptable owner id. */
  readonly owner?: string | undefined;
  readonly purpose?: Purpose | undefined;
  readonly environment?: Environment | undefined;
  readonly user?: string | undefined;
  /** The command that runs under the lock, in words that others may read: `commandWords`. */
  readonly command?: string | undefined;
  /** The leg of a matrix, where the environment does not tell it. */
  readonly leg?: string | undefined;
}

const UNKNOWN = "unknown";

/** Bounds the work on a single variable, which can be 128 kB long. */
const VARIABLE_BYTES_LIMIT = 4_096;

export function identify(surroundings: Surroundings, overrides: IdentityOverrides = {}): Identity {
  const { pid } = surroundings;
  const env = reader(surroundings.env);
  const hostname = bounded(surroundings.hostname) ?? UNKNOWN;
  const run = detect(env, hostname);
  const user = firstOf(overrides.user, env("HOLDFAST_USER"), run?.actor, surroundings.user);
  const environment =
    overrides.environment ?? (run ? "ci" : surroundings.isContainer ? "container" : "local");
  const purpose = overrides.purpose ?? (run ? "automated" : "interactive");
  const session = run ? undefined : env("HOLDFAST_SESSION");

  const ownId = (): string => {
    if (run) return ciId(run, `${pid}@${hostname}`, bounded(overrides.leg));
    const token = surroundings.env.HOLDFAST_SESSION_TOKEN;
    if (environment === "cloud" && token) return tokenOwnerId(token);
    if (session !== undefined) return sessionOwnerId(user ?? UNKNOWN, session);
    return localOwnerId(pid, hostname);
  };
  const id = parseOwnerId(overrides.owner ?? shorten(ownId(), OWNER_BYTES_LIMIT));

  const metadata = plain({
    ...(run ? ciMetadata(run) : {}),
    hostname,
    process_id: pid,
    // Left out if it is not known: two unknown users are not the same user.
    user_identity: user,
    session_id: session,
    // A job is known by its run.
    command: run ? undefined : overrides.command,
    environment,
    purpose,
  });
  return {
    system: run ? shorten(run.system, TEXT_BYTES_LIMIT) : null,
    owner: { id, metadata },
    environment,
    purpose,
    user: user ?? UNKNOWN,
  };
}

function ciId(run: CiRun, process: string, leg: string | undefined): string {
  const parts = [...run.run, ...(run.within ?? [])];
  if (run.run.includes(undefined)) parts.push(process);
  return ciOwnerId(run.system, ...parts, leg);
}

function ciMetadata(run: CiRun): Record<string, MetadataValue | undefined> {
  const { system, run: _run, within: _within, whole: _whole, run_url, ...about } = run;
  return { ci_system: system, ...about, run_url: webUrl(run_url) };
}

/** Leaves out what is not known, and cuts long texts; addresses are not cut. */
function plain(fields: Record<string, MetadataValue | undefined>): Metadata {
  const metadata: Record<string, MetadataValue> = {};
  for (const [field, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const isName = typeof value === "string" && field !== "run_url";
    metadata[field] = isName ? shorten(value, TEXT_BYTES_LIMIT) : value;
  }
  return checkMetadata(metadata);
}

/** Reads the variables of an environment, cleaned and bounded. */
export function reader(env: NodeJS.ProcessEnv): Read {
  return (name) => bounded(env[name]);
}

function bounded(text: string | undefined): string | undefined {
  const line = clean(text);
  return line === undefined ? undefined : shorten(line, VARIABLE_BYTES_LIMIT);
}

function firstOf(...users: (string | undefined)[]): string | undefined {
  for (const user of users) {
    const name = clean(user);
    if (name !== undefined) return shorten(name, TEXT_BYTES_LIMIT);
  }
  return undefined;
}
