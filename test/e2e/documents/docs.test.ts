import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startGitServer } from "../../helpers/git-server.ts";
import { isThere } from "../../helpers/needs.ts";
import { ROOT } from "../../helpers/sources.ts";
import { type Block, blocksOf, blockWith, type Home, openHome, publish } from "./home.ts";

/**
 * The command blocks of all documents, typed as a reader would type them. Every block marked `sh`,
 * `bash` or `console` is in exactly one of three lists: run by a scene below, run by the test of the
 * README, or not run, with the reason.
 */

interface Named {
  readonly document: string;
  /** Words of the block that no other block of the document has. */
  readonly words: string;
}

const NOT_RUN: readonly (Named & { readonly why: string })[] = [
  { document: "README.md", words: "npm cit", why: "the tests themselves, and the benchmarks" },
  { document: "RELEASING.md", words: "gh attestation", why: "asks GitHub" },
  { document: "docs/ci-systems.md", words: "node@24", why: "npx asks the registry for Node" },
  { document: "docs/identity.md", words: "oidc request-token", why: "asks Buildkite and CircleCI" },
  { document: "docs/troubleshooting.md", words: "groupadd", why: "makes users and groups" },
  // The stores' own tests use these engines, where they are installed; not their tools for people.
  { document: "docs/engines.md", words: "etcd-1", why: "needs a cluster of etcd" },
  { document: "docs/engines.md", words: "etcdctl role", why: "needs etcd and its tools" },
  { document: "docs/engines.md", words: "etcdctl get", why: "needs etcd and its tools" },
  { document: "docs/engines.md", words: "redis-cli config", why: "needs Redis and its tools" },
  { document: "docs/engines.md", words: "redis-cli get", why: "needs Redis and its tools" },
  { document: "docs/engines.md", words: "create-bucket", why: "needs S3 and Amazon's tools" },
  { document: "docs/engines.md", words: "get-object", why: "needs S3 and Amazon's tools" },
];

const IN_README_TEST: readonly Named[] = [
  { document: "README.md", words: "git clone" },
  { document: "README.md", words: "holdfast run gpu" },
];

interface Scene {
  readonly name: string;
  readonly document: string;
  /** The blocks, in the order in which they are typed. */
  readonly blocks: readonly string[];
  readonly needs?: readonly string[];
  run(home: Home, ...blocks: string[]): Promise<void>;
}

/** Types lines that must succeed, and gives what they printed. */
async function typed(home: Home, lines: string, cwd?: string): Promise<string> {
  const ended = await home.type(lines, cwd).ended;
  expect(ended.code, `${lines}\n${ended.stdout}${ended.stderr}`).toBe(0);
  return ended.stdout;
}

