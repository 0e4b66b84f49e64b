import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { cli, program } from "../../helpers/cli/cli.ts";
import { KINDS, storeOfKind } from "../../helpers/cli/stores.ts";
import { temporaryDirectory } from "../../helpers/directories.ts";
import { hasEtcd, startEtcd } from "../../helpers/engines/etcd.ts";
import { hasPostgres, startPostgres } from "../../helpers/engines/postgres.ts";
import { hasRedis, startRedis } from "../../helpers/engines/redis.ts";

/** Jobs of two runs on machines of which one has a wall clock that is wrong by more than the ttl. */

const HOURS = 7;

/** What has a process start with its wall clock so many hours ahead. */
function clockAhead(hours: number): NodeJS.ProcessEnv {
  const module = join(temporaryDirectory(), "clock.mjs");
  const shifted = new URL("../../prove/shifted-clock.ts", import.meta.url).href;
  const code = `import { shiftClock } from ${JSON.stringify(shifted)}; shiftClock(${hours * 3_600_000});`;
  writeFileSync(module, code);
  return { NODE_OPTIONS: `--import ${module}` };
}

function job(store: string, pipeline: string, hoursAhead: number): { env: NodeJS.ProcessEnv } {
  return {
    env: {
      ...(hoursAhead === 0 ? {} : clockAhead(hoursAhead)),
      HOLDFAST_STORE: store,
      GITLAB_CI: "true",
      CI_SERVER_URL: "https://gitlab.example.test",
      CI_PROJECT_PATH: "acme/shop",
      CI_PIPELINE_ID: pipeline,
      CI_JOB_ID: pipeline,
      CI_JOB_NAME: "deploy",
      RUNNER_TEMP: temporaryDirectory(),
    },
  };
}

const ENGINES = [
  ["etcd", hasEtcd, startEtcd],
  ["Redis", hasRedis, startRedis],
  ["PostgreSQL", hasPostgres, startPostgres],
] as const;

async function ofEngine(start: (typeof ENGINES)[number][2]): Promise<string> {
  const engine = await start();
  onTestFinished(() => void engine.stop());
  return engine.fresh();
}

const STORES: readonly (readonly [string, boolean, () => Promise<string>])[] = [
  ...KINDS.map((kind) => [`a ${kind}`, true, () => storeOfKind(kind)] as const),
  ...ENGINES.map(([name, isThere, start]) => [name, isThere, () => ofEngine(start)] as const),
];

describe.each(STORES)("a lock of a run in %s", (_, isThere, open) => {
  test.skipIf(!isThere).each([
    ["the holder's clock is behind", -HOURS, 0],
    ["the holder's clock is ahead", HOURS, 0],
    ["the other one's clock is ahead", 0, HOURS],
    ["the other one's clock is behind", 0, -HOURS],
  ])("is nobody else's, where %s", async (_, holders, others) => {
    const store = await open();
    const [first, second] = [job(store, "71", holders), job(store, "72", others)];
    const held = await cli(["acquire", "k", "--until", "run"], first);
    expect(held.code, held.stderr).toBe(0);
    const other = await cli(["run", "k", "--timeout", "3", "--", ...program("")], second);
    expect(other.code, other.stderr).toBe(124);
    const removed = await cli(["clean", "--json"], second);
    if (removed.code === 0) expect(removed.stdout).toContain('"removed":[]');
    const verified = await cli(["verify", "--lease", held.stdout.trim()], first);
    expect(verified.code, verified.stderr).toBe(0);
  });
});
