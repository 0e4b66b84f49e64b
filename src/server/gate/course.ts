import { messageOf } from "../../lock/errors.ts";
import { encodeWireKey } from "../../wire/key.ts";
import type { Claim } from "../table/claim.ts";
import type { RunState } from "./ask.ts";
import type { CourseContext } from "./context.ts";
import { GitHubTrouble, Uninstalled } from "./github.ts";
import { isInLine, ownerOf, type Pass, runText } from "./pass.ts";
import { Reports } from "./reports.ts";
import { cannotClaim, comment } from "./words.ts";

/** After an event, so that several at once lead to one question. */
export const HINT_MS = 500;
/** Tries that fail are made again after this, then after twice as long each time. */
const AGAIN_MS = 1_000;
const AGAIN_LIMIT_MS = 60_000;
/** No approval is sent later than so long before the hold's end: it may be long on its way. */
const APPROVAL_RESERVE_MS = 60_000;
/** An attempt that began earlier than so long after an approval was sent may have got that approval. */
const ATTEMPTS_APART_MS = 60_000;
/** So often GitHub may say of a run that it told of itself, or of an installation, that there is none. */
const UNKNOWN_TRIES = 6;

/**
 * The course of one pass: the run is asked for, claims, waits, is let in, and is asked for until nothing
 * of it is left. What is only known here is found out again after a restart. Times are by the monotonic
 * clock.
 */
export class Course {
  readonly pass: Pass;
  claim: Claim | null = null;
  /** Jobs of the run that are known not to run in this environment. */
  readonly elsewhere = new Set<number>();
  /** A step is under way. */
  busy = false;
  askAt: number;
  readonly #gate: CourseContext;
  /** When the next step may be made. */
  #nextAt: number;
  readonly #reports: Reports;
  #failures = 0;
  /** How often GitHub has said that there is no such run or installation. */
  #unknown = 0;
  #isOver = false;

  constructor(pass: Pass, gate: CourseContext) {
    const now = gate.clock.monotonic();
    this.pass = pass;
    this.#gate = gate;
    this.#nextAt = now;
    this.#reports = new Reports(this, gate);
    this.askAt = now + gate.askEvery();
  }

  /** Goes on after a restart: the place in line, or the hold, is in the table again. */
  resume(): void {
    const { pass } = this;
    // What ended while the server was away sent its events to nobody.
    this.askAt = this.#nextAt;
    this.#reports.resume();
    if (pass.phase === "waiting") this.#claim();
    else if (pass.phase === "held") {
      this.claim = this.#holdOfRun();
    }
  }

