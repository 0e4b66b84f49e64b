import { describe, expect, test } from "vitest";
import { cli, json, startCli } from "../../../../helpers/cli/cli.ts";
import { hold } from "../../../../helpers/cli/holding.ts";
import { KINDS, storeOfKind } from "../../../../helpers/cli/stores.ts";

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const WHO = { HOLDFAST_USER: "ann" };

describe("freeze and thaw", () => {
  test.each(KINDS)("a frozen key of a %s is nobody's, until it is thawed", async (kind) => {
    const at = { env: { HOLDFAST_STORE: await storeOfKind(kind) } };
    const ann = { env: { ...at.env, ...WHO } };
    expect(json(await cli(["status", "k", "--json"], at))).toMatchObject({ frozen: null });

    const frozen = await cli(["freeze", "k", "--reason", "incident 42", "--for", "2h"], ann);
    expect(frozen.code).toBe(0);
    expect(frozen.stdout).toMatch(
      /^k is frozen by ann@\S+: incident 42, until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n$/,
    );
    expect(frozen.stderr).toBe("holdfast: to end the freeze: holdfast thaw k\n");

    const status = await cli(["status", "k", "--exit-code"], at);
    expect(status.code).toBe(1);
    expect(status.stdout).toMatch(/^k in \S+: free, frozen\n {2}frozen by ann@\S+: incident 42/);
    expect(status.stdout).toContain("To end it: holdfast thaw k");
    expect(json(await cli(["status", "k", "--json"], at))).toMatchObject({
      frozen: {
        by: expect.stringMatching(/^ann@/),
        reason: "incident 42",
        since: ISO,
        until: ISO,
      },
    });
    expect((await cli(["list"], at)).stdout).toMatch(
      /^k {2}frozen {2}free; frozen by ann@\S+: incident 42/,
    );

    const atOnce = await cli(["run", "k", "--timeout", "0", "--", "echo", "ran"], at);
    expect(atOnce).toMatchObject({ code: 124, stdout: "" });
    expect(atOnce.stderr).toMatch(/not acquired at once: frozen by ann@.*incident 42/);

    const waits = startCli(["run", "k", "--", "echo", "ran"], at);
    await waits.prints(/waiting for k: 1st in line; frozen by ann@\S+: incident 42/, "stderr");
    // A second freeze replaces the first, and one thaw ends it.
    const again = await cli(["freeze", "k", "--reason", "still", "--json"], ann);
    expect(json(again)).toMatchObject({ key: "k", frozen: { reason: "still", until: null } });
    expect(json(await cli(["thaw", "k", "--json"], at))).toMatchObject({
      key: "k",
      store: at.env.HOLDFAST_STORE,
      thawed: { reason: "still" },
    });
    expect(await waits.ended).toMatchObject({ code: 0, stdout: "ran\n" });
    expect((await cli(["thaw", "k"], at)).stdout).toBe("k was not frozen\n");
    expect((await cli(["status", "k", "--exit-code", "--quiet"], at)).code).toBe(0);
  });

  test("who holds it goes on to the end", async () => {
    const at = { env: { HOLDFAST_STORE: await storeOfKind("repository") } };
    const holder = await hold(at);
    const frozen = await cli(["freeze", "k", "--reason", "incident 42"], at);
    expect(frozen.stderr).toMatch(/^holdfast: its holder goes on to the end; to end the freeze: /);
    const status = await cli(["status", "k"], at);
    expect(status.stdout).toMatch(
      /: held, frozen\n {2}frozen by .*: incident 42, until it is thawed\n {4}since {6}\S+Z \(\S+\)\n/,
    );
    expect(status.stdout).not.toContain("turn of a new claim");
    holder.process.stdin?.end();
    expect((await holder.ended).code).toBe(0);
  });

  test("in CI the job is named, and a store that cannot freeze says what to use", async () => {
    const at = { env: { HOLDFAST_STORE: await storeOfKind("repository") } };
    const ci = { CI: "true", CI_SYSTEM: "acme-ci", CI_RUN_ID: "7" };
    const { stdout } = await cli(["freeze", "k", "--reason", "r"], { env: { ...at.env, ...ci } });
    expect(stdout).toMatch(/^k is frozen by ci-acme-ci-7: r,/);
    const server = startCli(["serve", "--port", "0"]);
    const [, port] = await server.prints(/listening tcp 127\.0\.0\.1:(\d+)/);
    const store = ["--store", `tcp://127.0.0.1:${port}`];
    for (const args of [
      ["freeze", "k", "--reason", "r"],
      ["thaw", "k"],
    ]) {
      const refused = await cli([...args, ...store, "--json"]);
      expect(refused.code).toBe(2);
      expect(json(refused)).toMatchObject({ error: { code: "NOT_SUPPORTED" } });
      expect(refused.stderr).toMatch(/tcp:.*http/);
    }
  });
});
