import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { cli, json, startCli } from "../../../../helpers/cli/cli.ts";
import { store } from "../../../../helpers/cli/holding.ts";
import { KINDS, storeOfKind } from "../../../../helpers/cli/stores.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";

const GITLAB = {
  GITLAB_CI: "true",
  CI_SERVER_URL: "https://gitlab.example.test",
  CI_PROJECT_PATH: "acme/shop",
  CI_PIPELINE_ID: "71",
};

/** A job of a pipeline. GitLab cannot be asked about it, so only a release or the ttl ends its lock. */
function job(url: string, pipeline: string, name: string): { env: NodeJS.ProcessEnv } {
  return {
    env: {
      HOLDFAST_STORE: url,
      ...GITLAB,
      CI_PIPELINE_ID: pipeline,
      CI_PIPELINE_URL: `https://gitlab.example.test/acme/shop/-/pipelines/${pipeline}`,
      CI_JOB_ID: `${pipeline}${name.length}`,
      CI_JOB_NAME: name,
      RUNNER_TEMP: temporaryDirectory(),
    },
  };
}

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe("acquire --until run", () => {
  test.each(KINDS)("in a %s is shared by the run's jobs, and released by the run", async (kind) => {
    const url = await storeOfKind(kind);
    const build = job(url, "71", "build");
    const deploy = job(url, "71", "deploy");
    const other = job(url, "72", "build");

    const first = await cli(["acquire", "k", "--until", "run", "--json"], build);
    expect(first.code).toBe(0);
    const lease = json<{ fence: number; until: string; since: string }>(first);
    expect(lease).toMatchObject({ key: "k", ttl: 21_600, lease: expect.stringContaining("k-") });
    expect(lease.until).toMatch(ISO);
    expect(Date.parse(lease.until) - Date.parse(lease.since)).toBe(6 * 3_600_000);
    expect(first.stderr).toMatch(/k is held for the whole run, until \S+ at the latest/);
    expect(first.stdout).not.toContain("token");

    // The later job has it at once, with the same fence; and no keeper is left.
    const args = ["acquire", "k", "--until", "run", "--timeout", "0", "--json"];
    const shared = await cli(args, deploy);
    expect([shared.code, json(shared).fence]).toEqual([0, lease.fence]);
    const path = json<{ lease: string }>(shared).lease;
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ keeper: null, socket: null });
    expect((await cli(["verify", "--lease", path], deploy)).code).toBe(0);

    const status = await cli(["status", "k"], other);
    expect(status.stdout).toMatch(
      /held +for the whole run, until \S+ at the latest \(in 5h \d+m\)/,
    );
    expect(status.stdout).toContain("https://gitlab.example.test/acme/shop/-/pipelines/71");
    const refused = await cli(["run", "k", "--timeout", "0", "--", "echo", "ran"], other);
    expect(refused).toMatchObject({ code: 124, stdout: "" });
    expect(refused.stderr).toMatch(/for the whole run, until .*pipelines\/71/);
    const verified = await cli(["verify", "k", "--fence", String(lease.fence)], deploy);
    expect(verified.code).toBe(0);

    const foreign = await cli(["release", "k", "--run", "--json"], other);
    expect(foreign.code).toBe(1);
    expect(json(foreign)).toMatchObject({ key: "k", outcome: "not-held" });
    expect(foreign.stderr).toMatch(
      /is held by build #71 of acme\/shop .*\(ci-gitlab-\S+\), not by this run/,
    );

    const waits = startCli(["run", "k", "--", "echo", "ran"], other);
    await waits.prints(/for the whole run/, "stderr");
    const released = await cli(["release", "k", "--run"], deploy);
    expect(released).toMatchObject({ code: 0, stdout: "" });
    expect(released.stderr).toContain('"k" was released');
    // Its lease file is gone with it, so that this job can claim the key again.
    expect(existsSync(path)).toBe(false);
    expect(await waits.ended).toMatchObject({ code: 0, stdout: "ran\n" });
    const again = await cli(["release", "k", "--run"], deploy);
    expect([again.code, again.stderr]).toEqual([
      0,
      'holdfast: "k" is not held by this run: nothing to release.\n',
    ]);
  });

  test("of several keys has all, with the fences", async () => {
    const at = job(await storeOfKind("directory"), "71", "build");
    const args = ["acquire", "b", "--also", "a", "--until", "run", "--ttl", "1h", "--json"];
    const lease = json(await cli(args, at));
    expect(lease).toMatchObject({
      key: "b",
      fences: { b: lease.fence, a: expect.any(Number) },
      ttl: 3_600,
    });
    const { keys: found } = json<{ keys: { key: string }[] }>(await cli(["list", "--json"], at));
    expect(found.map(({ key }) => key)).toEqual(["a", "b"]);
  });

  test("of several keys keeps what it got, and says which that is", async () => {
    const url = await storeOfKind("directory");
    const [own, other] = [job(url, "71", "build"), job(url, "72", "build")];
    await cli(["acquire", "b", "--until", "run"], other);
    const claim = (...keys: string[]) =>
      cli(["acquire", ...keys, "--until", "run", "--timeout", "0"], own);
    expect((await claim("a", "--also", "b")).stderr).toMatch(
      /"b" was not acquired .*\. "a" stays with the run, whose other jobs may rely on it\./,
    );
    expect((await claim("c", "--also", "b")).stderr).toMatch(
      /"b" was not acquired .*\. The run holds nothing new\./,
    );
    const { stdout } = await cli(["list"], own);
    expect(stdout).toMatch(/^a .*#71.*\nb .*#72.*\n$/);
  });
});

test.each([
  ["acquire", ["k", "--until", "run"], {}, 2, "BAD_RUN", /no CI run here.*--detach/],
  ["acquire", ["k", "--until", "noon"], {}, 2, "BAD_OPTION", /until "noon": write --until run/],
  ["acquire", ["k", "--until", "run", "--detach"], GITLAB, 2, "BAD_OPTION", /--detach contradict/],
  ["acquire", ["k", "--until", "run", "--until-pid", "1"], GITLAB, 2, "BAD_OPTION", /--until-pid/],
  ["run", ["k", "--until", "run", "--", "echo"], {}, 125, "BAD_OPTION", /acquire KEY --until run/],
  ["release", ["k", "--run"], {}, 2, "BAD_RUN", /no CI run here/],
  ["release", ["--run"], GITLAB, 2, "BAD_KEY", /write holdfast release KEY --run/],
  ["release", ["--run", "--lease", "x"], GITLAB, 2, "BAD_OPTION", /--run and --lease contradict/],
] as const)("%s %j is refused in one sentence", async (command, args, env, code, error, says) => {
  const at = { env: { ...env, ...store().env } };
  const ended = await cli([command, "--json", ...args], at);
  expect(ended.code).toBe(code);
  expect(json(ended)).toMatchObject({ error: { code: error } });
  expect(ended.stderr).toMatch(/^holdfast: [^\n]+\n$/);
  expect(ended.stderr).toMatch(says);
});
