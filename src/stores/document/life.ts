import type { ForgeRun } from "../../lock/store.ts";
import { cleanText } from "../../lock/text.ts";
import { readTime } from "../../lock/time.ts";

/**
 * What a holder's life hangs on, so that others can find out whether it is still there. It is seen
 * from other machines, so it is never a pid.
 */
export type Life = SessionLife | JobLife | RunLife | UntilLife | HeartbeatLife;

/** A process that renews its session at the register. */
export interface SessionLife {
  readonly kind: "session";
  readonly id: string;
}

/** A CI job that its forge can be asked about. */
export interface JobLife extends ForgeRun {
  readonly kind: "job";
  /** The forge's id of the job. If the forge gives none, the runner's name finds the job in its run. */
  readonly job: string | null;
  readonly runner: string | null;
}

/** All jobs of one attempt of a run: it outlives the job that claimed. */
export interface RunLife extends ForgeRun {
  readonly kind: "run";
}

/** A fixed end, for detached holds. Null: the ttl, counted from the grant. */
export interface UntilLife {
  readonly kind: "until";
  /** ISO 8601. */
  readonly at: string | null;
}

/** A holder that renews its entry in the document, if neither session nor job can be asked. */
export interface HeartbeatLife {
  readonly kind: "heartbeat";
}

/**
 * Asks a forge whether a job or a run is still alive. Null: it is not known, for instance because the forge does
 * not answer; then no lock is taken. It must not throw, and it answers null if the signal fires.
 */
export type Alive = (life: JobLife | RunLife, signal: AbortSignal) => Promise<boolean | null>;

/** Names a life, so that what was asked about it can be remembered. */
export function lifeName(life: JobLife | RunLife): string {
  const { api, repository, run, attempt } = life;
  const job = life.kind === "job" ? [life.job, life.runner] : [];
  return JSON.stringify([life.kind, api, repository, run, attempt, ...job]);
}

/** Of an address or a name, in characters. */
const TEXT_LIMIT = 500;
const SESSION_ID = /^[\w.:@-]{1,200}$/;

/** Lenient: a life that cannot be understood, perhaps of a later version, is one that nobody can judge. */
export function readLife(value: unknown): Life | null {
  if (typeof value !== "object" || value === null) return null;
  const fields = value as Record<string, unknown>;
  const text = (name: string) => {
    const given = fields[name];
    return typeof given === "string" && given.length <= TEXT_LIMIT ? cleanText(given) : undefined;
  };
  const {
    api = "",
    repository = "",
    run = "",
    attempt = "",
  } = {
    api: text("api"),
    repository: text("repository"),
    run: text("run"),
    attempt: text("attempt"),
  };
  switch (fields.kind) {
    // As versions before 1.0.0 called it: their holders and waiters are still in documents.
    case "beacon":
    case "session": {
      // The id becomes a name in the engine, which takes fewer characters than JSON does.
      const id = text("id");
      return id === undefined || !SESSION_ID.test(id) ? null : { kind: "session", id };
    }
    case "job": {
      const [job = null, runner = null] = [text("job"), text("runner")];
      return { kind: "job", api, repository, run, attempt, job, runner };
    }
    case "run":
      return { kind: "run", api, repository, run, attempt };
    case "until": {
      return { kind: "until", at: readTime(fields.at) };
    }
    case "heartbeat":
      return { kind: "heartbeat" };
    default:
      return null;
  }
}
