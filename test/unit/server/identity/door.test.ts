import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { githubClaims, LocalIssuer } from "../../../helpers/identity/issuer.ts";
import { HttpClient } from "../../../helpers/server/http-client.ts";
import { adopt, type HttpServer, startHttp } from "../../../helpers/server/http-server.ts";
import { startProcess } from "../../../helpers/server/server.ts";

let issuer: LocalIssuer;
let directory: string;
let policy: string;

beforeEach(async () => {
  issuer = await LocalIssuer.open();
  directory = mkdtempSync(join(tmpdir(), "holdfast-policy-"));
  policy = join(directory, "policy.json");
  write([
    {
      issuer: "github",
      claims: { repository_owner_id: "1234", environment: "production" },
      keys: ["production", "production/*"],
      may: ["claim", "look"],
    },
    {
      issuer: "github",
      claims: { repository_owner_id: "1234", actor: "ann" },
      keys: ["production"],
      may: ["break", "freeze"],
    },
  ]);
});

afterEach(() => issuer.close());

function write(rules: unknown): void {
  const issuers = [{ name: "github", url: issuer.url, audience: "https://locks.acme.dev" }];
  writeFileSync(policy, JSON.stringify({ issuers, rules }));
}

function start(flags: Record<string, string> = {}): Promise<HttpServer> {
  return startHttp({ policy, ...flags });
}

async function exchange(port: number, changes: Record<string, unknown> = {}, wish = {}) {
  const token = await issuer.token(githubClaims(changes));
  const client = adopt(new HttpClient(port, { authorization: `Bearer ${token}` }));
  return client.ask("/auth/session", { method: "POST", body: JSON.stringify(wish) });
}

async function session(port: number, changes: Record<string, unknown> = {}, wish = {}) {
  const answer = await exchange(port, changes, wish);
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
  return adopt(new HttpClient(port, { authorization: `Bearer ${answer.json.sessionId}` }));
}

