import { isLockError, messageOf } from "../../lock/errors.ts";
import { encodeWireKey } from "../../wire/key.ts";
import type { DoorState, Gate as GateDoor, GatedRun } from "../http/context.ts";
import type { Exchange, Reply } from "../http/exchange.ts";
import type { Session } from "../http/sessions/session.ts";
import type { Claim } from "../table/claim.ts";
import { Questions } from "./ask.ts";
import { type GateConfig, type GateTerms, termsFor } from "./config.ts";
import type { CourseContext } from "./context.ts";
import { Course } from "./course.ts";
import { readMissed } from "./deliveries.ts";
import type { GateEvent, Hint, Requested } from "./events.ts";
import { GitHub } from "./github.ts";
import { isIssuerOf, Life, nameOf, whereabouts } from "./life.ts";
import { isInLine, newPass, type Pass, runText } from "./pass.ts";
import { receiveDelivery } from "./webhook.ts";

/** How often it is looked whether something is due. */
const TICK_MS = 1_000;
/** How often GitHub is asked about a run where no event says anything, and how much rarer for many runs. */
const ASK_MS = 60_000;
const ASK_EACH_MS = 3_000;
/** So many runs are asked about at once. GitHub refuses all requests for a while where a client makes too many. */
const WORKING_LIMIT = 20;
/** How often the deliveries that did not arrive are looked for. */
const MISSED_MS = 60_000;
/** At its first start a gate looks as far back. */
const MISSED_FIRST_MS = 86_400_000;
/** Where it is noted until when the deliveries were looked through. */
const LOOKED = "looked";

export type GateContext = Pick<CourseContext, "table" | "clock" | "log" | "storage" | "history"> & {
  readonly version: string;
};

/**
 * Lets runs wait for locks at GitHub, before they get a runner. A run that wants into an environment
 * claims the key of that environment; its grant is the approval. Events of GitHub's are only reasons to
 * ask: a hold ends when GitHub says that nothing of it runs any more, or with its ttl.
 */
export class Gate implements GateDoor {
  readonly #config: GateConfig;
  readonly #context: GateContext;
  readonly #github: GitHub;
  readonly #shared: CourseContext;
  readonly #courses = new Map<string, Course>();
  /** Jobs and runs that hold something by their ID tokens, by their names. */
  readonly #lives = new Map<string, Life>();
  /** Claims of jobs that are their run's only because the gate claims the key for that run. */
  readonly #lent = new WeakSet<Claim>();
  #timer: NodeJS.Timeout | undefined;
  #isSoon = false;
  #working = 0;
  #missedAt = 0;
  #missedSince: number;
  readonly #seen = new Set<string>();
  #stopped = false;

  constructor(config: GateConfig, context: GateContext) {
    this.#config = config;
    this.#context = context;
    this.#github = new GitHub(config, context.clock, context.version);
    this.#missedSince = context.clock.now() - MISSED_FIRST_MS;
    this.#shared = this.#share();
  }

