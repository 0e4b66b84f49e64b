import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { StoreOptions } from "../../../../../src/stores/options.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import type { GitServer } from "../../../../helpers/git-server.ts";
import { KEY, opened, put, served } from "./kit.ts";

const TOKEN = "ghs_0123456789abcdef";

/** `github`, where the forge is the server on this machine. */
function inJob(server: GitServer, more: Record<string, string> = {}, token: string | null = TOKEN) {
  const env = {
    GITHUB_ACTIONS: "true",
    GITHUB_SERVER_URL: server.origin,
    GITHUB_REPOSITORY: "acme/repo",
    ...(token === null ? {} : { GITHUB_TOKEN: token }),
    ...more,
  };
  return opened("github:acme/repo", {}, { env });
}

/** What a call is refused with; the token is nowhere in it. */
async function refusalOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => expect.unreachable(),
    (reason) => reason,
  );
  expect(error).toMatchObject({ code: "STORE_REFUSED" });
  expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain(TOKEN);
  return error.message;
}

const YAML = /\npermissions:\n {2}contents: write$/;

describe("a forge that refuses", () => {
  it("a token that may not write: the lines of YAML that help", async () => {
    const server = await served({ access: () => "read" });
    const said = await refusalOf(inJob(server).swap(KEY, null, "1"));
    expect(said).toMatch(/^The token may not write to .*\(403, "Write access denied"\)/);
    expect(said).toMatch(YAML);
    expect(said).not.toContain("fork");
  });

  it("a hook that declines with HTTP 200, as Gitea does: the same", async () => {
    const server = await served();
    server.hook("pre-receive", "echo 'User permission denied for writing.' >&2; exit 1");
    const env = {
      GITHUB_ACTIONS: "true",
      GITHUB_SERVER_URL: server.origin,
      GITHUB_REPOSITORY: "acme/app",
      GITHUB_TOKEN: TOKEN,
    };
    const register = opened(server.url, {}, { env });
    const said = await refusalOf(register.swap(KEY, null, "1"));
    expect(said).toContain("pre-receive hook declined: User permission denied for writing.");
    expect(said).toMatch(YAML);
    // Another repository than the job's own: its token is not for it.
    expect(said).toContain("for its own repository acme/app alone");
  });

  it.each(["pull_request", "pull_request_review"])("a fork's %s: says fork", async (event) => {
    const server = await served({ access: () => "read" });
    const path = join(temporaryDirectory(), "event.json");
    const payload = (name: string) => ({
      pull_request: {
        head: { repo: { full_name: name, fork: name !== "acme/repo" } },
        base: { repo: { full_name: "acme/repo" } },
      },
    });
    const more = { GITHUB_EVENT_NAME: event, GITHUB_EVENT_PATH: path };
    writeFileSync(path, JSON.stringify(payload("stranger/repo")));
    const said = await refusalOf(inJob(server, more).swap(KEY, null, "1"));
    expect(said).toMatch(/from a fork \("stranger\/repo"\)/);
    expect(said).not.toContain("permissions:");
    const target = { ...more, GITHUB_EVENT_NAME: "pull_request_target" };
    expect(await refusalOf(inJob(server, target).swap(KEY, null, "1"))).toMatch(YAML);
    writeFileSync(path, JSON.stringify(payload("acme/repo")));
    expect(await refusalOf(inJob(server, more).swap(KEY, null, "1"))).toMatch(YAML);
    writeFileSync(path, '{"pull_request":{"head":{"repo":null},"base":{"repo":{}}}}');
    expect(await refusalOf(inJob(server, more).swap(KEY, null, "1"))).toContain("fork");
    writeFileSync(path, "no JSON");
    expect(await refusalOf(inJob(server, more).swap(KEY, null, "1"))).toMatch(YAML);
  });

  it("no such repository, or no right to see it", async () => {
    const server = await served();
    const said = await refusalOf(inJob(server).read(KEY));
    expect(said).toMatch(
      /^There is no repository at .*\/acme\/repo\.git, or the token has no right/,
    );
    expect(said).toMatch(YAML);
    const other = opened(`git+${server.origin}/other.git`, { token: TOKEN });
    expect(await refusalOf(other.swap(KEY, null, "1"))).toContain("HOLDFAST_TOKEN");
  });

  it("a token that has expired", async () => {
    const server = await served({ access: () => null });
    expect(await refusalOf(inJob(server).read(KEY))).toMatch(/does not accept the token .*expired/);
    expect(await refusalOf(inJob(server, {}, null).read(KEY))).toMatch(
      /asks for a token.*GH_TOKEN/,
    );
    const plain = opened(server.url);
    expect(await refusalOf(plain.read(KEY))).toMatch(/asks for a token.*HOLDFAST_TOKEN/);
  });

  it("a token of a job that has ended: how long it is good for, and what a longer job needs", async () => {
    const server = await served({ access: () => null });
    const said = await refusalOf(inJob(server).swap(KEY, null, "1"));
    expect(said).toMatch(/over or cancelled, and after 24 hours \(6 on hosted runners/);
    expect(said).toContain("needs a token of its own in the action's token input");
    const other = opened(server.url, { token: TOKEN });
    expect(await refusalOf(other.read(KEY))).not.toContain("hosted runners");
  });

  it.each([
    ["a hosted runner", "github-hosted", 6],
    ["a runner of one's own", "self-hosted", 24],
  ])(
    "a token that will end soon, on %s: told once, half an hour before",
    async (_, where, hours) => {
      const server = await served();
      let now = 1_000;
      const env = {
        GITHUB_ACTIONS: "true",
        GITHUB_SERVER_URL: server.origin,
        GITHUB_REPOSITORY: "repo",
        RUNNER_ENVIRONMENT: where,
      };
      const told: string[] = [];
      const open = (more: Record<string, string>, options: StoreOptions) =>
        opened(server.url, options, { env: { ...env, ...more }, now: () => now });
      const registers = [
        open({}, { forgeToken: TOKEN }),
        // Its end is not known, or it has none.
        open({}, { token: TOKEN, forgeToken: "another" }),
        open({ GITEA_ACTIONS: "true" }, { forgeToken: TOKEN }),
      ];
      const onTrouble = (sentence: string) => told.push(sentence);
      const readAll = () => Promise.all(registers.map((each) => each.read(KEY, { onTrouble })));
      now += (hours - 0.5) * 3_600_000 - 1;
      await readAll();
      expect(told).toEqual([]);
      now += 1;
      await readAll();
      await readAll();
      expect(told).toHaveLength(1);
      expect(told[0]).toContain(
        `ends ${hours === 24 ? "1d" : "6h"} after the job began, in about 30m:`,
      );
      expect(told[0]).not.toContain(TOKEN);
    },
  );

  it("and repeats the token: it is not shown", async () => {
    const server = await served();
    const encoded = Buffer.from(`x-access-token:${TOKEN}`).toString("base64");
    server.fault = () => ({
      kind: "status",
      status: 400,
      body: `bad ${TOKEN} in Basic ${encoded}`,
    });
    const said = await refusalOf(opened(server.url, { token: TOKEN }).read(KEY));
    expect(said).toContain("bad *** in Basic ***");
    expect(said).not.toContain(encoded);
    server.fault = () => undefined;
    server.hook("pre-receive", `echo "who is ${TOKEN}?" >&2; exit 1`);
    const register = opened(server.url, { token: TOKEN });
    expect(await refusalOf(register.swap(KEY, null, "1"))).toContain("who is ***?");
  });
});

describe("other git servers that refuse", () => {
  it("pushes over HTTP that are not enabled", async () => {
    const server = await served();
    await server.git("config", "http.receivepack", "false");
    const said = await refusalOf(opened(server.url, { token: TOKEN }).swap(KEY, null, "1"));
    expect(said).toContain("http.receivepack true");
    expect(said).not.toContain("permissions:");
  });

  it("a place that is hidden", async () => {
    const server = await served();
    await server.git("config", "receive.hideRefs", "refs/holdfast");
    const said = await refusalOf(opened(server.url).swap(KEY, null, "1"));
    expect(said).toContain("?ref=refs/heads/locks/");
    await put(opened(`${server.url}?ref=refs/heads/locks/`), KEY, null, "1");
  });

  it("a ref that cannot be written, though nobody moves it: not for ever a lost race", async () => {
    const server = await served();
    const register = opened(server.url);
    const version = await put(register, KEY, null, "1");
    // What a push that was killed leaves behind.
    writeFileSync(join(server.repository, "refs/holdfast/v1/production.lock"), "");
    const outcomes: string[] = [];
    const tries = (async () => {
      for (;;) outcomes.push((await register.swap(KEY, version, "2")).outcome);
    })();
    expect(await refusalOf(tries)).toContain("failed to update ref");
    expect(outcomes.length).toBeGreaterThan(2);
    expect(new Set(outcomes)).toEqual(new Set(["conflict"]));
  });

  it("an unknown reason is a lost race only where the ref has moved", async () => {
    const server = await served();
    const register = opened(server.url);
    const version = await put(register, KEY, null, "1");
    const lines = ["000eunpack ok\n", "0034ng refs/holdfast/v1/production the moon is full\n"];
    const size = (text: string) => (text.length + 4).toString(16).padStart(4, "0");
    const line = lines[1]?.slice(4) ?? "";
    const report = `${lines[0]}${size(line)}${line}0000`;
    const body = `${size(`\u0001${report}`)}\u0001${report}0000`;
    const headers = { "content-type": "application/x-git-receive-pack-result" };
    server.failNext("push", { kind: "status", status: 200, headers, body });
    expect(await refusalOf(register.swap(KEY, version, "2"))).toContain("the moon is full");
    await put(opened(server.url), KEY, version, "2");
    server.failNext("push", { kind: "status", status: 200, headers, body });
    expect(await register.swap(KEY, version, "3")).toEqual({ outcome: "conflict" });
  });

  it("a repository with SHA-256", async () => {
    const server = await served({ objectFormat: "sha256" });
    const register = opened(server.url);
    for (const call of [() => register.read(KEY), () => register.keys()]) {
      expect(await refusalOf(call())).toContain("SHA-256");
    }
    expect(await register.swap(KEY, null, "1")).toMatchObject({ outcome: "unknown" });
    expect(await server.git("for-each-ref")).toBe("");
  });
});

describe("who asks", () => {
  it("is sent with every request, and only what the store was given", async () => {
    const seen: string[] = [];
    const server = await served({
      access: (user, password) => {
        seen.push(`${user}:${password}`);
        return "write";
      },
    });
    const url = server.url.replace("git+http://", "git+http://me:in%20url@");
    const register = opened(url);
    expect(register.url).toBe(server.url.replace("git+http://", "git+http://me@"));
    const version = await put(register, KEY, null, "1");
    await register.read(KEY);
    await register.read(KEY, { strong: true });
    await put(register, KEY, version, "2");
    expect(new Set(seen)).toEqual(new Set(["me:in url"]));
  });

  it("follows a repository that was renamed, on the same server only", async () => {
    const server = await served();
    const register = opened(`git+${server.origin}/old.git`, { token: TOKEN });
    const location = `${server.origin}/repo.git/git-receive-pack`;
    server.failNext("push", { kind: "status", status: 301, headers: { location } });
    const version = await put(register, KEY, null, "1");
    expect((await register.read(KEY)).version).toBe(version);
    const away = opened(server.url, { token: TOKEN });
    const elsewhere = { location: "http://127.0.0.2:9/repo.git/git-upload-pack?secret=1" };
    server.failNext("list", { kind: "status", status: 302, headers: elsewhere });
    const said = await refusalOf(away.read(KEY));
    expect(said).toContain("redirects to http://127.0.0.2:9/repo.git/git-upload-pack");
    expect(said).not.toContain("secret");
  });
});
