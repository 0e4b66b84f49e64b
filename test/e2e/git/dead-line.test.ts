import { describe, expect, onTestFinished, test } from "vitest";
import { emptyDocument, type WaiterEntry } from "../../../src/stores/document/document.ts";
import { LINE_LIMIT } from "../../../src/stores/document/operations/claim.ts";
import { TIMING } from "../../../src/stores/document/timing.ts";
import { openGitRegister } from "../../../src/stores/engines/git/register.ts";
import { cli, json, program } from "../../helpers/cli/cli.ts";
import { temporaryDirectory } from "../../helpers/directories.ts";
import { type GitServer, startGitServer } from "../../helpers/git-server.ts";
import { until } from "../../helpers/waiting.ts";

/** A free key of a repository, in whose line all have died: they lived by heartbeats, which tell nothing. */
async function deadLine(git: GitServer, key: string, length: number): Promise<string[]> {
  const line = Array.from({ length }, (_, index): WaiterEntry => {
    const times = { ttl: 86_400_000, deadAfter: 600_000, joined: new Date(0).toISOString() };
    const words = { note: null, metadata: {}, life: { kind: "heartbeat" } as const };
    const id = `${key}${index}`;
    return { id, owner: `dead-${index}`, digest: id.padEnd(64, "0"), ...times, ...words };
  });
  const register = openGitRegister(git.url, {}, { env: {} });
  const text = JSON.stringify({ ...emptyDocument(key), nonce: "n", turn: "n", line });
  expect(await register.swap(key, null, text)).toMatchObject({ outcome: "done" });
  await register.close();
  return line.map(({ owner }) => owner);
}

async function lineOf(git: GitServer, key: string): Promise<{ owner: string }[]> {
  return JSON.parse(await git.git("log", "-1", "--format=%B", `refs/holdfast/v1/${key}`)).line;
}

async function served(): Promise<{ git: GitServer; env: NodeJS.ProcessEnv }> {
  const git = await startGitServer();
  onTestFinished(() => git.close());
  return { git, env: { HOLDFAST_STORE: git.url } };
}

describe("a free key whose line has died", () => {
  test("is a newcomer's after one patience: behind one, behind five and outside of a full line", async () => {
    const { git, env } = await served();
    const waits = [1, 5, LINE_LIMIT].map(async (length) => {
      await deadLine(git, `k${length}`, length);
      const began = performance.now();
      const ended = await cli(["run", `k${length}`, "--timeout", "10m", "--", ...program("")], {
        env,
      });
      expect(ended.code, ended.stderr).toBe(0);
      expect(await lineOf(git, `k${length}`)).toEqual([]);
      return performance.now() - began;
    });
    for (const waited of await Promise.all(waits)) {
      expect(waited).toBeGreaterThan(TIMING.grace);
      // Not a second one: that is what each of the dead would have cost.
      expect(waited).toBeLessThan(2 * TIMING.grace);
    }
  });

  test("a full one: a claim that only wants a place has it after one patience", async () => {
    const { git, env } = await served();
    await deadLine(git, "k", LINE_LIMIT);
    const job = { ...env, RUNNER_TEMP: temporaryDirectory() };
    const began = performance.now();
    const joined = await cli(["acquire", "k", "--join", "--until-pid", String(process.pid)], {
      env: job,
    });
    expect(joined.code, joined.stderr).toBe(0);
    await until(async () => (await lineOf(git, "k")).length === 1);
    expect(performance.now() - began).toBeLessThan(2 * TIMING.grace);
    expect(await cli(["release", "k"], { env: job })).toMatchObject({ code: 0 });
    expect(await lineOf(git, "k")).toEqual([]);
  });

  test("break --line clears it and says whom, and the key is free at once", async () => {
    const { git, env } = await served();
    const owners = await deadLine(git, "k", LINE_LIMIT);
    const free = await cli(["break", "k", "--reason", "nobody gets it"], { env });
    expect(free.stdout).toBe(
      `k was free\n${LINE_LIMIT} claims stand in its line; to remove those that may be dead: holdfast break k --line --reason TEXT\n`,
    );
    const broken = await cli(["break", "k", "--line", "--reason", "all runners died"], { env });
    expect(broken).toMatchObject({ code: 0 });
    for (const owner of owners) expect(broken.stdout).toContain(`${owner} was removed`);
    expect(await lineOf(git, "k")).toEqual([]);
    expect(await cli(["run", "k", "--timeout", "0", "--", ...program("")], { env })).toMatchObject({
      code: 0,
    });
  });

  test("clean watches it for one patience, and says whom it removes", async () => {
    const { git, env } = await served();
    const owners = await deadLine(git, "k", 5);
    const cleaned = await cli(["clean", "--json"], { env });
    expect(cleaned.code, cleaned.stderr).toBe(0);
    const removed = json<{ removed: { why: string }[] }>(cleaned).removed.map(({ why }) => why);
    expect(removed).toEqual(owners.map((owner) => expect.stringContaining(owner)));
    expect(await lineOf(git, "k")).toEqual([]);
  });
});
