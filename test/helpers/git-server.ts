import { execFile, spawn } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

export type RequestKind = "list" | "fetch" | "push" | "other";

/** What happens to a request in place of, or beside, its answer. */
export type Fault =
  /** The connection ends before git has heard of it. */
  | { readonly kind: "refuse" }
  /** The connection ends after git has carried it out. */
  | { readonly kind: "cut" }
  /** Half of git's answer is sent, then the connection ends. */
  | { readonly kind: "halve" }
  /** Another answer; `after`: git carries the request out nevertheless. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
      readonly after?: boolean;
    }
  /** Milliseconds before git hears of it, or before its answer is sent. */
  | { readonly kind: "delay"; readonly before?: number; readonly after?: number };

export interface GitServerOptions {
  /** What a user with a password may do; null: 401. Without it, everybody may do everything. */
  readonly access?: (user: string, password: string) => "write" | "read" | null;
  readonly objectFormat?: "sha1" | "sha256";
  /** The repository's path at the server. Default `repo.git`. */
  readonly path?: string;
  readonly tls?: { readonly cert: string; readonly key: string };
}

const run = promisify(execFile);

/** git must not read the settings of the machine that runs the tests. */
function cleanEnv(root: string) {
  return { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: join(root, "no-such-file") };
}

export async function startGitServer(options: GitServerOptions = {}): Promise<GitServer> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-git-")));
  const git = new GitServer(root, options);
  const format = options.objectFormat ?? "sha1";
  await run("git", ["init", "--quiet", "--bare", `--object-format=${format}`, git.repository], {
    env: { ...process.env, ...cleanEnv(root) },
  });
  await git.git("config", "http.receivepack", "true");
  // A collection in the background would outlive the test's directory.
  await git.git("config", "gc.auto", "0");
  await git.listen();
  return git;
}

/**
 * A real git server: git's own `http-backend` behind a small HTTP server on the loopback. It counts
 * what is asked, and a test can have it fail in the ways that networks and forges do.
 */
export class GitServer {
  readonly repository: string;
  readonly counts: Record<RequestKind, number> = { list: 0, fetch: 0, push: 0, other: 0 };
  /** Connections that were opened, to see that they are kept. */
  connections = 0;
  /** Header lines of the last request. */
  lastHeaders: IncomingMessage["headers"] = {};
  /** True: it keeps git's words about a push to itself, as some forges do. */
  isMute = false;
  /** Asked for each request; undefined: it goes its way. */
  fault: (kind: RequestKind) => Fault | undefined = () => undefined;
  readonly #root: string;
  readonly #path: string;
  readonly #options: GitServerOptions;
  readonly #server: Server;
  #port = 0;
  #snapshots = 0;
  #lists: string | null = null;

