import { expect, test } from "vitest";
import { cli, json, startCli } from "../../../helpers/cli/cli.ts";
import { hold, store } from "../../../helpers/cli/holding.ts";
import { KINDS, storeOfKind } from "../../../helpers/cli/stores.ts";

test.each(KINDS)(
  "--line newest in a %s: older claims that wait are superseded, and told by which run",
  async (kind) => {
    const at = { env: { HOLDFAST_STORE: await storeOfKind(kind) } };
    const holder = await hold(at);
    const older = startCli(["run", "k", "--line", "newest", "--json", "--", "echo", "ran"], at);
    await older.prints(/1st in line/, "stderr");
    const ci = {
      GITLAB_CI: "true",
      CI_PIPELINE_ID: "813",
      CI_PIPELINE_URL: "https://gitlab.example.test/acme/shop/-/pipelines/813",
      CI_JOB_ID: "1",
    };
    const newer = startCli(["run", "k", "--line", "newest", "--", "echo", "newest"], {
      env: { ...at.env, ...ci },
    });
    const superseded = await older.ended;
    expect(superseded.code).toBe(124);
    expect(superseded.stderr).toMatch(
      /superseded by ci-gitlab-813\S* \(https:\S+\/pipelines\/813\)/,
    );
    expect(json(superseded)).toMatchObject({
      error: {
        code: "SUPERSEDED",
        by: expect.stringMatching(/^ci-gitlab-813/),
        url: ci.CI_PIPELINE_URL,
      },
    });
    holder.process.stdin?.end();
    expect(await newer.ended).toMatchObject({ code: 0, stdout: "newest\n" });
  },
);

test("an unknown order is refused in one sentence", async () => {
  for (const [args, code] of [
    [["run", "k", "--line", "lifo", "--", "echo"], 125],
    [["acquire", "k", "--line", "lifo"], 2],
  ] as const) {
    const ended = await cli([...args.slice(0, 1), "--json", ...args.slice(1)], store());
    expect(ended.code).toBe(code);
    expect(json(ended)).toMatchObject({ error: { code: "BAD_LINE" } });
    expect(ended.stderr).toMatch(/The line is "lifo": use fifo or newest/);
  }
});
