import { messageOf } from "../../lock/errors.ts";
import type { Claim } from "../table/claim.ts";
import type { Whereabouts } from "./ask.ts";
import type { CourseContext } from "./context.ts";
import { HINT_MS } from "./course.ts";
import { REPOSITORY } from "./events.ts";
import { GitHubTrouble } from "./github.ts";

const NAME = /^(.+)\/([^/]+\/[^/]+)\/runs\/(\d{1,15})\/attempts\/(\d{1,9})(?:\/jobs\/(\d{1,15}))?$/;
const GITHUB_ISSUER = "https://token.actions.githubusercontent.com";

/** The whole run, or the job with an ID token, that a hold belongs to; null: neither. */
export function nameOf({ run, party }: Claim): string | null {
  return run ?? party.job;
}

/** Where this GitHub can be asked about whoever is so named; null: it cannot. */
export function whereabouts(web: string, name: string): Whereabouts | null {
  const [, issuer, repository = "", run, attempt, job] = NAME.exec(name) ?? [];
  if (!isIssuerOf(web, issuer) || !REPOSITORY.test(repository)) return null;
  return {
    repository,
    run: Number(run),
    attempt: Number(attempt),
    job: job === undefined ? null : Number(job),
  };
}

/** Whether ID tokens of this issuer are those of the jobs of this GitHub. */
export function isIssuerOf(web: string, issuer: string | undefined): boolean {
  if (issuer === undefined) return false;
  if (web === "https://github.com") {
    return issuer === GITHUB_ISSUER || issuer.startsWith(`${GITHUB_ISSUER}/`);
  }
  const { host } = new URL(web);
  return issuer === `${web}/_services/token` || issuer === `https://token.actions.${host}`;
}

/**
 * A job, or a whole run, that holds locks by its ID tokens and not through the gate. Its locks are
 * released when GitHub says that it is over, and on no other answer.
 */
export class Life {
  readonly where: Whereabouts;
  /** A question is under way. */
  busy = false;
  readonly #name: string;
  readonly #gate: CourseContext;
  #askAt: number;
  /** Null: not asked yet, or it may have become another one. */
  #installation: number | null = null;

  constructor(name: string, where: Whereabouts, gate: CourseContext) {
    this.where = where;
    this.#name = name;
    this.#gate = gate;
    this.#askAt = gate.clock.monotonic() + gate.askEvery();
  }

  /** It may be over. */
  hint(): void {
    this.#askWithin(HINT_MS);
  }

  isDue(now: number): boolean {
    return !this.busy && this.#askAt <= now;
  }

  async work(): Promise<void> {
    const { clock, questions, log } = this.#gate;
    this.busy = true;
    this.#askAt = clock.monotonic() + this.#gate.askEvery();
    try {
      this.#installation ??= await questions.installation(this.where.repository);
      if (this.#installation === null) return;
      const end = await questions.endOf(this.#installation, this.where);
      if (end === null || this.#gate.isStopped) return;
      const left = end - this.#gate.githubNow();
      if (left > 0) this.#askWithin(left);
      else this.#release();
    } catch (error) {
      if (this.#gate.isStopped) return;
      this.#installation = null;
      const pause = error instanceof GitHubTrouble ? (error.pause ?? 0) : 0;
      this.#askAt = Math.max(this.#askAt, clock.monotonic() + pause);
      log.limited("warn", "gate cannot reach GitHub", { ...this.where, reason: messageOf(error) });
    } finally {
      this.busy = false;
    }
  }

  #askWithin(milliseconds: number): void {
    this.#askAt = Math.min(this.#askAt, this.#gate.clock.monotonic() + milliseconds);
  }

  #release(): void {
    const { table, log } = this.#gate;
    for (const { key, holders } of [...table.busyEntries()]) {
      for (const claim of [...holders]) {
        if (nameOf(claim) !== this.#name) continue;
        const about = { ...this.where, key, fence: claim.fence };
        log.write("info", "released, since GitHub says that its holder is over", about);
        table.release(key, claim.token);
      }
    }
  }
}
