import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { cli, json } from "../../../../helpers/cli/cli.ts";
import { hold, type Store, store } from "../../../../helpers/cli/holding.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";

/** A script of its own, which lives as long as the test. */
function script(): { at: Store & { env: { RUNNER_TEMP: string } }; acquire: string[] } {
  const at = { env: { ...store().env, RUNNER_TEMP: temporaryDirectory() } };
  return { at, acquire: ["acquire", "--until-pid", String(process.pid)] };
}

async function keysHeld(at: Store): Promise<string[]> {
  const { keys: found } = json<{ keys: { key: string }[] }>(await cli(["list", "--json"], at));
  return found.map(({ key }) => key).sort();
}

describe("acquire KEY --also KEY", () => {
  test("one keeper and one lease file for all; verify and release take all of them", async () => {
    const { at, acquire } = script();
    const ended = await cli([...acquire, "web", "--also", "db", "--also", "web", "--json"], at);
    expect(ended.code).toBe(0);
    const lease = json<{ lease: string; fence: number; fences: Record<string, number> }>(ended);
    expect(lease).toMatchObject({
      key: "web",
      fences: { web: lease.fence, db: expect.any(Number) },
    });
    expect(Object.keys(lease.fences)).toHaveLength(2);
    expect(await keysHeld(at)).toEqual(["db", "web"]);
    expect((await cli(["verify", "--lease", lease.lease], at)).code).toBe(0);
    const byFence = ["verify", "--lease", lease.lease, "--fence", String(lease.fences.db)];
    expect((await cli(byFence, at)).code).toBe(0);
    const again = await cli([...acquire, "x", "--also", "db"], at);
    expect(again.code).toBe(2);
    expect(again.stderr).toMatch(/already holds "db"/);
    const released = await cli(["release", "db"], at);
    expect([released.code, released.stderr]).toEqual([
      0,
      'holdfast: "web" and "db" were released.\n',
    ]);
    expect(await keysHeld(at)).toEqual([]);
    expect(existsSync(lease.lease)).toBe(false);
  });

  test("not all in time is none, and no keeper", async () => {
    const { at, acquire } = script();
    await hold(at, ["--owner", "first"], "b");
    const late = await cli([...acquire, "a", "--also", "b", "--timeout", "300ms"], at);
    expect(late).toMatchObject({ code: 1, stdout: "" });
    expect(late.stderr).toMatch(/waiting for b: 1st in line; held by first/);
    expect(late.stderr).toMatch(
      /"b" was not acquired.*The 300ms are for both keys. This claim holds neither.*status b/s,
    );
    expect(await keysHeld(at)).toEqual(["b"]);
  });

  test("one that is lost is named, and release lets go of the rest", async () => {
    const { at, acquire } = script();
    const ended = await cli([...acquire, "a", "--also", "b"], at);
    const path = ended.stdout.trim();
    await cli(["break", "b", "--reason", "enough"], at);
    await expect
      .poll(async () => (await cli(["verify", "--lease", path], at)).stderr, { timeout: 30_000 })
      .toMatch(/not held.*"b".*enough/);
    expect(await keysHeld(at)).toEqual(["a"]);
    const released = await cli(["release", "--lease", path], at);
    expect([released.code, released.stderr]).toEqual([
      0,
      expect.stringMatching(/^holdfast: "b" was already gone: .*enough/),
    ]);
    expect(await keysHeld(at)).toEqual([]);
  });
});