  /** Takes up what was under way when the server ended, after the table was put back. */
  start(): void {
    for (const { id, record } of this.#context.storage.found.gate) {
      if (id === LOOKED) this.#missedSince = Number(record);
      else this.#add(JSON.parse(record) as Pass).resume();
    }
    this.#timer = setInterval(() => {
      this.#lookForLives();
      this.#tick();
    }, TICK_MS);
  }

  /** From now on nothing is decided. What waits goes on after the restart. */
  stop(): void {
    this.#stopped = true;
    clearInterval(this.#timer);
    this.#github.close();
  }

  receive(exchange: Exchange, state: DoorState): Promise<Reply> {
    const { webhookSecret } = this.#config;
    return receiveDelivery(exchange, state, webhookSecret, (event) => this.#take(event));
  }

  runOf(
    { identity, introduction }: Pick<Session, "identity" | "introduction">,
    key: string,
  ): GatedRun | null {
    const { web } = this.#config;
    if (this.#courses.size === 0) return null;
    const said = introduction?.owner.metadata ?? {};
    const isOurs =
      identity === null
        ? String(said.run_url).startsWith(`${web}/`)
        : isIssuerOf(web, identity.url);
    if (!isOurs) return null;
    const { repository, run_id: run, run_attempt: attempt } = identity?.claims ?? said;
    const id = runText(web, String(repository), String(run), String(attempt ?? "1"));
    for (const course of this.#courses.values()) {
      const { run: own, terms } = course.pass;
      if (own !== Number(run) || terms === null || !isInLine(course.pass)) continue;
      if (course.runText !== id) continue;
      if (encodeWireKey(terms.key) === key) return { id, ttl: terms.ttl };
    }
    return null;
  }

  lend(claim: Claim): void {
    this.#lent.add(claim);
  }

  keep(run: string, key: string): void {
    for (const course of this.#courses.values()) {
      const { pass } = course;
      const isMeant = course.runText === run && encodeWireKey(pass.terms?.key ?? "") === key;
      if (!isMeant || pass.untilRun) continue;
      pass.untilRun = true;
      course.record();
    }
  }

  #share(): CourseContext {
    const gate = this;
    const soon = () => this.#soon();
    return {
      ...this.#context,
      questions: new Questions(this.#github),
      web: this.#config.web,
      listener: { granted: soon, ended: soon },
      get isStopped() {
        return gate.#stopped;
      },
      githubNow: () => this.#github.now(),
      askEvery: () => Math.max(ASK_MS, (this.#courses.size + this.#lives.size) * ASK_EACH_MS),
      soon,
      courses: () => [...this.#courses.values()],
      coursesOf: (repositoryId, run) => this.#of(repositoryId, run),
      forget: ({ pass }) => this.#courses.delete(pass.id),
      giveBack: ({ entry, run }) => {
        for (const waiter of entry.waiters)
          if (waiter.run === run && this.#lent.has(waiter)) waiter.run = null;
      },
    };
  }

  #take(event: GateEvent): void {
    if (event.kind === "requested") this.#request(event);
    else this.#hint(event);
  }

  #request(event: Requested): void {
    const { log, clock } = this.#context;
    const { repository, environment, run, deployment } = event;
    const known = this.#of(event.repositoryId, run).find(
      ({ pass }) =>
        deployment !== null &&
        pass.environment.toLowerCase() === environment.toLowerCase() &&
        pass.deployments.some(({ id }) => id === deployment),
    );
    if (known !== undefined) {
      // A delivery that came twice: it may be the only one that came after an end.
      known.hint();
      return;
    }
    let terms: GateTerms | null = null;
    let refusal: string | null = null;
    try {
      terms = termsFor(this.#config, repository, environment);
      if (terms === null) {
        refusal = `this gate has no rule for ${repository}:${environment}. Add one to its file, or take the gate off the environment.`;
      }
    } catch (error) {
      if (!isLockError(error)) throw error;
      refusal = error.message;
    }
    log.write("info", "gate asked", { repository, run, environment, key: terms?.key });
    this.#add(newPass(event, terms, refusal, clock.now())).record();
    this.#soon();
  }

  #hint({ repositoryId, installation, run, job }: Hint): void {
    for (const course of this.#courses.values()) {
      const { pass, elsewhere } = course;
      const isOfRun = run !== null && pass.run === run && pass.repositoryId === repositoryId;
      const isOfAll = run === null && installation !== null && pass.installation === installation;
      if (!isOfRun && !isOfAll) continue;
      if (job?.environment === pass.environment.toLowerCase()) elsewhere.delete(job.id);
      else if (job !== null) elsewhere.add(job.id);
      course.hint();
    }
    for (const life of this.#lives.values()) {
      const { where } = life;
      if (where.run === run && where.job === (job?.id ?? null)) life.hint();
    }
  }

  #add(pass: Pass): Course {
    const course = new Course(pass, this.#shared);
    this.#courses.set(pass.id, course);
    return course;
  }

  /** Never in the middle of the table's own work. */
  #soon(): void {
    if (this.#isSoon) return;
    this.#isSoon = true;
    setImmediate(() => {
      this.#isSoon = false;
      this.#tick();
    });
  }

  #tick(): void {
    if (this.#stopped) return;
    const now = this.#context.clock.monotonic();
    for (const course of [...this.#courses.values()]) {
      if (!course.busy) course.follow();
      this.#workIfDue(course, now);
    }
    for (const life of this.#lives.values()) this.#workIfDue(life, now);
    if (this.#missedAt <= now) this.#lookForMissed();
  }

  async #workIfDue(one: Course | Life, now: number): Promise<void> {
    if (this.#working >= WORKING_LIMIT || !one.isDue(now)) return;
    this.#working += 1;
    await one.work();
    // Others may have waited for this one.
    if (this.#working === WORKING_LIMIT) this.#soon();
    this.#working -= 1;
  }

  #lookForLives(): void {
    const { table } = this.#context;
    const held = new Set<string>();
    for (const { holders } of table.busyEntries()) {
      for (const claim of holders) {
        const name = nameOf(claim);
        if (name !== null) held.add(name);
      }
    }
    for (const name of this.#lives.keys()) if (!held.has(name)) this.#lives.delete(name);
    for (const name of held) {
      const where = this.#lives.has(name) ? null : whereabouts(this.#config.web, name);
      if (where !== null) this.#lives.set(name, new Life(name, where, this.#shared));
    }
  }

  /** Reads the requests that GitHub could not deliver, such as those of a time when the server was away. */
  async #lookForMissed(): Promise<void> {
    this.#missedAt = Number.POSITIVE_INFINITY;
    const { clock, storage, log } = this.#context;
    try {
      const missed = await readMissed(this.#github, this.#missedSince, this.#seen);
      if (this.#stopped) return;
      if (missed.isCut) log.write("warn", "gate may have missed requests: see docs/gate.md");
      for (const { event, guid } of missed.found) {
        this.#seen.add(guid);
        if (event === null) continue;
        log.write("info", "gate found a delivery that did not arrive", { guid });
        this.#take(event);
      }
      if (missed.until > this.#missedSince) {
        this.#missedSince = missed.until;
        storage.record({ kind: "gate", id: LOOKED, record: String(missed.until) });
      }
    } catch (error) {
      if (this.#stopped) return;
      log.limited("warn", "gate cannot read its deliveries", { reason: messageOf(error) });
    }
    this.#missedAt = clock.monotonic() + MISSED_MS;
  }

  #of(repositoryId: number, run: number): Course[] {
    return [...this.#courses.values()].filter(
      ({ pass }) => pass.repositoryId === repositoryId && pass.run === run,
    );
  }
}
