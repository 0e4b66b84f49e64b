import { createHmac, generateKeyPairSync, type KeyObject, verify } from "node:crypto";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { leastOf } from "./payloads.ts";

export const WEBHOOK_SECRET = "a-secret-of-the-webhook-0123456789";
export const APP_ID = "4711";
export const INSTALLATION = 99;
/** As GitHub: so many comments a deployment, of so many characters. */
const COMMENTS = 10;
const CHARACTERS = 1_024;
/** How long GitHub waits for the answer to a delivery. */
const DELIVERY_MS = 10_000;

/** What becomes of a delivery, by chance or by a test. Milliseconds until it is sent; several: it is doubled. */
export type Fate = (event: string) => readonly number[];

export interface JobSpec {
  readonly name: string;
  /** Null: none. */
  readonly environment: string | null;
  /** Milliseconds that its runner works. */
  readonly takes: number;
  readonly needs?: readonly string[];
}

export interface StandInJob extends JobSpec {
  readonly id: number;
  readonly run: StandInRun;
  status: "queued" | "waiting" | "in_progress" | "completed";
  conclusion: "success" | "failure" | "cancelled" | null;
  readonly createdAt: number;
  /** When it got its runner, and when it was over; null: not yet. Wall clock, milliseconds. */
  startedAt: number | null;
  endedAt: number | null;
  deployment: { readonly id: number; readonly states: string[]; comments: string[] } | null;
}

export interface StandInRun {
  readonly id: number;
  readonly repository: string;
  readonly specs: readonly JobSpec[];
  attempt: number;
  status: "in_progress" | "completed";
  startedAt: number;
  jobs: StandInJob[];
}

interface Delivery {
  readonly id: number;
  readonly guid: string;
  readonly event: string;
  readonly payload: object;
  readonly at: number;
  status: number;
}

export interface StandInOptions {
  /** Where the gate answers: a path on loopback. */
  readonly hook: () => number;
  readonly fate?: Fate;
  /** Milliseconds until an approved job has its runner. */
  readonly queue?: () => number;
  /** What a job does on its runner, besides that it takes its time. */
  readonly work?: (job: StandInJob) => Promise<void> | void;
  /** Which environments ask the gate; all by default. */
  readonly gated?: (environment: string) => boolean;
  /** Is told when a job waits for the gate, when it is let in, and when it is over. */
  readonly watch?: (job: StandInJob, what: "waits" | "let in" | "over", comment: string) => void;
}

/**
 * GitHub, as far as a gate knows it: runs with environments, deployments and their statuses, the
 * webhooks of an App with their deliveries, and the part of its API that the gate asks. It is strict
 * where GitHub is: signatures, permissions and the budget of comments. What is not allowed is noted.
 */
export class GitHubStandIn {
  readonly privateKey: string;
  readonly #publicKey: KeyObject;
  readonly runs = new Map<number, StandInRun>();
  readonly deliveries: Delivery[] = [];
  /** What the gate did that GitHub does not take. */
  readonly violations: string[] = [];
  /** Every request, as `METHOD path`. */
  readonly asked: string[] = [];
  /** Decisions that were taken. */
  readonly decisions: { run: number; attempt: number; state: string; comment: string }[] = [];
  /** Answers in its place: a status; null: it answers itself; "lost": it does it, and the answer is lost. */
  misbehave: ((method: string, path: string) => number | "lost" | null) | null = null;
  /** What it says in place of the truth about an attempt or a job that is asked for by its id. */
  amend: (() => object) | null = null;
  /** The largest number of requests that were under way at once. */
  most = 0;
  #underWay = 0;
  /** Nothing is answered before it is resolved. */
  held: Promise<void> | null = null;
  installed = true;
  /** Milliseconds by which its clock is ahead of the gate's. */
  ahead = 0;
  readonly #options: StandInOptions;
  readonly #server: Server;
  readonly #tokens = new Map<string, number>();
  #ids = 1_000;