describe("a job with an ID token", () => {
  test("claims what the policy allows, as the job that its issuer says it is", async () => {
    const { port } = await start();
    const job = await session(
      port,
      {},
      {
        owner: "ci-github-1-1-somebody-else",
        note: "v1.2.3",
        metadata: { repository: "evil/shop", actor: "mallory", run_id: "1", hostname: "runner-3" },
      },
    );
    expect((await job.ask("/production?lock=acquire")).status).toBe(200);
    const { json } = await job.ask("/admin/locks/production");
    expect(json.holders[0]).toMatchObject({
      owner: "ci-actions-456-1-987",
      note: "v1.2.3",
      metadata: {
        repository: "acme/shop",
        ref: "refs/heads/main",
        run_id: "456",
        run_attempt: "1",
        actor: "ann",
        hostname: "runner-3",
      },
    });
    expect((await job.ask("/production?lock=release")).status).toBe(200);
  });

  test.each([
    ["a key that no rule names", "/staging?lock=acquire", {}],
    ["a key below", "/production/eu/west?lock=acquire", {}],
    ["a file", "/staging", { method: "PUT", body: "x" }],
    ["a file to read", "/staging", {}],
    ["the status of another key", "/staging?lock=status", {}],
    ["the history of another key", "/admin/history/staging", {}],
    ["a break of another key", "/admin/locks/staging?reason=x", { method: "DELETE" }],
    ["a freeze of another key", "/admin/freezes/staging?reason=x", { method: "PUT" }],
    ["the head of a file", "/staging", { method: "HEAD" }],
    ["a file that may be as it knows it", "/staging", { headers: { "if-none-match": "*" } }],
    ["a file's end", "/staging", { method: "DELETE" }],
    ["a thaw of another key", "/admin/freezes/staging", { method: "DELETE" }],
    ["the release of another run's lock", "/staging?lock=release&run=x", {}],
    [
      "the release of a lock by a token",
      "/staging?lock=release",
      { headers: { "holdfast-token": "x" } },
    ],
    ["all events", "/admin/events", {}],
    ["the metrics", "/metrics", {}],
  ])("may not have %s", async (_what, path, question) => {
    const { port, server } = await start();
    const job = await session(port);
    const answer = await job.ask(path, question);
    expect(answer.status).toBe(403);
    if (!("method" in question && question.method === "HEAD")) {
      expect(answer.json.error).toBe("Refused by the policy");
    }
    expect(answer.headers.etag).toBeUndefined();
    expect(answer.text).not.toContain("1234");
    if (!path.startsWith("/admin/events") && path !== "/metrics") {
      expect(server.printed.log).toContain("refused by the policy");
      expect(server.printed.log).toContain("acme/shop");
    }
  });

  test("does not hear who holds a key that it may not know, when it renews for its run", async () => {
    const token = join(directory, "token");
    writeFileSync(token, "secret");
    const { port } = await start({ "auth-token-file": token });
    const owner = adopt(new HttpClient(port, { authorization: "Bearer secret" }));
    const wish = JSON.stringify({ owner: "the-holder" });
    const { json } = await owner.ask("/auth/session", { method: "POST", body: wish });
    const holder = adopt(new HttpClient(port, { authorization: `Bearer ${json.sessionId}` }));
    const held = await holder.ask("/staging?lock=acquire&run=theirs&ttl=60000");
    const job = await session(port);
    for (const fence of ["", `&fence=${held.json.fence}`]) {
      const answer = await job.ask(`/staging?lock=refresh&run=theirs${fence}`);
      expect(answer.status).toBe(404);
      expect(answer.text).not.toContain("the-holder");
    }
    await owner.ask("/admin/locks/staging?reason=stuck&owner=boss", { method: "DELETE" });
    const answer = await job.ask(`/staging?lock=refresh&run=x&fence=${held.json.fence}`);
    expect(answer.text).not.toMatch(/stuck|boss/);
  });

  test("cannot touch what another job holds, whatever it says it is", async () => {
    const { port } = await start();
    const holder = await session(port);
    const { json } = await holder.ask("/production?lock=acquire");
    const other = await session(
      port,
      { check_run_id: "988", actor: "bob" },
      { owner: "ci-actions-456-1-987" },
    );
    const names = { owner: "ci-actions-456-1-987", session: json.sessionId, fence: json.fence };
    const query = Object.entries(names)
      .map(([name, value]) => `&${name}=${value}`)
      .join("");
    const headers = Object.fromEntries(
      Object.entries(names).flatMap(([name, value]) => [
        [`x-${name}`, String(value)],
        [`holdfast-${name}`, String(value)],
      ]),
    );
    const { text } = await other.ask("/auth/session", { headers });
    expect(JSON.parse(text).owner).toBe("ci-actions-456-1-988");
    for (const word of ["release", "refresh"]) {
      const answer = await other.ask(`/production?lock=${word}${query}`, { headers });
      expect(answer.status).toBe(404);
    }
    const written = await other.ask("/production", { method: "PUT", body: "mine", headers });
    expect(written.status).toBe(423);
    expect((await other.ask("/production", { method: "DELETE", headers })).status).toBe(423);
    const end = await other.ask(`/admin/locks/production?reason=x${query}`, {
      method: "DELETE",
      headers,
    });
    expect(end.status).toBe(403);
    expect((await holder.ask("/production?lock=refresh")).status).toBe(200);
  });

  test("that another one says it is leaves no trace of that in history and log", async () => {
    const { port, server } = await start();
    const wish = { owner: "ceo", metadata: { actor: "ceo", repository: "acme/secret" } };
    const job = await session(port, {}, wish);
    await job.ask("/production?lock=acquire&owner=ceo");
    await job.ask("/production?lock=release&owner=ceo");
    const { json, text } = await job.ask("/admin/history/production");
    expect(json.holds[0]).toMatchObject({
      owner: "ci-actions-456-1-987",
      metadata: { repository: "acme/shop", ref: "refs/heads/main", actor: "ann", job: "987" },
    });
    const { log } = server.printed;
    expect(text + log).not.toMatch(/ceo|secret/);
    expect(log).toMatch(/session opened .*owner=ci-actions-456-1-987 .*repository=acme\/shop/);
    expect(log).toMatch(/granted .*owner=ci-actions-456-1-987/);
    expect(log).toMatch(/released .*owner=ci-actions-456-1-987/);
  });

  test("that no rule lets in has used up no token, since its number is not remembered", async () => {
    const server = await startProcess(["--http-port", "0", "--policy", policy]);
    const port = server.httpPort as number;
    const token = await issuer.token(githubClaims({ repository_owner_id: "666" }));
    const show = () =>
      adopt(new HttpClient(port, { authorization: `Bearer ${token}` })).ask("/auth/session", {
        method: "POST",
      });
    for (const _ of [1, 2]) expect((await show()).status).toBe(403);
    const claims = { repository_owner_id: "666" };
    write([{ issuer: "github", claims, keys: ["production"], may: ["claim"] }]);
    server.child.kill("SIGHUP");
    await expect.poll(() => server.stderr()).toContain("policy read anew");
    expect((await show()).status).toBe(201);
  });

  test("freezes and breaks under its own name where a rule allows that, and not without", async () => {
    const { port } = await start();
    const ann = await session(port);
    const bob = await session(port, { actor: "bob" });
    await bob.ask("/production?lock=acquire");
    const path = "/admin/locks/production?reason=stuck&owner=somebody";
    expect((await bob.ask(path, { method: "DELETE" })).status).toBe(403);
    const broken = await ann.ask(path, { method: "DELETE" });
    expect(broken.json.broken).toHaveLength(1);
    const { json } = await bob.ask("/production?lock=refresh");
    expect(json).toMatchObject({ error: "Lock broken", by: "ci-actions-456-1-987" });
    const frozen = await ann.ask("/admin/freezes/production?reason=x&owner=boss", {
      method: "PUT",
    });
    expect(frozen.json.frozen.by).toBe("ci-actions-456-1-987");
  });

  test("sees in a list only the keys that it may look at", async () => {
    const token = join(directory, "token");
    writeFileSync(token, "secret");
    const { port } = await start({ "auth-token-file": token });
    const owner = adopt(new HttpClient(port, { authorization: "Bearer secret" }));
    const { json } = await owner.ask("/auth/session", { method: "POST" });
    const holder = adopt(new HttpClient(port, { authorization: `Bearer ${json.sessionId}` }));
    for (const key of ["production", "staging"]) await holder.ask(`/${key}?lock=acquire`);
    const job = await session(port);
    const seen = await job.ask("/admin/locks");
    expect(seen.json.locks.map(({ key }: { key: string }) => key)).toEqual(["production"]);
    expect((await owner.ask("/admin/locks")).json.locks).toHaveLength(2);
    await holder.ask("/staging?lock=release");
    expect((await job.ask("/admin/recent")).json.keys).toEqual([]);
    expect((await job.ask("/admin/timeline")).json.keys).toEqual([]);
  });

  test("holds for its own run, whichever run it names", async () => {
    const { port } = await start();
    const job = await session(port);
    const other = await session(port, { run_id: "457", check_run_id: "988" });
    const path = "/production?lock=acquire&run=github.com/acme/shop/runs/457/attempts/1&ttl=60000";
    expect((await job.ask(path)).status).toBe(200);
    expect((await other.ask(path)).status).toBe(423);
    const sibling = await session(port, { check_run_id: "989" });
    expect((await sibling.ask(path)).status).toBe(200);
    const release = "/production?lock=release&run=github.com/acme/shop/runs/456/attempts/1";
    expect((await other.ask(release)).status).toBe(404);
    expect((await sibling.ask(release)).status).toBe(200);
  });

  test("with the token of its run's lock alone asks for that lock and releases it, and nothing else", async () => {
    const { port, plain } = await start();
    const job = await session(port);
    const held = await job.ask("/production?lock=acquire&run=x&ttl=60000");
    const { token, fence } = held.json;
    const bare = adopt(plain.with({ "holdfast-token": token }));
    for (const path of ["/production?lock=acquire", "/production?lock=status", "/production"]) {
      expect((await bare.ask(path)).status).toBe(401);
    }
    const wrong = adopt(plain.with({ "holdfast-token": "0".repeat(32) }));
    expect((await wrong.ask("/production?lock=release")).status).toBe(404);
    expect((await bare.ask("/production/eu?lock=release")).status).toBe(404);
    expect((await bare.ask("/production?lock=refresh")).json.fence).toBe(fence);
    expect((await bare.ask("/production?lock=release")).status).toBe(200);
    expect((await bare.ask("/production?lock=refresh")).status).toBe(404);
  });

  test("that no rule is for gets no session", async () => {
    const { port, server } = await start();
    const answer = await exchange(port, { repository_owner_id: "666" });
    expect(answer.status).toBe(403);
    expect(answer.json.message).toContain('the claim "repository_owner_id" does not fit');
    expect(server.printed.log).toContain('wants \\"1234\\"');
  });

  test("is not let in twice with one token, nor with a session's id", async () => {
    const { port } = await start();
    const token = await issuer.token(githubClaims());
    const client = adopt(new HttpClient(port, { authorization: `Bearer ${token}` }));
    const first = await client.ask("/auth/session", { method: "POST" });
    expect(first.status).toBe(201);
    const second = await client.ask("/auth/session", { method: "POST" });
    expect(second.status).toBe(401);
    expect(second.json.message).toContain("was used already");
    expect(second.headers["www-authenticate"]).toContain("Bearer");
    const again = adopt(new HttpClient(port, { authorization: `Bearer ${first.json.sessionId}` }));
    expect((await again.ask("/auth/session", { method: "POST" })).status).toBe(400);
  });

  test("is told to come again where its issuer cannot be asked", async () => {
    const { port, server } = await start();
    issuer.misbehave = (_request, response) => {
      response.writeHead(500).end();
      return true;
    };
    const answer = await exchange(port);
    expect(answer.status).toBe(503);
    expect(answer.headers["retry-after"]).toBe("5");
    expect(answer.text).not.toContain(issuer.url);
    expect(server.printed.log).toContain(`${issuer.url}/.well-known`);
  });

  test("cannot use up all sessions, nor keep one for longer than a week", async () => {
    const { port } = await start({ "max-sessions": "20" });
    for (const _ of [1, 2]) {
      const { json } = await exchange(port, {}, { ttl: 365 * 86_400 });
      expect(json.expiresAt - Date.now()).toBeLessThanOrEqual(7 * 86_400_000);
    }
    const refused = await exchange(port);
    expect(refused.status).toBe(503);
    expect(refused.json).toMatchObject({ error: "Too many sessions" });
    expect(refused.json.message).toContain("This job has 2 sessions already");
    expect((await exchange(port, { check_run_id: "988" })).status).toBe(201);
  });

  test("with a token of 100 kB is refused, and the server goes on", async () => {
    const { port } = await start();
    const answer = await exchange(port, { filler: "x".repeat(100_000) });
    expect(answer.status).toBe(431);
    expect((await exchange(port)).status).toBe(201);
  });
});

