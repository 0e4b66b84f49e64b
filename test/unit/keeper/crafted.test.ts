import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type KeptLease, readLeaseFile, writeLeaseFile } from "../../../src/keeper/lease-file.ts";
import { cli } from "../../helpers/cli/cli.ts";
import { leaseIn } from "../../helpers/cli/lease.ts";
import { temporaryDirectory } from "../../helpers/directories.ts";
import { isRoot } from "../../helpers/file/support.ts";
import { isAlive } from "../../helpers/processes.ts";
import { until } from "../../helpers/waiting.ts";

/** A lease file that a stranger wrote: `release` removes what is Holdfast's own, and nothing else. */

const NOBODY = 65_534;

/** Writes a lease that says it is lost, so that `release` only tidies up. */
function craft(path: string, socket: string): void {
  writeLeaseFile(path, leaseIn(temporaryDirectory(), { state: "lost", socket }));
}

function scene() {
  const directory = temporaryDirectory();
  const own = temporaryDirectory();
  const precious = join(own, "precious.txt");
  writeFileSync(precious, "precious");
  return { directory, own, precious, path: join(directory, "k-0123456789ab.json") };
}

/** A program's socket, at which it still listens when the test is over. */
async function listening(path: string): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
  return path;
}

const release = (path: string) => cli(["release", "--lease", path]);

describe("a lease whose socket is something else", () => {
  test("a file: it stays, and the lease is gone", async () => {
    const { path, precious } = scene();
    craft(path, precious);
    expect(await release(path)).toMatchObject({ code: 0 });
    expect(readFileSync(precious, "utf8")).toBe("precious");
    expect(existsSync(path)).toBe(false);
  });

  test("a file or a link in the lease's own directory", async () => {
    const { path, directory, precious } = scene();
    for (const name of ["file.sock", "link.sock"]) {
      const socket = join(directory, name);
      if (name === "file.sock") writeFileSync(socket, "precious");
      else symlinkSync(precious, socket);
      craft(path, socket);
      expect(await release(path)).toMatchObject({ code: 0 });
      expect(readFileSync(socket, "utf8")).toBe("precious");
    }
  });

  test("another program's socket, and one that is called as ours is in a directory of its own", async () => {
    const { path, own } = scene();
    for (const name of ["docker.sock", "s"]) {
      const socket = await listening(join(own, name));
      craft(path, socket);
      expect(await release(path)).toMatchObject({ code: 0 });
      expect(existsSync(socket)).toBe(true);
    }
  });

  test("a socket of ours that a killed keeper left is removed", async () => {
    const { path, directory } = scene();
    const socket = await listening(join(directory, "0123456789ab.sock"));
    craft(path, socket);
    expect(await release(path)).toMatchObject({ code: 0 });
    expect(existsSync(socket)).toBe(false);
  });
});

test("a log beside a lease that is not where leases are stays", async () => {
  const { own } = scene();
  const path = join(own, "build.json");
  const log = join(own, "build.log");
  writeFileSync(log, "precious");
  craft(path, join(own, "s.sock"));
  expect(await release(path)).toMatchObject({ code: 0 });
  expect(readFileSync(log, "utf8")).toBe("precious");
});

test.skipIf(!isRoot)("another user's lease: root removes nothing of that user's", async () => {
  const { directory } = scene();
  const theirs = join(directory, "theirs");
  mkdirSync(theirs, { mode: 0o700 });
  const path = join(theirs, "k-0123456789ab.json");
  const log = join(theirs, "k-0123456789ab.log");
  const socket = await listening(join(theirs, "0123456789ab.sock"));
  craft(path, socket);
  writeFileSync(log, "theirs");
  for (const name of [theirs, path, log, socket]) chownSync(name, NOBODY, NOBODY);
  expect(await release(path)).toMatchObject({ code: 0 });
  expect([path, log, socket].map((name) => existsSync(name))).toEqual([true, true, true]);
});

test.skipIf(!isRoot)(
  "another user's lease that names root's keeper: root does not end it",
  async () => {
    const { directory, own } = scene();
    const env = { HOLDFAST_STORE: join(own, "locks"), RUNNER_TEMP: own };
    const acquired = await cli(["acquire", "k", "--until-pid", String(process.pid)], { env });
    const { keeper } = readLeaseFile(acquired.stdout.trim()) as KeptLease;
    const path = join(directory, "k-0123456789ab.json");
    writeLeaseFile(path, leaseIn(directory, { keeper, socket: join(directory, "no.sock") }));
    chownSync(path, NOBODY, NOBODY);
    expect(await release(path)).toMatchObject({ code: 0 });
    expect(isAlive(keeper.pid)).toBe(true);
    // The same file, were it root's own: its keeper does not answer, and is ended.
    chownSync(path, process.getuid?.() ?? 0, 0);
    expect(await release(path)).toMatchObject({ code: 0 });
    await until(() => !isAlive(keeper.pid));
  },
);