  constructor(root: string, options: GitServerOptions) {
    this.#root = root;
    this.#path = options.path ?? "repo.git";
    this.repository = join(root, this.#path);
    this.#options = options;
    const answer = (request: IncomingMessage, response: ServerResponse) => {
      this.#answer(request, response).catch(() => response.destroy());
    };
    this.#server = options.tls ? createSecureServer(options.tls, answer) : createServer(answer);
    this.#server.on(options.tls ? "secureConnection" : "connection", () => {
      this.connections++;
    });
  }

  get origin(): string {
    return `${this.#options.tls ? "https" : "http"}://127.0.0.1:${this.#port}`;
  }

  /** The store's URL. */
  get url(): string {
    return `git+${this.origin}/${this.#path}`;
  }

  /** Requests so far. */
  get total(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  resetCounts(): void {
    for (const kind of Object.keys(this.counts) as RequestKind[]) this.counts[kind] = 0;
    this.connections = 0;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Ends listening and all connections; `listen` brings it back on the same port. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async close(): Promise<void> {
    if (this.#server.listening) await this.stop();
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 5 });
  }

  /** From now on lists of refs are those of this moment, as of a replica that lags behind. */
  lag(): void {
    this.#snapshots++;
    const name = `snapshot-${this.#snapshots}.git`;
    cpSync(this.repository, join(this.#root, name), { recursive: true });
    this.#lists = name;
  }

  catchUp(): void {
    this.#lists = null;
  }

  /** Lets requests of a kind fail, the given number of them. */
  failNext(kind: RequestKind, fault: Fault, times = 1): void {
    let left = times;
    this.fault = (asked) => {
      if (asked !== kind || left === 0) return undefined;
      left--;
      return fault;
    };
  }

  /** Runs git in the repository and gives back what it printed. */
  async git(...args: string[]): Promise<string> {
    const { stdout } = await run("git", args, {
      cwd: this.repository,
      env: { ...process.env, ...cleanEnv(this.#root), LC_ALL: "C" },
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  }

  hook(name: "pre-receive" | "update" | "post-receive", script: string): void {
    const path = join(this.repository, "hooks", name);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const kind = kindOf(request, body);
    this.counts[kind]++;
    this.lastHeaders = request.headers;
    const denial = this.#denial(request, kind);
    if (denial !== null) {
      const headers = denial === 401 ? { "www-authenticate": 'Basic realm="git"' } : {};
      response
        .writeHead(denial, headers)
        .end(denial === 401 ? "Unauthorized" : "Write access denied");
      return;
    }
    const fault = this.fault(kind);
    if (fault?.kind === "refuse") return void request.socket.destroy();
    if (fault?.kind === "delay") await delay(fault.before ?? 0);
    if (fault?.kind === "status" && fault.after !== true) return send(response, fault);
    const path = new URL(request.url ?? "/", this.origin);
    const seen = kind === "list" && this.#lists !== null ? `/${this.#lists}` : null;
    const { status, headers, content: said } = await this.#backend(request, path, seen, body);
    const content = this.isMute && kind === "push" ? withoutWords(said) : said;
    if (fault?.kind === "cut") return void request.socket.destroy();
    if (fault?.kind === "status") return send(response, fault);
    if (fault?.kind === "delay") await delay(fault.after ?? 0);
    if (fault?.kind === "halve") {
      response.writeHead(status, { ...headers, "content-length": String(content.length) });
      response.write(content.subarray(0, content.length >> 1), () => request.socket.destroy());
      return;
    }
    response.writeHead(status, headers).end(content);
  }

  #denial(request: IncomingMessage, kind: RequestKind): 401 | 403 | null {
    const { access } = this.#options;
    if (access === undefined) return null;
    const [, encoded = ""] = /^Basic (.+)$/.exec(request.headers.authorization ?? "") ?? [];
    const pair = Buffer.from(encoded, "base64").toString();
    const colon = pair.indexOf(":");
    const right = colon === -1 ? null : access(pair.slice(0, colon), pair.slice(colon + 1));
    if (right === null) return 401;
    return right === "read" && kind === "push" ? 403 : null;
  }

  /** One call of git's CGI program. */
  async #backend(
    request: IncomingMessage,
    { pathname, search }: URL,
    otherRepository: string | null,
    body: Buffer,
  ): Promise<{ status: number; headers: Record<string, string>; content: Buffer }> {
    const service = pathname.slice(pathname.lastIndexOf("/"));
    const protocol = request.headers["git-protocol"];
    const child = spawn("git", ["http-backend"], {
      env: {
        PATH: process.env.PATH,
        ...cleanEnv(this.#root),
        GIT_PROJECT_ROOT: this.#root,
        GIT_HTTP_EXPORT_ALL: "1",
        REQUEST_METHOD: request.method,
        PATH_INFO: otherRepository === null ? pathname : `${otherRepository}${service}`,
        QUERY_STRING: search.slice(1),
        CONTENT_TYPE: request.headers["content-type"] ?? "",
        CONTENT_LENGTH: String(body.length),
        REMOTE_ADDR: "127.0.0.1",
        ...(typeof protocol === "string" ? { GIT_PROTOCOL: protocol } : {}),
      },
      stdio: ["pipe", "pipe", "ignore"],
    });
    child.stdin.on("error", () => {});
    child.stdin.end(body);
    const chunks: Buffer[] = [];
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) chunks.push(chunk);
    const output = Buffer.concat(chunks);
    const end = output.indexOf("\r\n\r\n");
    const lines = output.toString("latin1", 0, Math.max(0, end)).split("\r\n");
    const pairs = lines.map((line) => line.split(": ") as [string, string]);
    const { Status: status, ...headers } = Object.fromEntries(pairs);
    return {
      status: Number.parseInt(status ?? "200", 10),
      headers,
      content: output.subarray(end + 4),
    };
  }
}

function send(response: ServerResponse, fault: Extract<Fault, { kind: "status" }>): void {
  response.writeHead(fault.status, { ...fault.headers }).end(fault.body ?? "");
}

/** A push's answer without its second band. */
function withoutWords(content: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < content.length; ) {
    const length = Math.max(4, Number.parseInt(content.toString("latin1", at, at + 4), 16));
    if (length === 4 || content[at + 4] !== 2) parts.push(content.subarray(at, at + length));
    at += length;
  }
  return Buffer.concat(parts);
}

function kindOf(request: IncomingMessage, body: Buffer): RequestKind {
  if (request.method !== "POST") return "other";
  if (request.url?.endsWith("/git-receive-pack")) return "push";
  const command = body.toString("latin1", 4, 20);
  if (command.startsWith("command=ls-refs")) return "list";
  return command.startsWith("command=fetch") ? "fetch" : "other";
}
