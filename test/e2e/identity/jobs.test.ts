import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cli, json, startCli } from "../../helpers/cli/cli.ts";
import { githubClaims, LocalIssuer, REQUEST_TOKEN } from "../../helpers/identity/issuer.ts";
import { makeCertificate } from "../../helpers/server/certificate.ts";
import { type ServerProcess, startProcess } from "../../helpers/server/server.ts";

let issuer: LocalIssuer;
let server: ServerProcess;
let store: string;
let directory: string;
let policy: string;

beforeEach(async () => {
  issuer = await LocalIssuer.open();
  directory = mkdtempSync(join(tmpdir(), "holdfast-identity-"));
  policy = join(directory, "policy.json");
  const rule = {
    issuer: "github",
    claims: { repository_owner_id: "1234", environment: "production" },
    keys: ["production"],
    may: ["claim", "look"],
  };
  const entry = { name: "github", url: issuer.url, audience: "locks" };
  writeFileSync(policy, JSON.stringify({ issuers: [entry], rules: [rule] }));
  server = await startProcess(["--http-port", "0", "--policy", policy]);
  store = `http://127.0.0.1:${server.httpPort}`;
});

afterEach(() => issuer.close());

function job(more: Record<string, string> = {}) {
  const env = { HOLDFAST_AUDIENCE: "locks", HOLDFAST_STORE: store, RUNNER_TEMP: directory };
  return { env: { ...env, ...issuer.jobEnvironment(), ...more } };
}

