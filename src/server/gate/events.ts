import { hasControl } from "../../lock/text.ts";
import { fieldsOf } from "./github.ts";

/** A run wants into an environment, and waits at GitHub until it is let in. */
export interface Requested {
  readonly kind: "requested";
  readonly repository: string;
  readonly repositoryId: number;
  readonly installation: number;
  readonly run: number;
  readonly environment: string;
  /** Null: GitHub left it out. */
  readonly deployment: number | null;
  readonly sha: string | null;
  readonly ref: string | null;
  readonly actor: string | null;
}

/** Something became of a run, or of what the App may see. It is a reason to ask, and proves nothing. */
export interface Hint {
  readonly kind: "hint";
  readonly repositoryId: number | null;
  /** Null: all runs of the repository or installation. */
  readonly run: number | null;
  readonly installation: number | null;
  /** The job that it is about, and the environment that it is for; null there: for none. */
  readonly job: { readonly id: number; readonly environment: string | null } | null;
}

export type GateEvent = Requested | Hint;

/** A payload that lacks what its event always has. */
export class BadPayload extends Error {}

export const REPOSITORY = /^(?!\.{1,2}\/)[\w.-]{1,100}\/(?!\.{1,2}$)[\w.-]{1,100}$/;
const CALLBACK =
  /^(?:\/api\/v3)?\/repos\/([^/]+\/[^/]+)\/actions\/runs\/(\d{1,16})\/deployment_protection_rule$/;
const ENVIRONMENT_LIMIT = 255;
const TEXT_LIMIT = 300;

/** Reads what an event says, as far as the gate needs it; null: nothing. Throws BadPayload. */
export function readEvent(name: string, payload: unknown): GateEvent | null {
  const fields = fieldsOf(payload);
  switch (name) {
    case "deployment_protection_rule":
      return fields.action === "requested" ? readRequested(fields) : null;
    case "workflow_job": {
      const job = fieldsOf(fields.workflow_job);
      const { environment } = fieldsOf(fields.deployment ?? job.deployment);
      const id = numberIn(job.id);
      const about = typeof environment === "string" ? environment.toLowerCase() : null;
      // A job that has not begun may get its deployment later.
      const isTold = about !== null || job.status === "in_progress" || job.status === "completed";
      return hint(fields, numberIn(job.run_id), id && isTold ? { id, environment: about } : null);
    }
    case "workflow_run":
      return hint(fields, numberIn(fieldsOf(fields.workflow_run).id));
    case "deployment_status":
      return hint(fields, numberIn(fieldsOf(fields.workflow_run).id));
    case "installation":
    case "installation_repositories":
      return hint(fields, null);
    default:
      return null;
  }
}

function hint(
  fields: ReturnType<typeof fieldsOf>,
  run: number | null,
  job: Hint["job"] = null,
): Hint {
  const repositoryId = numberIn(fieldsOf(fields.repository).id);
  const installation = numberIn(fieldsOf(fields.installation).id);
  return { kind: "hint", repositoryId, run, installation, job };
}

function readRequested(fields: ReturnType<typeof fieldsOf>): Requested {
  const { id, full_name: repository } = fieldsOf(fields.repository);
  const { environment, deployment_callback_url: callback } = fields;
  const deployment = fieldsOf(fields.deployment);
  const repositoryId = numberIn(id);
  const installation = numberIn(fieldsOf(fields.installation).id);
  if (typeof repository !== "string" || !REPOSITORY.test(repository) || repositoryId === null) {
    throw new BadPayload("it names no repository");
  }
  if (installation === null) throw new BadPayload("it names no installation");
  if (
    typeof environment !== "string" ||
    environment.trim() === "" ||
    environment.length > ENVIRONMENT_LIMIT ||
    hasControl(environment)
  ) {
    throw new BadPayload("it names no environment");
  }
  // Only its path counts: the host that is answered is that of the configuration.
  const url = typeof callback === "string" && URL.canParse(callback) ? new URL(callback) : null;
  const [, named, run] = CALLBACK.exec(url?.pathname ?? "") ?? [];
  if (named?.toLowerCase() !== repository.toLowerCase()) {
    throw new BadPayload("its callback is not that of a run of this repository");
  }
  return {
    kind: "requested",
    repository,
    repositoryId,
    installation,
    run: Number(run),
    environment,
    deployment: numberIn(deployment.id),
    sha: textIn(deployment.sha),
    ref: textIn(deployment.ref),
    actor: textIn(fieldsOf(fields.sender).login),
  };
}

function numberIn(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : null;
}

function textIn(value: unknown): string | null {
  const isText = typeof value === "string" && value !== "" && value.length <= TEXT_LIMIT;
  return isText && !hasControl(value) ? value : null;
}