  #holdOfRun(): Claim | null {
    return this.#gate.table.holdOfRun(encodeWireKey(this.pass.terms?.key ?? ""), this.runText);
  }

  /** Something may have become of the run. */
  hint(): void {
    this.askAt = Math.min(this.askAt, this.#gate.clock.monotonic() + HINT_MS);
  }

  /** Whether a step is to be made now. */
  isDue(now: number): boolean {
    if (this.busy || this.#isOver || this.#nextAt > now) return false;
    const { phase, deployments } = this.pass;
    if (phase === "new" || phase === "refused" || this.askAt <= now) return true;
    if (phase === "waiting") return this.#reports.isDue(this.claim);
    return deployments.some(({ state }) => state === "asked");
  }

  get runText(): string {
    const { repository, run, attempt } = this.pass;
    return runText(this.#gate.web, repository, String(run), String(attempt));
  }

  /** Takes over what the table has done with the claim. */
  follow(): void {
    const { pass, claim } = this;
    if (this.#isOver) return;
    if (pass.phase === "waiting" && claim !== null) {
      const held = claim.sharing ?? claim;
      if (held.state === "held") this.#granted(held);
      else if (held.state === "over") this.#begin("left the line");
    } else if (pass.phase === "held" && (claim === null || claim.state === "over")) {
      // Whoever still waits at GitHub claims anew. Whoever was let in has lost its lock.
      const isWaiting = pass.deployments.some(({ state }) => state === "asked");
      if (isWaiting) this.#begin("lost before GitHub took the approval");
      else this.#finish("lock lost", "warn");
    }
  }

  /** From the beginning: the claim is made anew. */
  #begin(reason: string): void {
    this.#gate.log.write("warn", "gate claims anew", { ...this.#about, reason });
    this.claim = null;
    this.pass.phase = "new";
    this.pass.fence = null;
    this.record();
  }

  /** Does the next step, and notes when to try again where it failed. */
  async work(): Promise<void> {
    this.busy = true;
    try {
      await this.#advance();
      this.#failures = 0;
    } catch (error) {
      if (this.#gate.isStopped) return;
      const isUnknown = error instanceof Uninstalled && ++this.#unknown >= UNKNOWN_TRIES;
      // What was let in may be at work: its hold stays until its ttl is over.
      if (isUnknown && !this.#mayRun) return this.#finish(error.message, "warn");
      const again = Math.min(AGAIN_LIMIT_MS, AGAIN_MS * 2 ** this.#failures);
      const pause = error instanceof GitHubTrouble ? (error.pause ?? 0) : 0;
      this.#failures = Math.min(this.#failures + 1, 10);
      this.#nextAt = this.#gate.clock.monotonic() + Math.max(pause, again);
      const about = { ...this.#about, reason: messageOf(error) };
      this.#gate.log.limited("warn", "gate cannot reach GitHub", about);
    } finally {
      this.busy = false;
    }
  }

  /** One step of a pass. Each looks anew at what has become of its claim meanwhile. */
  async #advance(): Promise<void> {
    const { pass } = this;
    if (pass.phase === "refused") return this.#turnAway();
    if (pass.phase === "new") return this.#enter();
    if (this.askAt <= this.#gate.clock.monotonic()) await this.#ask();
    this.follow();
    if (this.#isOver) return;
    if (pass.phase === "held") await this.#approve();
    else if (pass.phase === "waiting") await this.#reports.tell(this.claim);
  }

  /** Asks which attempt of the run it is, and claims the key for it. */
  async #enter(): Promise<void> {
    const { pass } = this;
    const run = await this.#runOf();
    if (run === null) return this.#finish("the run is not there");
    const isSame = pass.attempt === null || pass.attempt === run.attempt;
    if (run.isCompleted || !isSame) return this.#finish("the run is over");
    await this.#askDeployments(pass);
    if (pass.deployments.every(({ state }) => state === "over")) {
      return this.#finish("its deployment is over");
    }
    if (this.#gate.isStopped) return;
    pass.attempt = run.attempt;
    pass.workflow = run.workflow;
    const twin = this.#gate
      .coursesOf(pass.repositoryId, pass.run)
      .find(
        (each) =>
          each !== this &&
          each.pass.attempt === pass.attempt &&
          isInLine(each.pass) &&
          each.pass.environment.toLowerCase() === pass.environment.toLowerCase(),
      );
    if (twin === undefined) {
      const held = this.#holdOfRun();
      const isOfGate = this.#gate
        .courses()
        .some((each) => each.claim === held && !each.pass.isGuest);
      pass.isGuest = held !== null && !isOfGate;
      const refusal = this.#claim();
      if (refusal !== null) await this.#reports.say(refusal);
      return;
    }
    twin.pass.deployments.push(...pass.deployments);
    twin.record();
    this.#finish("joined with another job of its run");
    this.#gate.soon();
  }

  /** Null: GitHub has said again and again that it does not know the run. */
  async #runOf(): Promise<RunState | null> {
    const run = await this.#gate.questions.run(this.pass);
    if (run !== null) this.#unknown = 0;
    else if (++this.#unknown < UNKNOWN_TRIES) {
      throw new GitHubTrouble("GitHub does not know the run");
    }
    return run;
  }

  /** Claims the key for the run, or gets back what it has. Why it cannot, in a sentence without its end. */
  #claim(): string | null {
    const { pass } = this;
    const { table, clock, log } = this.#gate;
    if (pass.terms === null || this.#gate.isStopped) return null;
    const { key, slots, weight, priority, ttl } = pass.terms;
    const party = table.admit(this.#gate.listener);
    const owner = ownerOf(pass, this.#gate.web);
    party.introduction = { owner, note: null, claim: pass.id };
    const run = this.runText;
    const terms = { run, weight, priority };
    const claim = table.claim(party, encodeWireKey(key), slots, ttl, terms);
    if (typeof claim === "string") {
      log.limited("warn", "gate cannot claim", { ...this.#about, reason: claim });
      pass.phase = "new";
      this.#nextAt = clock.monotonic() + AGAIN_LIMIT_MS / 2;
      return cannotClaim(claim, pass.terms, table.find(encodeWireKey(key)));
    }
    this.claim = claim;
    pass.phase = "waiting";
    this.record();
    this.follow();
    return null;
  }

  #granted(held: Claim): void {
    const { pass } = this;
    this.claim = held;
    // No answer that got lost takes it back.
    held.shared = true;
    pass.phase = "held";
    pass.fence = held.fence;
    this.record();
    this.#gate.log.write("info", "gate holds", { ...this.#about, fence: held.fence });
    this.#gate.soon();
  }

  /** Asks what has become of the run, and ends the pass where nothing of it is left. */
  async #ask(): Promise<void> {
    const over = await this.#whyOver(await this.#runOf());
    this.askAt = this.#gate.clock.monotonic() + this.#gate.askEvery();
    if (over !== null) this.#finish(over);
  }

  /** Why nothing of the pass is left; null: something is, or may be. */
  async #whyOver(run: RunState | null): Promise<string | null> {
    const { pass } = this;
    // An App that may not see the repository any more is told the same as of a run that is gone.
    if (run === null) return this.#mayRun ? null : "the run is not there";
    if (run.attempt !== pass.attempt) {
      return (await this.#mayHaveLetIn(run)) ? null : "the run was started anew";
    }
    if (run.isCompleted) return "the run is over";
    if (await this.#askDeployments(pass)) this.record();
    const { deployments, untilRun } = pass;
    if (deployments.some(({ id, state }) => id === null || state !== "over")) return null;
    if (pass.phase !== "held") return "its deployments are over";
    if (untilRun || (await this.#mayStillRun())) return null;
    // Another job of the run may have come meanwhile.
    return deployments.every(({ state }) => state === "over") ? "its jobs are over" : null;
  }

  /**
   * Whether a job of the run may still run in the environment. Jobs that wait do not while GitHub waits
   * for nobody there: they wait for another environment, whose lock another run may hold that waits here.
   */
  async #mayStillRun(): Promise<boolean> {
    const { questions } = this.#gate;
    const isUnfinished = (...idle: string[]) =>
      questions.hasUnfinished(this.pass, this.elsewhere, ...idle);
    if (!(await isUnfinished())) return false;
    return (await questions.isPending(this.pass)) !== false || isUnfinished("waiting");
  }

  /**
   * Whether an approval that was meant for an earlier attempt may have let this one in. It did not where
   * every job still waits after the approval must have arrived: such a run may wait for this very hold.
   */
  async #mayHaveLetIn(run: RunState): Promise<boolean> {
    const { sentAt } = this.pass;
    if (run.isCompleted || sentAt === null) return false;
    const arrived = sentAt + ATTEMPTS_APART_MS;
    if (run.startedAt > arrived) return false;
    if (this.#gate.githubNow() <= arrived) return true;
    const anew = { ...this.pass, attempt: run.attempt };
    return this.#gate.questions.hasUnfinished(anew, new Set(), "waiting");
  }

  /** Asks for the deployments that are not over. True: something has changed. */
  async #askDeployments(pass: Pass): Promise<boolean> {
    let isChanged = false;
    for (const deployment of pass.deployments) {
      if (deployment.id === null || deployment.state === "over") continue;
      const state = await this.#gate.questions.deployment(pass, deployment.id);
      if (state === "over") deployment.state = "over";
      // A person has let it in, or the answer to an approval was lost.
      else if (state === "running" && deployment.state === "asked") deployment.state = "answered";
      else continue;
      isChanged = true;
    }
    return isChanged;
  }

  /**
   * Lets in what waits, while the lock is held and its grant is on the disk. An approval says nothing of
   * the attempt: it is asked for before, and what came too late keeps the hold, see `whyOver`.
   */
  async #approve(): Promise<void> {
    const { pass } = this;
    const { storage, clock } = this.#gate;
    const asked = pass.deployments.filter(({ state }) => state === "asked");
    if (asked.length === 0) return;
    const run = await this.#runOf();
    if (run === null || run.isCompleted || run.attempt !== pass.attempt) {
      this.askAt = clock.monotonic();
      return this.#ask();
    }
    pass.sentAt = Math.max(pass.sentAt ?? 0, this.#gate.githubNow());
    this.record();
    await storage.settled();
    const { claim } = this;
    const left = claim?.state === "held" ? claim.expires - clock.monotonic() : 0;
    if (left < APPROVAL_RESERVE_MS) this.#nextAt = clock.monotonic() + Math.max(AGAIN_MS, left);
    if (left < APPROVAL_RESERVE_MS || this.#gate.isStopped) return;
    const until = new Date(clock.now() + left).toISOString().replace(/\.\d+Z$/, "Z");
    const text = `Holdfast: this run holds ${pass.terms?.key}, fence ${claim?.fence}, until its jobs here are over, at the latest until ${until}.`;
    const status = await this.#gate.questions.review(pass, comment(text), "approved");
    if (status !== 204 && !(await this.#isTaken(pass))) {
      throw new GitHubTrouble(`GitHub does not take the approval: ${status}`);
    }
    for (const deployment of asked) {
      if (deployment.state === "asked") deployment.state = "answered";
    }
    this.record();
    this.askAt = clock.monotonic() + this.#gate.askEvery();
    this.#gate.log.write("info", "gate approved", { ...this.#about, fence: pass.fence });
  }

  /** Whether GitHub waits for this gate no more, since a person decided or it took an earlier answer. */
  async #isTaken(pass: Pass): Promise<boolean> {
    if (await this.#askDeployments(pass)) this.record();
    if (pass.deployments.every(({ state }) => state !== "asked")) return true;
    return (await this.#gate.questions.isPending(pass)) === false;
  }

  async #turnAway(): Promise<void> {
    const { pass } = this;
    const text = comment(`Holdfast: turned away, since ${pass.refusal}`);
    const { questions } = this.#gate;
    const status = await questions.review(pass, text, "rejected");
    if (status === 204) return this.#finish(`turned away: ${pass.refusal}`, "warn");
    const run = await questions.run(pass);
    if (run === null || run.isCompleted || (await questions.isPending(pass)) === false) {
      return this.#finish("nothing waits for an answer");
    }
    throw new GitHubTrouble(`GitHub does not take the rejection: ${status}`);
  }

  #finish(reason: string, level: "info" | "warn" = "info"): void {
    if (this.#isOver || this.#gate.isStopped) return;
    this.#isOver = true;
    const { pass, claim } = this;
    const { table, log, storage } = this.#gate;
    this.#gate.forget(this);
    storage.record({ kind: "gate", id: pass.id, record: null });
    log.write(level, "gate done", { ...this.#about, reason });
    if (claim === null) return;
    const run = this.runText;
    const isShared = this.#gate
      .courses()
      .some((each) => each.claim?.entry === claim.entry && each.claim.run === run);
    if (claim.state === "waiting") {
      if (!isShared) this.#gate.giveBack(claim);
      table.withdraw(claim);
    } else if (claim.state === "held" && !isShared && !pass.isGuest) {
      table.release(claim.entry.key, claim.token);
    }
  }

  /** Writes down what is to be known after a restart. */
  record(): void {
    const { id } = this.pass;
    this.#gate.storage.record({ kind: "gate", id, record: JSON.stringify(this.pass) });
  }

  /** Somebody may have let it in, or an approval may have arrived. */
  get #mayRun(): boolean {
    const { sentAt, deployments } = this.pass;
    return sentAt !== null || deployments.some(({ state }) => state === "answered");
  }

  get #about() {
    const { repository, run, attempt, environment, terms } = this.pass;
    return { repository, run, attempt, environment, key: terms?.key };
  }
}