describe("a server with a policy alone", () => {
  test("lets nobody in without a token, at either door", async () => {
    const { port, plain, server } = await start();
    expect((await plain.ask("/auth/session", { method: "POST" })).status).toBe(401);
    expect((await plain.ask("/admin/locks")).status).toBe(401);
    expect((await plain.ask("/metrics")).status).toBe(401);
    const tcp = await server.connect();
    tcp.send("l\nproduction\n1\n");
    expect(await tcp.line()).not.toMatch(/^ok/);
    for (const bearer of ["null", "undefined", "", "a.b.c"]) {
      const client = adopt(new HttpClient(port, { authorization: `Bearer ${bearer}` }));
      expect((await client.ask("/auth/session", { method: "POST" })).status).toBe(401);
    }
  });

  test("does not start with a policy that is not sound", async () => {
    write([{ issuer: "github", claims: {}, keys: ["*"], may: ["look"] }]);
    await expect(startProcess(["--http-port", "0", "--policy", policy])).rejects.toThrow(
      /exit 2: .*rules\[0\]\.claims is empty/s,
    );
    await expect(
      startProcess(["--http-port", "0", "--policy", join(directory, "none.json")]),
    ).rejects.toThrow(/exit 2: .*--policy cannot be read/s);
  });

  test("reads the policy anew on SIGHUP, and keeps the old one where the new is bad", async () => {
    const server = await startProcess(["--http-port", "0", "--policy", policy]);
    const port = server.httpPort as number;
    const job = await session(port);
    expect((await job.ask("/staging?lock=acquire")).status).toBe(403);
    writeFileSync(policy, "{");
    server.child.kill("SIGHUP");
    await expect.poll(() => server.stderr()).toContain("the policy stays as it was");
    expect((await job.ask("/production?lock=acquire")).status).toBe(200);
    write([
      {
        issuer: "github",
        claims: { repository_owner_id: "1234" },
        keys: ["staging"],
        may: ["claim"],
      },
    ]);
    server.child.kill("SIGHUP");
    await expect.poll(() => server.stderr()).toContain("policy read anew");
    expect((await job.ask("/staging?lock=acquire")).status).toBe(200);
    // What it holds it keeps until it releases it, though it could not claim it any more.
    expect((await job.ask("/production?lock=refresh")).status).toBe(200);
    expect((await job.ask("/production?lock=release")).status).toBe(200);
    expect((await job.ask("/production?lock=acquire")).status).toBe(403);
  });

  test("grants nothing to a job in line whose rule is gone", async () => {
    const server = await startProcess(["--http-port", "0", "--policy", policy]);
    const port = server.httpPort as number;
    const [holder, waiter] = [await session(port), await session(port, { check_run_id: "988" })];
    await holder.ask("/production?lock=acquire");
    const waiting = waiter.ask("/production?lock=acquire&wait=30");
    const status = async () => (await holder.ask("/admin/locks/production")).json;
    await expect.poll(async () => (await status()).waiting).toBe(1);
    const claims = { repository_owner_id: "1234" };
    write([{ issuer: "github", claims, keys: ["production"], may: ["look"] }]);
    server.child.kill("SIGHUP");
    await expect.poll(() => server.stderr()).toContain("policy read anew");
    expect((await holder.ask("/production?lock=release")).status).toBe(200);
    const answer = await waiting;
    expect(answer.status).toBe(403);
    expect(answer.json.message).toContain("does not allow to claim");
    expect((await status()).holders).toEqual([]);
    expect((await waiter.ask("/production?lock=refresh")).status).toBe(404);
  });

  test("takes no token twice over a restart, with and without a data file", async () => {
    for (const data of [["--data", join(directory, "data")], []]) {
      const args = ["--http-port", "0", "--policy", policy, ...data];
      const first = await startProcess(args);
      // The unused one is of long before the restart: with the data file the server knows that.
      const [used, unused] = await Promise.all([
        issuer.token(githubClaims()),
        issuer.token(githubClaims({ iat: Math.floor(Date.now() / 1_000) })),
      ]);
      const show = async (port: number | null, token: string) => {
        const client = adopt(new HttpClient(port as number, { authorization: `Bearer ${token}` }));
        const { status, json } = await client.ask("/auth/session", { method: "POST" });
        return `${status} ${json.message ?? ""}`;
      };
      expect(await show(first.httpPort, used)).toMatch(/^201/);
      // Tokens tell their time in seconds.
      const second = Math.floor(Date.now() / 1_000);
      await expect.poll(() => Math.floor(Date.now() / 1_000)).toBeGreaterThan(second);
      first.child.kill("SIGKILL");
      await first.ended;
      const { httpPort } = await startProcess(args);
      if (data.length > 0) {
        expect(await show(httpPort, used)).toMatch(/^401 .*was used already/);
        expect(await show(httpPort, unused)).toMatch(/^201/);
      } else {
        expect(await show(httpPort, used)).toMatch(/^503 .*before this server started/);
      }
    }
  });

  test("gives a job's session no rights any more after a week, but leaves it what it holds", async () => {
    const data = join(directory, "data");
    const args = ["--http-port", "0", "--policy", policy, "--data", data];
    const first = await startProcess(args);
    const { json } = await exchange(first.httpPort as number, {}, { ttl: 30 * 86_400 });
    const authorization = `Bearer ${json.sessionId}`;
    const before = adopt(new HttpClient(first.httpPort as number, { authorization }));
    expect((await before.ask("/production?lock=acquire")).status).toBe(200);
    first.child.kill("SIGTERM");
    await first.ended;
    const database = new DatabaseSync(data);
    database.prepare("UPDATE sessions SET created_at = created_at - 8 * 86400000").run();
    database.close();
    const second = await startProcess(args);
    const after = adopt(new HttpClient(second.httpPort as number, { authorization }));
    expect((await after.ask("/production?lock=refresh")).status).toBe(200);
    const refused = await after.ask("/production/eu?lock=acquire");
    expect(refused.status).toBe(403);
    expect(refused.json.message).toContain("good for a week");
    expect((await after.ask("/admin/locks")).json.locks).toEqual([]);
    expect((await after.ask("/production?lock=release")).status).toBe(200);
  });

  test("knows its jobs over a restart", async () => {
    const data = join(directory, "data");
    const args = ["--http-port", "0", "--policy", policy, "--data", data];
    const first = await startProcess(args);
    const job = await exchange(first.httpPort as number);
    const authorization = `Bearer ${job.json.sessionId}`;
    const before = adopt(new HttpClient(first.httpPort as number, { authorization }));
    const { json } = await before.ask("/production?lock=acquire");
    first.child.kill("SIGKILL");
    await first.ended;
    const second = await startProcess(args);
    const after = adopt(new HttpClient(second.httpPort as number, { authorization }));
    const held = await after.ask("/admin/locks/production");
    expect(held.json.holders[0]).toMatchObject({
      fence: json.fence,
      owner: "ci-actions-456-1-987",
    });
    expect((await after.ask("/staging?lock=acquire")).status).toBe(403);
  });
});
