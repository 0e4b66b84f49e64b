import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { releaseLease } from "../../../src/keeper/client/release.ts";
import { readLeaseFile, writeLeaseFile } from "../../../src/keeper/lease-file.ts";
import { openProcesses } from "../../../src/machine/processes.ts";
import { openStore } from "../../../src/stores/open.ts";
import { cli, json } from "../../helpers/cli/cli.ts";
import { leaseIn } from "../../helpers/cli/lease.ts";
import { temporaryDirectory } from "../../helpers/directories.ts";
import { unixTest } from "../../helpers/platform.ts";
import { isAlive, start } from "../../helpers/processes.ts";

test("a lease is read as it was written", () => {
  const directory = temporaryDirectory();
  const lease = leaseIn(directory, {
    fence: null,
    watched: openProcesses({ sharedFilesystem: false }).self,
    job: "ci-github-1-1-deploy",
    state: "lost",
    lost: { at: "2026-11-16T10:01:00.000Z", reason: "it was broken" },
    storeOptions: { token: "secret", format: "json", staleTimeout: 5, fsync: false },
  });
  writeLeaseFile(join(directory, "k.json"), lease);
  expect(readLeaseFile(join(directory, "k.json"))).toEqual(lease);
});

describe("a file that is no lease is BAD_LEASE_FILE, in one sentence", () => {
  const mark = { pid: 1, start: "1", boot: "b", namespace: "n", host: "h" };
  const wrong: [what: string, fields: Record<string, unknown>][] = [
    ...["key", "store", "owner", "since", "token", "socket"].flatMap(
      (field): [string, Record<string, unknown>][] => [
        [`${field} is a number`, { [field]: 7 }],
        [`${field} is missing`, { [field]: undefined }],
      ],
    ),
    ["fence is a text", { fence: "1" }],
    ["slot is a text", { slot: "0" }],
    ["ttl is null", { ttl: null }],
    ["since is no time", { since: "yesterday" }],
    ["waited is missing", { waited: undefined }],
    ["the version is another", { version: 2 }],
    ["the state is another", { state: "free" }],
    ["lost is a text", { state: "lost", lost: "gone" }],
    ["lost has no reason", { state: "lost", lost: { at: "2026-11-16T10:01:00.000Z" } }],
    ["keeper is missing", { keeper: undefined }],
    ["keeper is null", { keeper: null }],
    ["keeper's pid is a text", { keeper: { ...mark, pid: "1" } }],
    ["keeper's pid is negative", { keeper: { ...mark, pid: -1 } }],
    ["keeper's start is a number", { keeper: { ...mark, start: 1 } }],
    ["keeper has no host", { keeper: { pid: 1 } }],
    ["watched is a number", { watched: 1 }],
    ["job is an object", { job: {} }],
    ["storeOptions is missing", { storeOptions: undefined }],
    ["storeOptions is a list", { storeOptions: [] }],
    ["storeOptions' token is an object", { storeOptions: { token: {} } }],
  ];

  test.each(wrong)("%s", (_, fields) => {
    const directory = temporaryDirectory();
    const path = join(directory, "k.json");
    writeFileSync(path, JSON.stringify({ ...leaseIn(directory), ...fields }));
    expect(() => readLeaseFile(path)).toThrow(
      expect.objectContaining({ code: "BAD_LEASE_FILE", message: expect.stringContaining(path) }),
    );
  });

  test.each([
    ["empty", ""],
    ["no JSON", "{"],
    ["null", "null"],
    ["a number", "7"],
    ["a list", "[]"],
    ["two megabytes of spaces", " ".repeat(2 ** 21)],
  ])("%s, for every command that takes a lease", async (_, text) => {
    const path = join(temporaryDirectory(), "k.json");
    writeFileSync(path, text);
    for (const command of ["release", "verify"]) {
      const ended = await cli([command, "--lease", path, "--json"]);
      expect(ended.code).toBe(2);
      expect(json(ended)).toMatchObject({ error: { code: "BAD_LEASE_FILE" } });
    }
  });

  const isRefused = (make: (path: string) => unknown) => {
    const path = join(temporaryDirectory(), "k.json");
    make(path);
    expect(() => readLeaseFile(path)).toThrow(expect.objectContaining({ code: "BAD_LEASE_FILE" }));
  };
  test("a directory", () => isRefused((path) => mkdirSync(path)));
  unixTest("fifos")("a fifo, which is not waited for", () =>
    isRefused((path) => execFileSync("mkfifo", [path])),
  );
});

describe("a lease that names a foreign process as its keeper", () => {
  const { self } = openProcesses({ sharedFilesystem: false });
  const unknown = { start: null, boot: null, namespace: null };

  test.each([
    ["by its pid alone", unknown],
    ["with its start time", {}],
  ])("%s: release does not kill it", async (_, less) => {
    const directory = temporaryDirectory();
    const store = await openStore(join(directory, "locks"), { fsync: false });
    const holding = await store.claim({ key: "k", owner: { id: "me", metadata: {} } });
    const victim = start(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    const mark = openProcesses({ sharedFilesystem: false }).mark(victim.pid) ?? self;
    const path = join(directory, "k.json");
    writeLeaseFile(path, leaseIn(directory, { ...holding.lease, keeper: { ...mark, ...less } }));
    expect(await releaseLease(path)).toMatchObject({ outcome: "recovered" });
    expect(isAlive(victim.pid)).toBe(true);
    expect(await holding.release()).toBe("already-gone");
    await store.close();
  });
});
