import { expect, test } from "vitest";
import { maySendSecret } from "../../../src/lock/text.ts";
import { readSources } from "../../helpers/sources.ts";

/** Where a secret may go is decided in one place, and these are the places that ask it. */

const FILES = readSources();

/** Every place that has an address from a file, a document or an answer, and what it compares. */
const PLACES: Readonly<Record<string, string>> = {
  "keeper/leases.ts": "the store of a lease file with the one that was named",
  "ci/alive.ts": "the API in a document with the one of the forge that runs this job",
  "stores/http/client.ts": "where a redirect leads with the server that was named",
  "stores/engines/git/server.ts": "where a redirect leads with the server that was named",
  "stores/engines/git/address.ts": "a repository's server with the forge, for the forge's token",
  "action/cache/client.ts": "the Actions cache's address in post with the one at the claim",
};

const pathsOf = (pattern: RegExp) =>
  FILES.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

test("one function decides, and all of these ask it", () => {
  const users = pathsOf(/\bmaySendSecret\(/).filter((path) => path !== "lock/text.ts");
  expect(users.sort()).toEqual(Object.keys(PLACES).sort());
});

test("a store is opened from a lease file by that one alone", () => {
  const openers = pathsOf(/\bopen(Store|Reader)\(\s*(lease|found|file)\b/);
  expect(openers).toEqual([]);
  // `withOpened` in leases.ts is given these two; the others open what the user or the task names.
  expect(pathsOf(/\bopenReader\b/).sort()).toEqual(["keeper/leases.ts", "stores/open.ts"]);
});

test("a redirect is read by the two that compare its origin, and to tell of it", () => {
  expect(pathsOf(/headers\.location/).sort()).toEqual([
    "stores/engines/git/server.ts",
    "stores/http/answer.ts",
  ]);
});

test("secrets of the environment are read in these files alone", () => {
  const secrets =
    /\benv\.(HOLDFAST_TOKEN|PGPASSWORD|REDISCLI_AUTH|AWS_(ACCESS|SECRET|SESSION)\w*|GITHUB_TOKEN|GH_TOKEN|ACTIONS_RUNTIME_TOKEN)\b/;
  expect(pathsOf(secrets).sort()).toEqual([
    "action/inputs.ts",
    "ci/alive.ts",
    "ci/forge.ts",
    "keeper/leases.ts",
    "stores/engines/git/address.ts",
    "stores/engines/postgres/register.ts",
    "stores/engines/redis/register.ts",
    "stores/engines/s3/address.ts",
    "stores/options.ts",
  ]);
});

test.each([
  ["redis://ci@host:6379", "redis://ci:pass@host:6379", true],
  ["https://host/api/v1/", "https://host/api/v1", true],
  ["https://host", null, false],
  ["https://host", "http://host", false],
  ["https://host:8443", "https://host", false],
  ["https://host.evil", "https://host", false],
  ["https://host@evil", "https://host", false],
  ["redis://ci@host", "redis://host", false],
  ["git+https://host/a.git", "git+https://host/b.git", false],
])("%s, meant for %s: %s", (to, meantFor, may) => {
  expect(maySendSecret(to, meantFor)).toBe(may);
});
