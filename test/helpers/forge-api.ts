import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Job {
  readonly id: number;
  readonly run_id: number;
  readonly run_attempt?: number;
  readonly status: string;
  readonly completed_at: string | null;
  readonly conclusion?: string;
  readonly runner_name?: string | null;
}

export interface Fault {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A stand-in of the jobs API of GitHub and of Gitea, with its ETags and its own clock. */
export class ForgeApi {
  jobs: Job[] = [];
  runs: Record<number, string> = {};
  /** The forge's clock, which is not this machine's. */
  now = Date.parse("2030-01-01T12:00:00Z");
  /** Undefined: it answers. */
  fault: Fault | "silent" | "garbage" | "dateless" | undefined;
  /** Asked so far: status and path. */
  readonly seen: string[] = [];
  /** Questions so far, answered or not. */
  asked = 0;
  readonly tokens = new Set<string | undefined>();
  token: string | null = null;
  base = "";
  readonly #server = createServer((request, response) => this.#answer(request, response));

  static async start(path: "" | "/api/v3" | "/api/v1" = ""): Promise<ForgeApi> {
    const api = new ForgeApi();
    await new Promise<void>((resolve) => api.#server.listen(0, "127.0.0.1", resolve));
    api.base = `http://127.0.0.1:${(api.#server.address() as AddressInfo).port}${path}`;
    onTestFinished(() => {
      api.#server.closeAllConnections();
      api.#server.close();
    });
    return api;
  }

  /** The time of the forge, that many seconds ago. */
  ago(seconds: number): string {
    return new Date(this.now - seconds * 1_000).toISOString();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "/", this.base);
    this.asked++;
    this.tokens.add(request.headers.authorization);
    const say = (status: number, body: unknown, headers: Record<string, string> = {}) => {
      this.seen.push(`${status} ${url.pathname}${url.search}`);
      const date = this.fault === "dateless" ? {} : { date: new Date(this.now).toUTCString() };
      response.sendDate = false;
      response.writeHead(status, { "content-type": "application/json", ...date, ...headers });
      response.end(status === 304 ? undefined : JSON.stringify(body));
    };
    if (this.fault === "silent") return;
    if (this.fault === "garbage") return void response.writeHead(200).end("<html>");
    if (typeof this.fault === "object") {
      return void say(this.fault.status, { message: "no" }, { ...this.fault.headers });
    }
    const isAllowed =
      this.token === null || request.headers.authorization === `Bearer ${this.token}`;
    const body = isAllowed ? this.#find(url) : null;
    if (body === null) return void say(404, { message: "Not Found" });
    const etag = `"${createHash("sha1").update(JSON.stringify(body)).digest("hex")}"`;
    say(request.headers["if-none-match"] === etag ? 304 : 200, body, { etag });
  }

  #find({ pathname, searchParams }: URL): object | null {
    const isGitea = this.base.endsWith("/api/v1");
    const root = `${new URL(this.base).pathname.replace(/\/$/, "")}/repos/acme/app/actions`;
    if (!pathname.startsWith(root)) return null;
    const path = pathname.slice(root.length);
    const [, job] = /^\/jobs\/(\d+)$/.exec(path) ?? [];
    // On GitHub Enterprise Server the id of a job is not the one that a job knows of itself.
    if (job !== undefined) return this.jobs.find(({ id }) => id === Number(job)) ?? null;
    const [, run, attempt, list] =
      /^\/runs\/(\d+)(?:\/attempts\/(\d+))?(\/jobs)?$/.exec(path) ?? [];
    if (run === undefined || (attempt === undefined) !== isGitea) return null;
    if (list === undefined) {
      const status = this.runs[Number(run)];
      return status === undefined ? null : { id: Number(run), status };
    }
    const all = this.jobs.filter(
      ({ run_id, run_attempt = 1 }) =>
        run_id === Number(run) && (isGitea || run_attempt === Number(attempt)),
    );
    const size = Number(searchParams.get(isGitea ? "limit" : "per_page"));
    const page = Number(searchParams.get("page"));
    return { total_count: all.length, jobs: all.slice((page - 1) * size, page * size) };
  }
}
