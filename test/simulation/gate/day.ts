import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Random } from "../../../src/forecast/seeded.ts";
import { isLockError } from "../../../src/lock/errors.ts";
import { parseServerOptions } from "../../../src/server/options.ts";
import { serve } from "../../../src/server/serve.ts";
import { openHttpStore } from "../../../src/stores/http/store.ts";
import { writeGateFile } from "../../helpers/github/gated.ts";
import {
  GitHubStandIn,
  type JobSpec,
  type StandInJob,
  type StandInRun,
} from "../../helpers/github/stand-in.ts";
import { check } from "../../history/checker.ts";
import type { Event } from "../../history/event.ts";
import type { Actor } from "../clockwork/actor.ts";
import { Disk, insert } from "../clockwork/disk.ts";
import { enter } from "../clockwork/globals.ts";
import { install, plug } from "../clockwork/install.ts";
import { Network } from "../clockwork/network.ts";
import { Universe } from "../clockwork/universe.ts";

const GITHUB_PORT = 8_443;
const HTTP_PORT = 6_380;
const STORE = `http://10.0.0.1:${HTTP_PORT}`;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** When the last runs of the day have to be over. */
const EVENING = 24 * HOUR;
/** By environment: how many runs may be in it at once. */
const SLOTS: Readonly<Record<string, number>> = { production: 1, staging: 2 };
const RULES = {
  "acme/*:production": { key: "production" },
  "acme/*:staging": { key: "staging", slots: 2 },
};

export interface DayOptions {
  readonly seed: number;
  /** False: the jobs' own steps wait for the lock, on their runners. */
  readonly gate: boolean;
  readonly faults: boolean;
  readonly trace?: boolean;
}

export interface Day {
  readonly runs: number;
  readonly deployments: number;
  readonly cancelled: number;
  readonly kills: number;
  readonly events: number;
  readonly lost: number;
  readonly doubled: number;
  readonly late: number;
  readonly failedRequests: number;
  /** Steps that met a server which was down. */
  readonly failedSteps: number;
  readonly requests: number;
  /** Runs in an environment beside more than it takes, and what else the checker found. */
  readonly overlaps: readonly string[];
  /** Runs that were not over in time, and holds that only their ttl ended. */
  readonly stuck: readonly string[];
  readonly violations: readonly string[];
  readonly failures: readonly string[];
  /** Milliseconds that jobs with an environment had their runners, and that they worked there. */
  readonly onRunners: number;
  readonly worked: number;
  /** Milliseconds from the moment at which such a job could begin to its end, all together. */
  readonly took: number;
  readonly comments: readonly string[];
  readonly lines: readonly string[];
}

let isInstalled = false;

/** The library that signs works on threads of its own: no time passes meanwhile, and what began first ends first. */
function holdTimeWhileSigning(universe: Universe): void {
  const { subtle } = globalThis.crypto;
  const sign = Object.getPrototypeOf(subtle).sign;
  let last: Promise<void> = Promise.resolve();
  Object.assign(subtle, {
    sign: (...args: unknown[]) => {
      last = last.then(() => sign.apply(subtle, args));
      universe.urgent(last);
      return last;
    },
  });
}

/** Lives through a day of an organisation whose runs deploy. */
export async function liveDay(options: DayOptions): Promise<Day> {
  if (!isInstalled) install();
  isInstalled = true;
  const universe = new Universe(options.seed, options.trace === true);
  enter(universe);
  holdTimeWhileSigning(universe);
  const directory = mkdtempSync(join(tmpdir(), "gate-day-"));
  const organisation = new Organisation(universe, options, directory);
  try {
    return await organisation.live();
  } finally {
    enter(null);
    rmSync(directory, { recursive: true });
  }
}

/** A run in an environment, as the history tells it. */
interface Stay {
  readonly claim: string;
  readonly key: string;
  readonly jobs: Set<StandInJob>;
  isIn: boolean;
  isForced: boolean;
  fence: number | null;
}