const SCENES: readonly Scene[] = [
  {
    name: "installs the command",
    document: "docs/ci-systems.md",
    blocks: ["npm install -g git+https"],
    run: async (home, block) => {
      publish(home);
      const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
      // Of GitHub npm takes an archive, which is not to be had here: it is the same repository.
      const here = block?.replace(
        "git+https://github.com/holdfast-ci/holdfast.git",
        "git+file://$PUBLISHED",
      );
      expect(here).not.toBe(block);
      home.env.PUBLISHED = join(home.directory, "published");
      expect(await typed(home, here as string)).toContain(version);
    },
  },
  {
    name: "releases by the lease, and does nothing without one",
    document: "docs/ci-systems.md",
    blocks: ['if [ -n "$HOLDFAST_LEASE" ]'],
    run: async (home, block) => {
      home.install();
      await typed(home, block as string);
      const lease = await typed(home, "holdfast acquire production --detach --ttl 5m");
      home.env.HOLDFAST_LEASE = lease.trim();
      await typed(home, block as string);
      await typed(home, "holdfast status production --exit-code");
    },
  },
  {
    name: "holds the lock for a script",
    document: "docs/ci-systems.md",
    blocks: ["#!/bin/sh\nset -eu"],
    run: async (home, block) => {
      home.install();
      home.scripts("build.sh", "switch-traffic.sh");
      home.write("nightly.sh", block as string);
      const printed = await typed(home, "./nightly.sh");
      expect(printed).toContain("build.sh ran\nswitch-traffic.sh ran\n");
      await typed(home, "holdfast status production --exit-code");
    },
  },
  {
    name: "holds the lock between two hooks",
    document: "docs/ci-systems.md",
    blocks: ["hooks/pre-command", "hooks/pre-exit"],
    run: async (home, preCommand, preExit) => {
      home.install();
      home.write("pre-command", preCommand as string);
      home.write("pre-exit", preExit as string);
      await typed(home, ". ./pre-command; holdfast verify; . ./pre-exit");
      await typed(home, "holdfast status production --exit-code");
    },
  },
  {
    name: "asks for, breaks and shows a lock in a repository",
    document: "docs/github.md",
    blocks: ["HOLDFAST_STORE=github:acme/shop", "git ls-remote"],
    needs: ["git"],
    run: async (home, breaks, shows) => {
      const git = await startGitServer({ path: "acme/shop.git" });
      onTestFinished(() => git.close());
      home.install();
      home.env.GITHUB_SERVER_URL = git.origin;
      const store = "HOLDFAST_STORE=github:acme/shop HOLDFAST_TOKEN=t";
      await typed(home, `${store} holdfast acquire production --detach --ttl 1h`);
      const printed = await typed(home, breaks as string);
      expect(printed).toContain("production in git+http://");
      expect(printed).toMatch(/: held\n/);
      const clone = join(home.directory, "clone");
      await typed(home, `git init -q ${clone}`);
      await typed(home, `git remote add origin ${git.origin}/acme/shop.git`, clone);
      const shown = await typed(home, shows as string, clone);
      expect(shown).toContain("refs/holdfast/v1/production");
      expect(shown).toContain("runner 3 was unplugged");
    },
  },
  {
    name: "starts a server, and locks with curl",
    document: "docs/server.md",
    blocks: ["openssl req", "curl -s -X POST"],
    needs: ["openssl", "curl", "jq"],
    run: async (home, serve, lock) => {
      home.install();
      home.scripts("deploy.sh");
      const etc = join(home.directory, "etc");
      const here = (serve as string)
        .replaceAll("/etc/holdfast", etc)
        .replaceAll("/var/lib/holdfast", join(home.directory, "var"))
        .replace("--host 0.0.0.0 --http-port 8080", "--host 127.0.0.1 --http-port 0");
      const server = home.type(here);
      const [, port] = await server.prints(/^listening https 127\.0\.0\.1:(\d+)$/m);
      // The reader's curl trusts the certificate, finds the name, and fails where the server refuses.
      home.write(
        ".curlrc",
        `cacert = "${etc}/cert.pem"\nconnect-to = "locks.internal:8080:127.0.0.1:${port}"\nfail\n`,
      );
      home.env.TOKEN = readFileSync(join(etc, "token"), "utf8").trim();
      expect(await typed(home, lock as string)).toContain("deploy.sh ran\n");
      server.killGroup("SIGTERM");
      await server.ended;
    },
  },
  {
    name: "shows a lock in a repository on the page",
    document: "docs/server.md",
    blocks: ["holdfast page --store"],
    needs: ["git"],
    run: async (home, block) => {
      const git = await startGitServer({ path: "acme/shop.git" });
      onTestFinished(() => git.close());
      home.install();
      home.env.GITHUB_SERVER_URL = git.origin;
      const page = home.type(block as string);
      const [, origin, token] = await page.prints(/^listening (http:.*)\/#token=(\w+)$/m);
      const headers = { authorization: `Bearer ${token}` };
      expect((await fetch(`${origin}/admin/locks`, { headers })).status).toBe(200);
      page.killGroup("SIGTERM");
      await page.ended;
    },
  },
  {
    name: "checks a policy, and starts a server with it",
    document: "docs/identity.md",
    blocks: ["holdfast policy check"],
    needs: ["openssl"],
    run: async (home, serve) => {
      home.install();
      home.write("policy.json", blockWith("docs/identity.md", "json", "issuers"), 0o644);
      await typed(
        home,
        "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=locks -keyout key.pem -out cert.pem",
      );
      const here = (serve as string)
        .replace("/var/lib/holdfast", home.directory)
        .replace("--host 0.0.0.0 --http-port 443", "--port 0 --http-port 0");
      const server = home.type(here);
      await server.prints(/^listening https /m);
      expect(server.stdout()).toContain("policy.json is sound: 1 rule for github");
      server.killGroup("SIGTERM");
      await server.ended;
    },
  },
  {
    name: "asks for and breaks a lock that blocks, and reads the audit log",
    document: "docs/troubleshooting.md",
    blocks: ["holdfast status production", "holdfast break production", "lock_audit.log"],
    run: async (home, asks, breaks, reads) => {
      home.install();
      const store = join(home.directory, "store");
      const here = (text?: string) => (text as string).replaceAll("/var/lib/holdfast", store);
      await typed(home, `holdfast acquire production --detach --ttl 1h --store ${store}`);
      expect(await typed(home, here(asks))).toMatch(/production in file:.*: held\n/);
      await typed(home, here(breaks));
      const log = await typed(home, here(reads));
      for (const operation of ["acquire", "break"])
        expect(log).toContain(`"operation":"${operation}"`);
    },
  },
];

const DOCUMENTS = [".", "docs"].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => (folder === "." ? name : `${folder}/${name}`)),
);
const BLOCKS = DOCUMENTS.flatMap(blocksOf).filter(({ language }) =>
  ["sh", "bash", "console"].includes(language),
);

const isOf =
  ({ document, words }: Named) =>
  (block: Block) =>
    block.document === document && block.text.includes(words);

describe("the command blocks of the documents", () => {
  const named: readonly Named[] = [
    ...NOT_RUN,
    ...IN_README_TEST,
    ...SCENES.flatMap(({ document, blocks }) => blocks.map((words) => ({ document, words }))),
  ];

  test("each is run, or it is said why not", () => {
    expect(BLOCKS.length).toBeGreaterThan(15);
    const unnamed = BLOCKS.filter(
      (block) => named.filter((each) => isOf(each)(block)).length !== 1,
    );
    expect(unnamed, "give each of these blocks a scene, or a reason in NOT_RUN").toEqual([]);
  });

  test("each that is named is there", () => {
    expect(named.filter((each) => BLOCKS.filter(isOf(each)).length !== 1)).toEqual([]);
  });

  for (const { name, document, blocks, needs = [], run } of SCENES) {
    const missing = needs.filter(
      (program) => spawnSync("/bin/sh", ["-c", `command -v ${program}`]).status !== 0,
    );
    const title = `${document} ${name}${missing.length === 0 ? "" : ` (${missing} is missing)`}`;
    test.skipIf(!isThere(missing.join(", "), missing.length === 0))(title, async () => {
      const texts = blocks.map((words) => BLOCKS.find(isOf({ document, words }))?.text ?? "");
      const home = openHome();
      mkdirSync(join(home.directory, "store"));
      await run(home, ...texts);
    });
  }
});