  constructor(options: StandInOptions) {
    this.#options = options;
    const pair = generateKeyPairSync("rsa", { modulusLength: 2_048 });
    this.#publicKey = pair.publicKey;
    this.privateKey = pair.privateKey.export({ type: "pkcs1", format: "pem" }) as string;
    this.#server = createServer((request, response) => {
      const { method = "", url = "" } = request;
      this.asked.push(`${method} ${url}`);
      this.#underWay += 1;
      this.most = Math.max(this.most, this.#underWay);
      response.on("close", () => {
        this.#underWay -= 1;
      });
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", async () => {
        if (this.held !== null) await this.held;
        const forced = this.misbehave?.(method, url) ?? null;
        const text = Buffer.concat(parts).toString("utf8");
        const answer =
          typeof forced === "number"
            ? { status: forced, body: { message: "misbehaves" } }
            : this.#answer(request, method, url, text === "" ? {} : JSON.parse(text));
        if (forced === "lost") {
          request.socket.destroy();
          return;
        }
        const content = answer.body === undefined ? "" : JSON.stringify(answer.body);
        response.writeHead(answer.status, {
          "content-type": "application/json",
          date: new Date(Date.now() + this.ahead).toUTCString(),
          ...answer.headers,
        });
        response.end(content);
      });
    });
  }

  async open(port = 0): Promise<number> {
    await new Promise<void>((resolve) => {
      this.#server.listen({ port, host: "127.0.0.1" }, () => resolve());
    });
    return (this.#server.address() as AddressInfo).port;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  /** A push: a run with these jobs begins. */
  push(repository: string, specs: readonly JobSpec[]): StandInRun {
    const id = this.#id();
    const now = Date.now();
    const run: StandInRun = {
      id,
      repository,
      specs,
      attempt: 0,
      status: "completed",
      startedAt: now,
      jobs: [],
    };
    this.runs.set(id, run);
    this.rerun(run);
    return run;
  }

  rerun(run: StandInRun): void {
    run.attempt += 1;
    run.status = "in_progress";
    run.startedAt = Date.now();
    run.jobs = [];
    this.#begin(run);
  }

  cancel(run: StandInRun): void {
    if (run.status === "completed") return;
    for (const job of run.jobs) if (job.status !== "completed") this.#complete(job, "cancelled");
    this.#end(run);
  }

  /** An administrator lets the run in past every rule. */
  bypass(run: StandInRun, environment: string): void {
    this.#letIn(run, environment);
  }

  /** Sends an event as GitHub does, to be lost, late or doubled as its fate is. */
  deliver(event: string, payload: object): void {
    const delivery: Delivery = {
      id: this.#id(),
      guid: `guid-${this.#id()}`,
      event,
      payload,
      at: Date.now(),
      status: 504,
    };
    this.deliveries.push(delivery);
    for (const late of this.#options.fate?.(event) ?? [0]) {
      if (late === 0) this.#send(delivery);
      else setTimeout(() => this.#send(delivery), late);
    }
  }

  #send(delivery: Delivery): void {
    const content = Buffer.from(JSON.stringify(delivery.payload));
    const signature = createHmac("sha256", WEBHOOK_SECRET).update(content).digest("hex");
    const sent = request({
      host: "127.0.0.1",
      port: this.#options.hook(),
      path: "/github/webhook",
      method: "POST",
      agent: false,
      signal: AbortSignal.timeout(DELIVERY_MS),
      headers: {
        host: "locks.acme.example",
        "content-type": "application/json",
        "content-length": content.length,
        "x-github-event": delivery.event,
        "x-github-delivery": delivery.guid,
        "x-hub-signature-256": `sha256=${signature}`,
      },
    });
    sent.on("response", (answer) => {
      answer.resume();
      if (delivery.status >= 300) delivery.status = answer.statusCode ?? 500;
    });
    sent.on("error", () => {});
    sent.end(content);
  }

  #begin(run: StandInRun): void {
    const isDone = (name: string) =>
      run.jobs.some((job) => job.name === name && job.status === "completed");
    for (const spec of run.specs) {
      if (run.jobs.some(({ name }) => name === spec.name)) continue;
      if (!(spec.needs ?? []).every(isDone)) continue;
      const job: StandInJob = {
        ...spec,
        id: this.#id(),
        run,
        status: "queued",
        conclusion: null,
        createdAt: Date.now(),
        startedAt: null,
        endedAt: null,
        deployment: null,
      };
      run.jobs.push(job);
      const { environment } = job;
      const isGated = environment !== null && (this.#options.gated?.(environment) ?? true);
      if (environment !== null) {
        job.deployment = { id: this.#id(), states: [], comments: [] };
        if (isGated) job.status = "waiting";
      }
      this.#tellJob(job, "queued");
      if (!isGated) {
        this.#queue(job);
        continue;
      }
      this.#options.watch?.(job, "waits", "");
      this.#setState(job, "waiting");
      // It may come twice.
      this.#tellJob(job, "waiting");
      this.#tellJob(job, "waiting");
      this.#request(job);
    }
    if (run.jobs.length === run.specs.length && run.jobs.every((job) => job.status === "completed"))
      this.#end(run);
  }

  /** Whether GitHub asks once for a run and environment or once for each job is not said: here it does both. */
  #request(job: StandInJob): void {
    const { run, environment } = job;
    const isAsked = run.jobs.some(
      (each) => each !== job && each.environment === environment && each.status === "waiting",
    );
    if (isAsked && run.id % 2 === 0) return;
    const payload = {
      ...leastOf("deployment_protection_rule$requested"),
      ...this.#common(run.repository),
      environment,
      event: "push",
      deployment_callback_url: `https://api.github.com/repos/${run.repository}/actions/runs/${run.id}/deployment_protection_rule`,
      deployment: this.#deployment(job),
    };
    this.deliver("deployment_protection_rule", payload);
  }

  #letIn(run: StandInRun, environment: string, comment = ""): number {
    const waiting = run.jobs.filter(
      (job) => job.status === "waiting" && job.environment === environment,
    );
    for (const job of waiting) {
      job.status = "queued";
      this.#options.watch?.(job, "let in", comment);
      this.#setState(job, "queued");
      this.#queue(job);
    }
    return waiting.length;
  }

  #queue(job: StandInJob): void {
    const { attempt } = job.run;
    setTimeout(() => {
      if (job.status !== "queued" || job.run.attempt !== attempt) return;
      job.status = "in_progress";
      job.startedAt = Date.now();
      this.#setState(job, "in_progress");
      this.#tellJob(job, "in_progress");
      const work = Promise.resolve(this.#options.work?.(job));
      setTimeout(() => {
        work.then(() => {
          if (job.status === "in_progress") this.#complete(job, "success");
          if (job.run.attempt === attempt && job.run.status !== "completed") this.#begin(job.run);
        });
      }, job.takes);
    }, this.#options.queue?.() ?? 1);
  }

  #complete(job: StandInJob, conclusion: "success" | "failure" | "cancelled"): void {
    this.#options.watch?.(job, "over", "");
    job.status = "completed";
    job.conclusion = conclusion;
    job.endedAt = Date.now();
    this.#setState(job, conclusion === "success" ? "success" : "failure");
    this.#tellJob(job, "completed");
  }

  #end(run: StandInRun): void {
    if (run.status === "completed") return;
    run.status = "completed";
    const base = leastOf("workflow_run$completed");
    const workflow_run = { ...base.workflow_run, id: run.id, run_attempt: run.attempt };
    this.deliver("workflow_run", { ...base, ...this.#common(run.repository), workflow_run });
  }

  #setState(job: StandInJob, state: string): void {
    if (job.deployment === null) return;
    job.deployment.states.push(state);
    const base = leastOf("deployment_status$created");
    this.deliver("deployment_status", {
      ...base,
      ...this.#common(job.run.repository),
      deployment: this.#deployment(job),
      deployment_status: { ...base.deployment_status, state, environment: job.environment },
      workflow_run: { ...leastOf("deployment-workflow-run"), id: job.run.id },
    });
  }

  #tellJob(job: StandInJob, action: "queued" | "waiting" | "in_progress" | "completed"): void {
    const base = leastOf(`workflow_job$${action}`);
    const { conclusion } = job;
    this.deliver("workflow_job", {
      ...base,
      ...this.#common(job.run.repository),
      workflow_job: {
        ...base.workflow_job,
        id: job.id,
        run_id: job.run.id,
        run_attempt: job.run.attempt,
        name: job.name,
        status: action,
        ...(conclusion === null ? {} : { conclusion }),
      },
      ...(job.deployment === null ? {} : { deployment: this.#deployment(job) }),
    });
  }

  #common(repository: string): object {
    const [owner = "", name] = repository.split("/");
    const whole = { ...leastOf("repository"), id: repositoryId(repository), name };
    return {
      repository: { ...whole, full_name: repository },
      sender: { ...leastOf("user"), login: owner },
      installation: { ...leastOf("installation-lite"), id: INSTALLATION },
    };
  }

  #deployment(job: StandInJob): object {
    const base = leastOf("deployment");
    const id = job.deployment?.id;
    return { ...base, id, environment: job.environment, ref: "main", sha: "0".repeat(40) };
  }

  #answer(
    { headers }: IncomingMessage,
    method: string,
    url: string,
    body: Record<string, unknown>,
  ): { status: number; body?: unknown; headers?: Record<string, string> } {
    const path = url.split("?")[0] as string;
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
    if (path === "/app" || path.startsWith("/app/")) {
      if (!this.#isApp(token)) return { status: 401, body: { message: "bad token" } };
      return this.#answerApp(method, url, body);
    }
    const [, settled] = /^\/repos\/([^/]+\/[^/]+)\/installation$/.exec(path) ?? [];
    if (settled !== undefined) {
      if (!this.#isApp(token)) return { status: 401, body: {} };
      const isThere =
        this.installed && [...this.runs.values()].some((run) => run.repository === settled);
      return isThere ? { status: 200, body: { id: INSTALLATION } } : { status: 404, body: {} };
    }
    const until = this.#tokens.get(token);
    if (!this.installed || until === undefined || until < Date.now())
      return { status: 401, body: {} };
    const found = /^\/repos\/([^/]+\/[^/]+)\/(.+)$/.exec(path);
    const [, repository = "", rest = ""] = found ?? [];
    const [, runId, tail = ""] = /^actions\/runs\/(\d+)(?:\/(.+))?$/.exec(rest) ?? [];
    if (runId !== undefined) {
      const run = this.runs.get(Number(runId));
      if (run?.repository !== repository) return { status: 404, body: {} };
      return this.#answerRun(run, method, tail, body);
    }
    const [, jobId] = /^actions\/jobs\/(\d+)$/.exec(rest) ?? [];
    if (jobId !== undefined) return this.#answerJob(repository, Number(jobId));
    const [, named] = /^environments\/([^/]+)\/deployment_protection_rules$/.exec(rest) ?? [];
    if (named !== undefined) {
      const slugs = this.rules[`${repository}:${decodeURIComponent(named)}`];
      if (slugs === undefined) return { status: 404, body: {} };
      const list = slugs.map((slug, id) => ({ id, enabled: true, app: { id, slug } }));
      const content = { total_count: list.length, custom_deployment_protection_rules: list };
      return { status: 200, body: content };
    }
    const [, deployment] = /^deployments\/(\d+)\/statuses$/.exec(rest) ?? [];
    const all = [...this.runs.values()].flatMap(({ jobs }) => jobs);
    const job = all.find((each) => each.deployment?.id === Number(deployment));
    if (job?.deployment == null) return { status: 404, body: {} };
    const states = job.deployment.states.map((state, at) => ({ id: at + 1, state }));
    return { status: 200, body: states.reverse() };
  }

  #answerApp(method: string, url: string, body: Record<string, unknown>) {
    const path = url.split("?")[0];
    const [, installation] = /^\/app\/installations\/(\d+)\/access_tokens$/.exec(url) ?? [];
    if (installation !== undefined && method === "POST") {
      if (!this.installed || Number(installation) !== INSTALLATION)
        return { status: 404, body: {} };
      const wanted = JSON.stringify(body.permissions);
      if (wanted !== '{"actions":"read","deployments":"write"}')
        this.violations.push(`permissions ${wanted}`);
      const token = `ghs_${this.#id()}`;
      const expires = Date.now() + 3_600_000;
      this.#tokens.set(token, expires);
      return { status: 201, body: { token, expires_at: new Date(expires).toISOString() } };
    }
    const listed = (each: Delivery) => ({
      id: each.id,
      guid: each.guid,
      event: each.event,
      delivered_at: new Date(each.at).toISOString(),
      status_code: each.status,
    });
    const [, id] = /^\/app\/hook\/deliveries\/(\d+)$/.exec(url) ?? [];
    if (id !== undefined) {
      const delivery = this.deliveries.find((each) => each.id === Number(id));
      if (delivery === undefined) return { status: 404, body: {} };
      const { payload } = delivery;
      return { status: 200, body: { ...listed(delivery), request: { headers: {}, payload } } };
    }
    if (url === "/app") return { status: 200, body: this.app };
    if (url === "/app/hook/config") return { status: 200, body: this.hookConfig };
    if (path === "/app/installations") return { status: 200, body: this.installations };
    const cursor = Number(/cursor=(\d+)/.exec(url)?.[1] ?? 0);
    const newest = this.deliveries.toReversed().slice(cursor, cursor + 100);
    const more = cursor + 100 < this.deliveries.length;
    const next = `<${this.origin}/app/hook/deliveries?per_page=100&cursor=${cursor + 100}>; rel="next"`;
    return { status: 200, body: newest.map(listed), ...(more ? { headers: { link: next } } : {}) };
  }

  /** What the App's own page says. */
  app: object = {
    slug: "holdfast-gate",
    permissions: { actions: "read", deployments: "write", metadata: "read" },
    events: ["deployment_protection_rule", "deployment_status", "workflow_job", "workflow_run"],
  };

  /** Where it says that it sends its events. */
  hookConfig = {
    content_type: "json",
    insecure_ssl: "0",
    secret: "********",
    url: "https://locks.acme.example/github/webhook",
  };
  installations: object[] = [
    {
      id: INSTALLATION,
      account: { login: "Acme" },
      suspended_at: null,
      permissions: { actions: "read", deployments: "write", metadata: "read" },
    },
  ];
  /** Which environments ask which Apps, as `owner/repository:environment`. */
  rules: Record<string, readonly string[]> = { "acme/app:production": ["holdfast-gate"] };

  #answerRun(run: StandInRun, method: string, tail: string, body: Record<string, unknown>) {
    if (tail === "") {
      const { id, attempt, status, startedAt } = run;
      const started = new Date(startedAt).toISOString();
      const shown = { id, name: "deploy", run_attempt: attempt, status, run_started_at: started };
      return { status: 200, body: shown };
    }
    if (/^attempts\/\d+\/jobs$/.test(tail)) {
      const jobs = run.jobs.map(({ id, name, status }) => ({ id, name, status }));
      return { status: 200, body: { total_count: jobs.length, jobs } };
    }
    const [, attempt] = /^attempts\/(\d+)$/.exec(tail) ?? [];
    if (attempt !== undefined) {
      const status = Number(attempt) < run.attempt ? "completed" : run.status;
      if (Number(attempt) > run.attempt) return { status: 404, body: {} };
      const shown = { id: run.id, run_attempt: Number(attempt), status };
      return { status: 200, body: { ...shown, ...this.amend?.() } };
    }
    const waiting = run.jobs.filter(({ status }) => status === "waiting");
    if (tail === "pending_deployments") {
      const names = [...new Set(waiting.map(({ environment }) => environment))];
      return { status: 200, body: names.map((name) => ({ environment: { name } })) };
    }
    if (tail !== "deployment_protection_rule" || method !== "POST")
      return { status: 404, body: {} };
    const { environment_name: environment, state } = body;
    const comment = String(body.comment ?? "");
    const own = waiting.filter((job) => job.environment === environment);
    if (own.length === 0) return { status: 422, body: { message: "nothing waits" } };
    if (comment.length > CHARACTERS) this.violations.push("a comment is too long");
    for (const { deployment, run: of } of own) {
      deployment?.comments.push(comment);
      if ((deployment?.comments.length ?? 0) > COMMENTS)
        this.violations.push(`more than ${COMMENTS} comments for the run ${of.id}`);
    }
    if (state === undefined) return { status: 204 };
    this.decisions.push({ run: run.id, attempt: run.attempt, state: String(state), comment });
    if (state === "approved") this.#letIn(run, String(environment), comment);
    else {
      for (const job of own) this.#complete(job, "failure");
      this.#begin(run);
    }
    return { status: 204 };
  }

  #answerJob(repository: string, id: number): { status: number; body: object } {
    const jobs = [...this.runs.values()].flatMap((run) => run.jobs);
    const job = jobs.find((each) => each.id === id && each.run.repository === repository);
    if (job === undefined) return { status: 404, body: {} };
    const { run, status, endedAt } = job;
    const body = {
      id,
      run_id: run.id,
      run_attempt: run.attempt,
      status,
      completed_at: endedAt === null ? null : new Date(endedAt).toISOString(),
      check_run_url: `${this.origin}/repos/${repository}/check-runs/${id}`,
      ...this.amend?.(),
    };
    return { status: 200, body };
  }

  #isApp(token: string): boolean {
    const [head = "", claims = "", signature = ""] = token.split(".");
    const data = Buffer.from(`${head}.${claims}`);
    const bytes = Buffer.from(signature, "base64url");
    if (!verify("sha256", data, this.#publicKey, bytes)) return false;
    const { iss, iat, exp } = JSON.parse(Buffer.from(claims, "base64url").toString("utf8"));
    const now = (Date.now() + this.ahead) / 1_000;
    return iss === APP_ID && iat <= now && exp > now && exp <= now + 600;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #id(): number {
    this.#ids += 1;
    return this.#ids;
  }
}

function repositoryId(repository: string): number {
  return 1 + [...repository].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1e9, 7);
}
