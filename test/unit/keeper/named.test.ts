import { join } from "node:path";
import { expect, test } from "vitest";
import { writeLeaseFile } from "../../../src/keeper/lease-file.ts";
import { cli } from "../../helpers/cli/cli.ts";
import { leaseIn } from "../../helpers/cli/lease.ts";
import { temporaryDirectory } from "../../helpers/directories.ts";
import { type Recorder, startRecorder } from "../../helpers/recorder.ts";

/** A lease file that a stranger wrote names a server of the stranger's: no secret goes there. */

const SECRETS = {
  HOLDFAST_TOKEN: "ci:s3cret-token",
  PGPASSWORD: "s3cret-postgres",
  REDISCLI_AUTH: "s3cret-redis",
  AWS_ACCESS_KEY_ID: "s3cret-access-key",
  AWS_SECRET_ACCESS_KEY: "s3cret-secret-key",
  AWS_SESSION_TOKEN: "s3cret-session",
  GITHUB_TOKEN: "s3cret-github",
  GH_TOKEN: "s3cret-gh",
};

/** Every kind of store, at one address. */
const STORES: readonly [kind: string, url: (at: string) => string][] = [
  ["tcp", (at) => `tcp://${at}`],
  ["http", (at) => `http://${at}`],
  ["git", (at) => `git+http://${at}/x.git`],
  ["etcd", (at) => `etcd://${at}`],
  ["redis", (at) => `redis://${at}`],
  ["postgres", (at) => `postgres://ci@${at}/locks`],
  ["s3", (at) => `s3://bucket/locks?endpoint=http://${at}`],
];

/** A lease of a keeper that has ended, in a store at the stranger's server. */
function craft(store: string): string {
  const directory = temporaryDirectory();
  const path = join(directory, "k-0123456789ab.json");
  writeLeaseFile(path, leaseIn(directory, { store, storeOptions: { caFile: "/nowhere" } }));
  return path;
}

const at = ({ port }: Recorder) => `127.0.0.1:${port}`;

test.each(STORES)("%s that only the file names gets none", async (_, url) => {
  const stranger = await startRecorder();
  for (const command of ["verify", "release"]) {
    const path = craft(url(at(stranger)));
    await cli([command, "--lease", path], { env: SECRETS });
  }
  expect(stranger.heard()).not.toContain("s3cret");
});

test.each(STORES)("%s that is not the named one is not even spoken to", async (_, url) => {
  const stranger = await startRecorder();
  const own = await startRecorder();
  const path = craft(url(at(stranger)));
  const env = { ...SECRETS, HOLDFAST_STORE: url(at(own)) };
  const ended = await cli(["verify", "--lease", path], { env });
  expect(ended.code).toBe(2);
  expect(ended.stderr).toMatch(/the lock was named to be in .*: nothing was sent there/);
  expect(stranger.heard()).toBe("");
  const named = ["verify", "--lease", path, "--store", url(at(own))];
  expect(await cli(named, { env: SECRETS })).toMatchObject({ code: 2 });
  expect(stranger.heard()).toBe("");
});

test("the store that the user names gets the secret, though it is in a file", async () => {
  const own = await startRecorder();
  const path = craft(`redis://${at(own)}`);
  await cli(["verify", "--lease", path, "--store", `redis://${at(own)}`], { env: SECRETS });
  expect(own.heard()).toContain("s3cret-token");
});

test("certificates that a file names are not trusted with the environment's secret", async () => {
  const own = await startRecorder();
  const store = `https://${at(own)}`;
  // Were the file's caFile read, the sentence would be about it.
  const ended = await cli(["verify", "--lease", craft(store), "--store", store], { env: SECRETS });
  expect(ended.stderr).not.toContain("/nowhere");
});
