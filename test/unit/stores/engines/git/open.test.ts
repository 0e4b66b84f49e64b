import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Store } from "../../../../../src/lock/store.ts";
import { openStore, schemeOf } from "../../../../../src/stores/open.ts";
import type { StoreOptions } from "../../../../../src/stores/options.ts";
import { cli } from "../../../../helpers/cli/cli.ts";
import { KEY, onEnd, served } from "./kit.ts";

const owner = (id: string) => ({ id, metadata: {} });

async function opened(url: string, options: StoreOptions = {}): Promise<Store> {
  const store = await openStore(url, options);
  onEnd(() => store.close());
  return store;
}

describe("the schemes of git", () => {
  it.each([
    ["github", "github"],
    ["GitHub", "github"],
    ["github:a/b", "github"],
    ["github?ref=refs/x/", "github"],
    [" github ", "github"],
    ["git+https://h/p", "git+https"],
    ["git+http://h/p", "git+http"],
    ["./github", "file"],
    ["github/locks", "file"],
    ["githubs", "file"],
    ["C:\\github", "file"],
  ])("%j is %s", (store, scheme) => {
    expect(schemeOf(store)).toBe(scheme);
  });

  it("are opened without a request, and shown without a password", async () => {
    const server = await served();
    const url = server.url.replace("git+http://", "git+http://me:s3cret@");
    const store = await opened(url);
    expect(store.url).toBe(server.url.replace("git+http://", "git+http://me@"));
    expect(server.total).toBe(0);
  });

  it("show no password in an error about an unknown scheme", async () => {
    for (const url of ["gitt+https://me:qz7q@host/p.git", "git+ftp://me:qz/7q@zz@host/p.git"]) {
      const error = await openStore(url).catch(String);
      expect(error).toContain("me@host/p.git");
      expect(error).not.toMatch(/qz|7q|zz/);
    }
  });

  it("take server, repository and token from the job's variables", async () => {
    const server = await served({
      access: (_user, password) => (password === "ghs_x" ? "write" : null),
    });
    onTestFinished(() => void vi.unstubAllEnvs());
    // The server has one repository, at its root: a job's is owner/name.
    vi.stubEnv("GITHUB_SERVER_URL", server.origin);
    vi.stubEnv("GITHUB_REPOSITORY", "acme/repo");
    vi.stubEnv("GITHUB_TOKEN", "ghs_x");
    vi.stubEnv("HOLDFAST_TOKEN", "");
    await server.git("clone", "-q", "--bare", ".", "../acme/repo.git");
    await server.git("-C", "../acme/repo.git", "config", "http.receivepack", "true");
    const store = await opened("github");
    expect(store.url).toBe(`git+${server.origin}/acme/repo.git`);
    const holding = await store.claim({ key: KEY, owner: owner("one") }, { timeout: 0 });
    expect((await store.inspect(KEY)).holders.map((holder) => holder.owner)).toEqual(["one"]);
    expect(await holding.release()).toBe("released");
  });
});

describe("what a lock costs the server", () => {
  it("is counted in requests", async () => {
    const server = await served();
    const store = await opened(server.url);
    const count = async <T>(call: () => Promise<T>) => {
      server.resetCounts();
      const result = await call();
      const { list, fetch, push } = server.counts;
      return { result, cost: { list, fetch, push } };
    };
    const claim = (id: string, to: Store) =>
      to.claim({ key: KEY, owner: owner(id) }, { timeout: 0 });
    const first = await count(() => claim("one", store));
    expect(first.cost).toEqual({ list: 1, fetch: 0, push: 1 });
    const { lease } = first.result;
    expect((await count(() => store.verify(lease))).cost).toEqual({ list: 0, fetch: 0, push: 1 });
    expect((await count(() => store.inspect(KEY))).cost).toEqual({ list: 1, fetch: 0, push: 0 });
    const released = await count(() => first.result.release());
    expect(released.result).toBe("released");
    expect(released.cost).toEqual({ list: 1, fetch: 0, push: 1 });
    const second = await count(() => claim("two", store));
    expect(second.cost).toEqual({ list: 1, fetch: 0, push: 1 });
    const other = await opened(server.url);
    const refused = await count(() => claim("three", other).catch((error) => error.code));
    expect(refused.result).toBe("TIMEOUT");
    // "Not at once" is a conclusion: the repository itself has confirmed it.
    expect(refused.cost).toEqual({ list: 1, fetch: 1, push: 1 });
    const fromOther = await count(() => other.release(second.result.lease));
    expect(fromOther.result).toBe("released");
    expect(fromOther.cost.push).toBe(1);
  });
});

describe("a claim whose time is over before its server has answered", () => {
  it.each([
    [
      "is rate-limiting requests (429)",
      { kind: "status", status: 429, headers: { "retry-after": "50" } },
    ],
    ["did not answer", { kind: "delay", before: 5_000 }],
  ] as const)("says that it %s", async (words, fault) => {
    const server = await served();
    const store = await opened(server.url);
    server.fault = () => fault;
    const claiming = store.claim({ key: KEY, owner: owner("one") }, { timeout: 1_500 });
    await expect(claiming).rejects.toMatchObject({
      code: "STORE_UNREACHABLE",
      message: expect.stringContaining(words),
    });
  });
});

describe("a command whose server is rate-limiting requests says so once, and goes on", () => {
  const patience = /^holdfast: .*is rate-limiting requests \(429\).*$/gm;

  it.each([
    ["run", KEY, "--", "echo", "in"],
    ["acquire", KEY, "--until-pid", String(process.pid)],
    ["status", KEY],
  ])("%s", async (...args) => {
    const server = await served();
    let busy = 2;
    server.fault = () =>
      busy-- > 0 ? { kind: "status", status: 429, headers: { "retry-after": "1" } } : undefined;
    const env = { HOLDFAST_STORE: server.url };
    const ended = await cli(args, { env });
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr.match(patience)).toHaveLength(1);
    busy = 1;
    expect((await cli(["status", KEY, "--quiet"], { env })).stderr).toBe("");
    if (args[0] === "acquire") await cli(["release", KEY], { env });
  });
});