describe("a job whose runner offers ID tokens", () => {
  test("runs a command under the lock, without any secret", async () => {
    const ran = await cli(["run", "production", "--", "sh", "-c", "echo $HOLDFAST_OWNER"], job());
    expect(ran).toMatchObject({ code: 0, stdout: "ci-actions-456-1-987\n" });
    expect(issuer.asked).toContain("/token?api-version=2.0&audience=locks");
  });

  test("is known by what its issuer signed, in status, list and history", async () => {
    const acquired = await cli(["acquire", "production", "--detach", "--json"], job());
    expect(acquired.code).toBe(0);
    expect(json(acquired)).toMatchObject({ owner: "ci-actions-456-1-987" });
    expect(json(await cli(["status", "production", "--json"], job()))).toMatchObject({
      holders: [
        {
          owner: "ci-actions-456-1-987",
          metadata: { repository: "acme/shop", actor: "ann", run_id: "456" },
        },
      ],
    });
    expect((await cli(["list"], job())).stdout).toContain("production");
    const lease = json(acquired).lease as string;
    expect((await cli(["verify", "--lease", lease], job())).code).toBe(0);
    expect((await cli(["release", "--lease", lease], job())).code).toBe(0);
    expect(json(await cli(["history", "production", "--json"], job()))).toMatchObject({
      holds: [
        {
          owner: "ci-actions-456-1-987",
          metadata: { repository: "acme/shop", actor: "ann", run_id: "456", job: "987" },
        },
      ],
    });
  });

  test("is told which rule refuses it, with exit code 125", async () => {
    const refused = await cli(["run", "staging", "--", "echo", "ran"], job());
    expect(refused).toMatchObject({ code: 125, stdout: "" });
    expect(refused.stderr).toContain("is none of its keys");
    const broken = await cli(["break", "production", "--reason", "x", "--json"], job());
    expect(json(broken)).toMatchObject({ error: { code: "STORE_DENIED" } });
  });

  test("shows neither token in logs, errors or the lease", async () => {
    const acquired = await cli(["acquire", "production", "--detach", "--json"], job());
    const refused = await cli(["run", "staging", "--", "true"], job());
    const lease = readFileSync(json(acquired).lease as string, "utf8");
    const shown = [acquired, refused].map(({ stdout, stderr }) => stdout + stderr).join("");
    for (const secret of [REQUEST_TOKEN, ...issuer.given]) {
      expect(shown + lease + server.stderr()).not.toContain(secret);
    }
    expect(issuer.given.length).toBeGreaterThan(0);
    await cli(["release", "--lease", json(acquired).lease as string], job());
  });

  test("is told of https, where the address is TCP's", async () => {
    const refused = await cli(
      ["run", "production", "--store", `tcp://127.0.0.1:${server.port}`, "--json", "--", "true"],
      job(),
    );
    expect(json(refused)).toMatchObject({
      error: { code: "NOT_SUPPORTED", message: expect.stringContaining("https://") },
    });
  });

  test("sends no ID token where it could be read on the way", async () => {
    const away = { HOLDFAST_STORE: `http://[::ffff:7f00:1]:${server.httpPort}` };
    const refused = await cli(["status", "production"], job(away));
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("an ID token is not sent in the open");
    expect(issuer.given).toEqual([]);
  });

  test("sends its ID token to loopback itself, past any proxy that the environment names", async () => {
    const heard: string[] = [];
    const proxy = createServer((request, response) => {
      heard.push(`${request.url} ${request.headers.authorization}`);
      response.writeHead(502).end();
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const { port } = proxy.address() as AddressInfo;
    const address = `http://127.0.0.1:${port}`;
    const ran = await cli(
      ["run", "production", "--", "echo", "deployed"],
      job({ HTTP_PROXY: address, http_proxy: address }),
    );
    proxy.close();
    expect(heard).toEqual([]);
    expect(ran).toMatchObject({ code: 0, stdout: "deployed\n" });
  });

  test("that may claim and not look waits in line like others, and is told behind whom", async () => {
    const rule = {
      issuer: "github",
      claims: { repository_owner_id: "1234" },
      keys: ["production"],
      may: ["claim"],
    };
    const entry = { name: "github", url: issuer.url, audience: "locks" };
    writeFileSync(policy, JSON.stringify({ issuers: [entry], rules: [rule] }));
    const { httpPort } = await startProcess(["--http-port", "0", "--policy", policy]);
    const there = { HOLDFAST_STORE: `http://127.0.0.1:${httpPort}` };
    const acquired = await cli(["acquire", "production", "--detach"], job(there));
    const lease = acquired.stdout.trim();
    const waiter = startCli(["run", "production", "--", "echo", "next"], job(there));
    await waiter.prints(/waiting for production: .*held by/, "stderr");
    expect((await cli(["release", "--lease", lease], job(there))).code).toBe(0);
    expect(await waiter.ended).toMatchObject({ code: 0, stdout: "next\n" });
    expect((await cli(["status", "production"], job(there))).code).toBe(2);
  });

  test("is told that its runner gave none", async () => {
    const refused = await cli(
      ["run", "production", "--timeout", "0", "--", "true"],
      job({ ACTIONS_ID_TOKEN_REQUEST_TOKEN: "wrong" }),
    );
    expect(refused.code).toBe(125);
    expect(refused.stderr).toContain("gave this job no ID token");
  });
});

test("a job of another CI brings its token in HOLDFAST_ID_TOKEN, and it opens one session", async () => {
  const env = {
    HOLDFAST_STORE: store,
    HOLDFAST_ID_TOKEN: await issuer.token(githubClaims({ aud: "locks" })),
  };
  const ran = await cli(["run", "production", "--", "echo", "deployed"], { env });
  expect(ran).toMatchObject({ code: 0, stdout: "deployed\n" });
  const again = await cli(["run", "production", "--", "true"], { env });
  expect(again.code).toBe(125);
  expect(again.stderr).toContain("was used already");
});

test("a job with one token is told who holds the lock, and releases its run's lock by the lease", async () => {
  const gitlab = async (id: string) => ({
    HOLDFAST_STORE: store,
    HOLDFAST_ID_TOKEN: await issuer.token(githubClaims({ aud: "locks", check_run_id: id })),
    RUNNER_TEMP: mkdtempSync(join(directory, "job-")),
    ...{ GITLAB_CI: "true", CI_PIPELINE_ID: "456", CI_JOB_ID: id },
    ...{ CI_SERVER_URL: "https://gitlab.com", CI_PROJECT_PATH: "acme/shop" },
  });
  const env = await gitlab("1");
  const acquired = await cli(["acquire", "production", "--until", "run"], { env });
  expect(acquired.code).toBe(0);
  const lease = ["--lease", acquired.stdout.trim()];
  const other = await cli(["acquire", "production", "--timeout", "0", "--json"], {
    env: await gitlab("2"),
  });
  expect(other.code).toBe(1);
  expect(json(other)).toMatchObject({
    error: { code: "TIMEOUT", message: expect.stringContaining("ci-actions-456-1-1") },
  });
  expect((await cli(["verify", ...lease], { env })).code).toBe(0);
  expect((await cli(["release", ...lease], { env })).stderr).toContain("was released");
  const free = await cli(["status", "production", "--exit-code"], { env: await gitlab("3") });
  expect(free.code).toBe(0);
});

test("a job of GitHub's without the permission is given the two lines", async () => {
  const env = { HOLDFAST_STORE: store, GITHUB_ACTIONS: "true" };
  const refused = await cli(["status", "production"], { env });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(/permissions:\s+id-token: write/);
});

describe("holdfast policy check", () => {
  async function tokenFile(changes: Record<string, unknown> = {}): Promise<string> {
    const file = join(directory, "token.txt");
    writeFileSync(file, `${await issuer.token(githubClaims({ aud: "locks", ...changes }))}\n`);
    return file;
  }

  test("says that a file is sound, and what is wrong with another", async () => {
    const sound = await cli(["policy", "check", policy]);
    expect(sound).toMatchObject({ code: 0 });
    expect(sound.stdout).toContain("is sound: 1 rule for github");
    const bad = join(directory, "bad.json");
    writeFileSync(bad, "{}");
    expect((await cli(["policy", "check", bad])).code).toBe(2);
    expect((await cli(["policy", "chekc", policy])).code).toBe(2);
    expect((await cli(["policy", "check", policy, "--key", "k"])).code).toBe(2);
  });

  test("says which rule lets a token do what to a key", async () => {
    const args = ["policy", "check", policy, "--token", await tokenFile(), "--key", "production"];
    const told = await cli(args);
    expect(told.code).toBe(0);
    expect(told.stdout).toContain("claim: yes, by rule 1");
    expect(told.stdout).toContain("break: no, rule 1 came nearest");
    expect(json(await cli([...args, "--json"]))).toMatchObject({
      refused: null,
      verdicts: { look: { allowed: true, rule: 1 }, break: { allowed: false } },
    });
  });

  test("reads no keys over plain HTTP where the issuer is https", async () => {
    const tls = makeCertificate();
    const secure = await LocalIssuer.open(tls);
    const trusted = join(directory, "ca.pem");
    writeFileSync(trusted, tls.cert);
    const entry = { name: "github", url: secure.url, audience: "locks" };
    const { rules } = JSON.parse(readFileSync(policy, "utf8"));
    writeFileSync(policy, JSON.stringify({ issuers: [entry], rules }));
    const env = { NODE_EXTRA_CA_CERTS: trusted };
    const check = async (from: LocalIssuer) => {
      const file = join(directory, "token.txt");
      writeFileSync(file, await from.token(githubClaims({ iss: secure.url, aud: "locks" })));
      return cli(["policy", "check", policy, "--token", file, "--key", "production"], { env });
    };
    expect((await check(secure)).stdout).toContain("claim: yes, by rule 1");
    // Whoever sits on the way may answer what is asked there in the open.
    secure.misbehave = (_request, response) => {
      response.end(JSON.stringify({ issuer: secure.url, jwks_uri: `${issuer.url}/jwks` }));
      return true;
    };
    const refused = await check(issuer);
    await secure.close();
    expect(refused.stdout).toContain("which is no https:// address");
    expect(refused.code).toBe(1);
    expect(issuer.asked).toEqual([]);
  });

  test("refuses a token whose signature or time is not good, unless told not to look", async () => {
    const args = ["policy", "check", policy, "--token", await tokenFile({ exp: 1 })];
    const refused = await cli(args);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain("the token is refused: its time is over");
    const unsigned = await cli([...args, "--unsigned"]);
    expect(unsigned.code).toBe(0);
    expect(unsigned.stderr).toContain("was not checked");
    const elsewhere = ["policy", "check", policy, "--token", await tokenFile({ aud: "others" })];
    for (const more of [[], ["--unsigned"]]) {
      const other = await cli([...elsewhere, ...more]);
      expect(other.code).toBe(1);
      expect(other.stdout).toContain('its claim "aud" is not the one');
    }
  });
});

describe("the library that checks signatures", () => {
  /** Says on stderr which file of it is loaded. */
  const hook = `import { registerHooks } from "node:module";
    registerHooks({ load(url, context, next) {
      if (url.includes("/node_modules/jose/")) process.stderr.write("loads jose\\n");
      return next(url, context);
    } });`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(hook)}`;

  test("is loaded by policy check and by a server with a policy, and by nothing else", async () => {
    const env = { NODE_OPTIONS };
    expect((await cli(["policy", "check", policy], { env })).stderr).toContain("loads jose");
    const guarded = await startProcess(["--http-port", "0", "--policy", policy], env);
    expect(guarded.stderr()).toContain("loads jose");
    const open = await startProcess(["--http-port", "0"], env);
    const address = `http://127.0.0.1:${open.httpPort}`;
    const claims = { HOLDFAST_STORE: store, RUNNER_TEMP: directory, ...env };
    const outputs = [
      await cli(["run", "production", "--", "true"], job(claims)),
      await cli(["acquire", "production", "--detach"], job(claims)),
      await cli(["release", "production"], job(claims)),
      await cli(["list", "--store", address], { env }),
    ];
    expect(outputs.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const said = outputs.map(({ stdout, stderr }) => stdout + stderr).join("") + open.stderr();
    expect(said).not.toContain("loads jose");
  });
});