class Organisation {
  readonly #universe: Universe;
  readonly #options: DayOptions;
  readonly #traffic: Random;
  readonly #fate: Random;
  readonly #network: Network;
  readonly #disk = new Disk();
  readonly #actor: Actor;
  readonly #github: GitHubStandIn;
  readonly #file: string;
  readonly #history: Event[] = [];
  readonly #stays = new Map<string, Stay>();
  readonly #overlaps: string[] = [];
  readonly #count = {
    cancelled: 0,
    kills: 0,
    lost: 0,
    doubled: 0,
    late: 0,
    failedRequests: 0,
    failedSteps: 0,
  };
  /** Jobs whose work is done, while their runners tidy up. */
  readonly #worked = new Set<StandInJob>();
  readonly #ranOut: string[] = [];
  #server: Actor | null = null;
  #generation = 0;
  #runners = 0;
  #isQuiet = false;

  constructor(universe: Universe, options: DayOptions, directory: string) {
    this.#universe = universe;
    this.#options = options;
    this.#traffic = universe.stream();
    this.#fate = universe.stream();
    this.#network = new Network(universe);
    plug(this.#network);
    insert(this.#disk);
    this.#actor = universe.begin("github", "github");
    this.#github = new GitHubStandIn({
      hook: () => HTTP_PORT,
      fate: () => this.#fateOf(),
      queue: () => 2_000 + 30_000 * this.#fate() ** 3,
      gated: () => options.gate,
      work: (job) => this.#work(job),
      watch: (job, what, comment) => this.#watch(job, what, comment),
    });
    this.#github.misbehave = () => this.#trouble();
    this.#file = writeGateFile(directory, this.#github, GITHUB_PORT, RULES);
  }

  async live(): Promise<Day> {
    const { universe } = this;
    universe.plan(0, this.#actor, "begin", () => {
      universe.urgent(this.#github.open(GITHUB_PORT).then(() => {}));
      this.#boot(0);
      this.#push();
      if (this.#options.faults) this.#killLater();
    });
    await universe.run(() => universe.now >= DAY, DAY);
    this.#isQuiet = true;
    const isOver = () => this.#unfinished().length === 0;
    await universe.run(isOver, DAY + EVENING);
    const day = this.#summary();
    insert(null);
    plug(null);
    this.#disk.close();
    return day;
  }

  private get universe(): Universe {
    return this.#universe;
  }

  #boot(pause: number): void {
    const { universe } = this;
    const actor = universe.begin(`s.${this.#generation++}`, "server");
    const flags = {
      port: "6388",
      "http-port": String(HTTP_PORT),
      data: "simulated",
      "github-app": this.#file,
      "log-level": "info",
    };
    const write = (text: string) => {
      universe.trace.remark(universe.now, actor.name, text.trimEnd());
      // A hold that ran out kept everybody waiting for hours: it is as bad as one without an end.
      if (text.includes('reason="lock lost"')) this.#ranOut.push(text.trimEnd());
    };
    universe.plan(pause, actor, "boot", () => {
      this.#server = actor;
      const options = parseServerOptions({ flags, env: {} });
      const io = { stdout: { write() {} }, stderr: { write } };
      universe.urgent(serve(options, io).then(() => {}));
    });
  }

  /** Some forty times a day, every third time while something is being written. */
  #killLater(): void {
    const pause = 10 * MINUTE + 52 * MINUTE * this.#fate();
    this.universe.plan(pause, null, "fate", () => {
      if (this.#isQuiet) return;
      if (this.#fate() < 0.33) {
        this.#disk.onWrite = (takes) =>
          this.universe.plan(takes * this.#fate(), null, "kill", () => this.#kill());
      } else this.#kill();
      this.#killLater();
    });
  }

  #kill(): void {
    const server = this.#server;
    if (server === null || this.#isQuiet) return;
    this.#server = null;
    this.#count.kills += 1;
    this.universe.say("fate", "kills the server");
    this.universe.kill(server);
    this.#network.kill(server);
    // Mostly it is back at once; sometimes nobody notices for a while.
    this.#boot(100 + 20 * MINUTE * this.#fate() ** 6);
  }

  #fateOf(): number[] {
    if (!this.#options.faults || this.#isQuiet) return [0];
    const chance = this.#fate();
    const pause = () => 1 + 10 * MINUTE * this.#fate() ** 3;
    if (chance < 0.1) {
      this.#count.lost += 1;
      return [];
    }
    if (chance < 0.15) {
      this.#count.doubled += 1;
      return [0, pause()];
    }
    if (chance >= 0.3) return [0];
    this.#count.late += 1;
    return [pause()];
  }

  #trouble(): number | "lost" | null {
    if (!this.#options.faults || this.#isQuiet) return null;
    const chance = this.#fate();
    if (chance > 0.03) return null;
    this.#count.failedRequests += 1;
    return chance < 0.01 ? "lost" : 502;
  }

  /** The next push: every few minutes by day, and now and then at night. */
  #push(): void {
    const hour = (this.universe.now / HOUR) % 24;
    const mean = hour < 10 ? 7 * MINUTE : 25 * MINUTE;
    const pause = mean * (0.2 + 1.6 * this.#traffic());
    const chances = Array.from({ length: 12 }, () => this.#traffic());
    this.universe.plan(pause, this.#actor, "push", () => {
      if (this.#isQuiet) return;
      const run = this.#github.push(
        `acme/app-${Math.floor(4 * (chances[0] as number))}`,
        plan(chances),
      );
      this.#disturb(run, chances);
      this.#push();
    });
  }

  /** People cancel runs, start them anew, and go past the gate. */
  #disturb(
    run: StandInRun,
    [, , , , , , , what = 1, when = 0, again = 0]: readonly number[],
  ): void {
    const later = (act: () => void) =>
      this.universe.plan(when * 40 * MINUTE, this.#actor, "person", act);
    if (what < 0.1) {
      later(() => {
        if (run.status === "completed") return;
        this.#count.cancelled += 1;
        this.#github.cancel(run);
        if (again < 0.5)
          this.universe.plan(again * 10_000, this.#actor, "again", () => this.#github.rerun(run));
      });
    } else if (what < 0.13 && this.#options.gate) {
      later(() => {
        for (const environment of Object.keys(SLOTS)) {
          const stay = this.#stays.get(stayOf(run, environment));
          if (stay === undefined || stay.isIn) continue;
          stay.isForced = true;
          this.#github.bypass(run, environment);
        }
      });
    }
  }

  /** What a job does on its runner: two thirds of them have a step for the lock. Without a gate all have. */
  async #work(job: StandInJob): Promise<void> {
    const { environment, run } = job;
    if (environment === null) return;
    if (this.#options.gate) {
      if (job.id % 3 === 0 || this.#stays.get(stayOf(run, environment))?.isForced) return;
      return this.#asRunner(job, async (store, owner) => {
        const slots = SLOTS[environment] as number;
        const holding = await store.claim({ key: environment, slots, owner, ttl: 6 * HOUR }, {});
        await wait(Math.max(1, job.takes - 5_000));
        // A server that is away for longer than a holder may be silent is no fault of the gate's.
        const isOver =
          job.status === "completed" || /could not be renewed/.test(String(holding.lost.reason));
        if (holding.lost.aborted && !isOver)
          throw new Error(`${job.name} of ${run.id} lost its lock: ${holding.lost.reason}`);
        await holding.release().catch(() => {});
      });
    }
    return this.#asRunner(job, async (store, owner) => {
      const slots = SLOTS[environment] as number;
      const { jobs } = run;
      const whole = { id: `run-${run.id}-${run.attempt}`, forge: null };
      const holding = await store.claim(
        { key: environment, slots, owner, ttl: 6 * HOUR, run: whole },
        { timeout: null },
      );
      if (job.status === "completed") {
        await holding.release().catch(() => {});
        return;
      }
      await wait(job.takes);
      this.#worked.add(job);
      const isLast = jobs.every(
        (each) =>
          each.environment !== environment || each.status === "completed" || this.#worked.has(each),
      );
      if (isLast) await holding.release().catch(() => {});
    });
  }

  #asRunner(
    job: StandInJob,
    act: (store: ReturnType<typeof openHttpStore>, owner: Owner) => Promise<void>,
  ): Promise<void> {
    const actor = this.universe.begin(`runner.${this.#runners++}`, "runners");
    const { run } = job;
    const web = `http://127.0.0.1:${GITHUB_PORT}`;
    const owner = {
      id: `ci-github-${run.id}-${run.attempt}-${job.name}`,
      metadata: {
        ci_system: "github",
        repository: run.repository,
        run_id: String(run.id),
        run_attempt: String(run.attempt),
        run_url: `${web}/${run.repository}/actions/runs/${run.id}`,
      },
    };
    return new Promise((resolve) => {
      this.universe.plan(0, actor, "step", () => {
        const store = openHttpStore(STORE, {});
        act(store, owner)
          .catch((error) => {
            // A store that is away at the start fails the step at once, and the job with it.
            if (isLockError(error) && error.code === "STORE_UNREACHABLE")
              this.#count.failedSteps += 1;
            else this.universe.fail(error);
          })
          .then(() => store.close())
          .then(() => this.universe.plan(0, this.#actor, "done", resolve));
      });
    });
  }

  #watch(job: StandInJob, what: "waits" | "let in" | "over", comment: string): void {
    const { environment, run } = job;
    if (environment === null) return;
    const id = stayOf(run, environment);
    const known = this.#stays.get(id);
    const at = Math.round(this.universe.now * 1_000);
    if (!this.#options.gate) return;
    const noted = { at, process: "github", key: environment, claim: id };
    if (what === "waits") {
      known?.jobs.add(job);
      if (known !== undefined) return;
      const stay = {
        claim: id,
        key: environment,
        jobs: new Set([job]),
        isIn: false,
        isForced: false,
        fence: null,
      };
      this.#stays.set(id, stay);
      const slots = SLOTS[environment] as number;
      this.#history.push({ ...noted, event: "claim", slots });
      return;
    }
    if (known === undefined) return;
    if (what === "let in") {
      if (known.isIn) return;
      known.isIn = true;
      if (known.isForced) {
        this.#history.push({ ...noted, event: "gave-up" });
        return;
      }
      const fence = Number(/fence (\d+)/.exec(comment)?.[1] ?? Number.NaN);
      known.fence = fence;
      this.#history.push({ ...noted, event: "granted", fence });
      const beside = [...this.#stays.values()].filter(
        (each) => each.key === environment && each.isIn && !each.isForced,
      );
      if (beside.length > (SLOTS[environment] as number)) {
        this.#overlaps.push(`${beside.map(({ claim }) => claim).join(" and ")} at ${at}`);
      }
      return;
    }
    known.jobs.delete(job);
    if (known.jobs.size > 0) return;
    this.#stays.delete(id);
    if (!known.isIn) this.#history.push({ ...noted, event: "gave-up" });
    else if (!known.isForced) {
      const { fence } = known;
      this.#history.push({ ...noted, event: "release", fence });
      this.#history.push({ ...noted, event: "released", fence, outcome: "released" });
    }
  }

  #unfinished(): string[] {
    return [...this.#github.runs.values()]
      .filter(({ status }) => status !== "completed")
      .map(({ id, jobs }) => `${id}: ${jobs.map((job) => `${job.name} ${job.status}`).join(", ")}`);
  }

  #summary(): Day {
    const options = { tellWithin: Number.POSITIVE_INFINITY, fair: false };
    const verdict = check(this.#history, options);
    const faults = verdict.faults.map(({ kind, sentence }) => `${kind}: ${sentence}`);
    const runs = [...this.#github.runs.values()];
    const jobs = runs.flatMap((run) => run.jobs).filter(({ environment }) => environment !== null);
    const done = jobs.filter(({ startedAt, endedAt }) => startedAt !== null && endedAt !== null);
    const onRunners = done.map(({ startedAt, endedAt }) => Number(endedAt) - Number(startedAt));
    const longest = jobs.reduce((one, other) =>
      (other.deployment?.comments.length ?? 0) > (one.deployment?.comments.length ?? 0)
        ? other
        : one,
    );
    return {
      ...this.#count,
      runs: runs.length,
      deployments: jobs.length,
      events: this.#github.deliveries.length,
      requests: this.#github.asked.length,
      overlaps: [...this.#overlaps, ...faults],
      stuck: [...this.#unfinished(), ...verdict.unknown, ...this.#ranOut],
      violations: this.#github.violations,
      failures: this.universe.failures,
      onRunners: sum(onRunners),
      worked: sum(done.map(({ takes }, at) => Math.min(takes, onRunners[at] as number))),
      took: sum(done.map(({ createdAt, endedAt }) => Number(endedAt) - createdAt)),
      comments: longest.deployment?.comments ?? [],
      lines: this.universe.trace.lines ?? [],
    };
  }
}

type Owner = Parameters<ReturnType<typeof openHttpStore>["claim"]>[0]["owner"];

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function stayOf(run: StandInRun, environment: string): string {
  return `${run.id}-${run.attempt}-${environment}`;
}

/** A workflow: it builds, deploys to one place or to both, in this order or that, in legs or not, and often tests afterwards. */
function plan([
  ,
  size = 0,
  legs = 0,
  both = 0,
  after = 0,
  work = 0,
  tests = 0,
  ,
  ,
  ,
  order = 0,
]: readonly number[]): JobSpec[] {
  const specs: JobSpec[] = [{ name: "build", environment: null, takes: MINUTE * (1 + 6 * size) }];
  const takes = MINUTE * (1 + 7 * work);
  const names = legs < 0.2 ? ["eu", "us", "asia"] : ["deploy"];
  // Runs that go to two places in different orders must not wait for each other.
  const [isFirst, isLast] = [both < 0.4 && order < 0.7, both < 0.4 && order >= 0.7];
  if (isFirst) specs.push({ name: "staging", environment: "staging", takes, needs: ["build"] });
  for (const name of names) {
    const needs = [isFirst ? "staging" : "build"];
    specs.push({ name, environment: "production", takes, needs });
  }
  if (isLast) specs.push({ name: "staging", environment: "staging", takes, needs: names });
  if (after < 0.5) {
    specs.push({ name: "e2e", environment: null, takes: MINUTE * 5 * tests, needs: names });
  }
  return specs;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
