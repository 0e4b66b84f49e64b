import { describe, expect, test } from "vitest";
import { checkHostedRunner, isGithubHosted } from "../../../src/ci/index.ts";
import type { StorePromises } from "../../../src/lock/store.ts";
import { cli, program } from "../../helpers/cli/cli.ts";
import { temporaryDirectory } from "../../helpers/directories.ts";

const HOSTED = { RUNNER_ENVIRONMENT: "github-hosted" };

function storeWith(scope: StorePromises["scope"]) {
  return { url: "file:/tmp/holdfast", promises: { fair: true, fenced: true, push: true, scope } };
}

test("only a runner that says so is one of GitHub's own", () => {
  expect(isGithubHosted({ RUNNER_ENVIRONMENT: "github-hosted" })).toBe(true);
  expect(isGithubHosted({ RUNNER_ENVIRONMENT: "self-hosted" })).toBe(false);
  expect(isGithubHosted({})).toBe(false);
});

describe("a store on the disk of a GitHub-hosted runner", () => {
  test("is an error that says what to use instead, and how to insist", () => {
    expect(() => checkHostedRunner(HOSTED, storeWith("machine"), false)).toThrow(
      expect.objectContaining({
        code: "HOSTED_RUNNER",
        message: expect.stringMatching(/locks nobody out.*tcp:.*name it: file:\/tmp\/holdfast\.$/),
      }),
    );
  });

  test("that the user has named is a warning", () => {
    expect(checkHostedRunner(HOSTED, storeWith("machine"), true)).toMatch(/locks nobody out.*tcp:/);
  });

  test("is no matter where machines share it, or on a machine of one's own", () => {
    for (const scope of ["filesystem", "network"] as const)
      expect(checkHostedRunner(HOSTED, storeWith(scope), false)).toBeNull();
    expect(checkHostedRunner({}, storeWith("machine"), false)).toBeNull();
  });
});

describe("the command line on a GitHub-hosted runner", () => {
  test.each([
    ["run", ["run", "k", "--json", "--", ...program("")], 125],
    ["acquire", ["acquire", "k", "--json"], 2],
  ])("%s refuses the default store", async (_, args, code) => {
    const ended = await cli(args, { env: { ...HOSTED, RUNNER_TEMP: temporaryDirectory() } });
    expect(ended.code).toBe(code);
    expect(JSON.parse(ended.stdout).error.code).toBe("HOSTED_RUNNER");
  });

  test.each([
    ["--store", (path: string) => [["--store", `file:${path}`], {}] as const],
    ["HOLDFAST_STORE", (path: string) => [[], { HOLDFAST_STORE: `file:${path}` }] as const],
  ])("a file store that %s names is a warning", async (_, naming) => {
    const [options, env] = naming(temporaryDirectory());
    const ended = await cli(["run", "k", ...options, "--", ...program("")], {
      env: { ...HOSTED, ...env },
    });
    expect(ended.code).toBe(0);
    expect(ended.stderr).toMatch(/^holdfast: warning: .*locks nobody out.*\n$/);
  });
});
