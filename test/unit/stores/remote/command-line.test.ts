import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { KeyStatus } from "../../../../src/lock/status.ts";
import { cli, json, program, startCli, UNTIL_INPUT_ENDS } from "../../../helpers/cli/cli.ts";
import { temporaryDirectory } from "../../../helpers/directories.ts";
import { isAlive, type Running } from "../../../helpers/processes.ts";
import { Network } from "../../../helpers/tcp/network.ts";
import { until } from "../../../helpers/waiting.ts";

/** Says ready with its pid, ends politely when it is told to. */
const POLITE = program(
  `process.on("SIGTERM", () => process.exit(0)); setInterval(() => {}, 1_000); console.log("ready", process.pid);`,
);

interface Scene {
  readonly server: Running;
  readonly url: string;
  readonly env: NodeJS.ProcessEnv;
}

// The store is the only difference to a lock directory.
describe.each(["tcp", "http"] as const)("the command line with a lock server over %s", (door) => {
  /** `holdfast serve`, and the environment of commands that use it. */
  async function serve(...options: string[]): Promise<Scene> {
    const http = door === "http" ? ["--http-port", "0"] : [];
    const server = startCli(["serve", "--port", "0", ...http, ...options]);
    const [, address] = await server.prints(new RegExp(`^listening ${door} (\\S+)\n`, "m"));
    const url = `${door}://${address}`;
    return { server, url, env: { HOLDFAST_STORE: url, RUNNER_TEMP: temporaryDirectory() } };
  }

  test("a token that may only look is told so, in the same words through both doors", async () => {
    const directory = temporaryDirectory();
    const [full, look] = ["full", "look"].map((name) => join(directory, name)) as [string, string];
    writeFileSync(full, "full-secret", { mode: 0o600 });
    writeFileSync(look, "look-secret", { mode: 0o600 });
    const { env } = await serve("--auth-token-file", full, "--read-token-file", look);
    const reader = { env: { ...env, HOLDFAST_TOKEN: "look-secret" } };
    const ended = await cli(["run", "k", "--timeout", "5", "--", "echo", "ran"], reader);
    expect(ended).toMatchObject({ code: 125, stdout: "" });
    expect(ended.stderr).toContain(
      "That token may only look: to claim, break, freeze or thaw, use the server's own token.",
    );
    expect(ended.stderr).not.toContain("look-secret");
  });

  test("run takes the lock, tells its command the fence, and lets go", async () => {
    const { url, env } = await serve();
    const show = program(
      `console.log(process.env.HOLDFAST_STORE, process.env.HOLDFAST_FENCE); process.exit(7);`,
    );
    const ended = await cli(["run", "production", "--", ...show], { env });
    expect(ended.code).toBe(7);
    expect(ended.stdout).toMatch(new RegExp(`^${url} \\d{16}\n$`));
    expect(json(await cli(["list", "--json"], { env }))).toMatchObject({ keys: [] });
  });

  test("run waits for its turn, and says for whom", async () => {
    const { env } = await serve();
    const first = startCli(["run", "k", "--owner", "ahead", "--", ...UNTIL_INPUT_ENDS], { env });
    await first.prints(/ready/);
    const second = startCli(["run", "k", "--owner", "behind", "--", "echo", "in"], { env });
    await second.prints(/1st in line; held by ahead/, "stderr");
    const status = json<KeyStatus>(await cli(["status", "k", "--json"], { env }));
    expect(status).toMatchObject({ waiting: 1, waiters: [{ owner: "behind", position: 1 }] });
    first.process.stdin?.end();
    expect(await second.ended).toMatchObject({ code: 0, stdout: "in\n" });
  });

  test("run gives up in time with 124, and leaves with a signal", async () => {
    const { env } = await serve();
    const first = startCli(["run", "k", "--owner", "ahead", "--", ...UNTIL_INPUT_ENDS], { env });
    await first.prints(/ready/);
    const late = await cli(["run", "k", "--timeout", "300ms", "--", "echo", "in"], { env });
    expect(late).toMatchObject({ code: 124, stdout: "" });
    expect(late.stderr).toContain("held by ahead");
    const waiting = startCli(["run", "k", "--", "echo", "in"], { env });
    await waiting.prints(/in line/, "stderr");
    waiting.kill("SIGTERM");
    expect((await waiting.ended).code).toBe(128 + 15);
    const status = json<KeyStatus>(await cli(["status", "k", "--json"], { env }));
    expect(status).toMatchObject({ waiting: 0 });
  });

  test("acquire leaves a keeper, which verify, status, list and release know", async () => {
    const { url, env } = await serve();
    const options = ["--until-pid", String(process.pid), "--owner", "me", "--note", "v1.2.3"];
    const acquired = await cli(["acquire", "production", ...options], { env });
    expect(acquired).toMatchObject({ code: 0, stderr: "" });
    const lease = acquired.stdout.trim();
    const { fence, token } = JSON.parse(readFileSync(lease, "utf8"));

    expect((await cli(["verify", "--lease", lease], { env })).code).toBe(0);
    expect((await cli(["verify", "production"], { env })).code).toBe(0);
    expect((await cli(["verify", "production", "--fence", `${fence}`], { env })).code).toBe(0);
    expect((await cli(["verify", "production", "--fence", `${fence - 1}`], { env })).code).toBe(1);
    const status = await cli(["status", "production", "--json"], { env });
    expect(json<KeyStatus>(status)).toMatchObject({
      key: "production",
      store: url,
      slots: 1,
      holders: [{ owner: "me", fence, note: "v1.2.3", alive: true }],
    });
    expect((await cli(["status", "production", "--exit-code"], { env })).code).toBe(1);
    expect(json<KeyStatus>(await cli(["list", "--json"], { env }))).toMatchObject({
      keys: [json(status)],
    });
    expect(status.stdout).not.toContain(token);

    const released = await cli(["release", "production"], { env });
    expect(released).toMatchObject({ code: 0 });
    expect(released.stderr).toContain("was released");
    expect((await cli(["verify", "production", "--fence", `${fence}`], { env })).code).toBe(1);
    expect((await cli(["release", "production"], { env })).code).toBe(0);
  });

  test("a keeper that was killed has lost the lock, at once or when its lease is over", async () => {
    const { env } = await serve();
    const options = ["--until-pid", String(process.pid), "--dead-after", "4s"];
    const lease = (await cli(["acquire", "k", ...options], { env })).stdout.trim();
    const { keeper } = JSON.parse(readFileSync(lease, "utf8"));
    process.kill(keeper.pid, "SIGKILL");
    const next = await cli(["run", "k", "--timeout", "20s", "--", "echo", "in"], { env });
    expect(next).toMatchObject({ code: 0, stdout: "in\n" });
    expect((await cli(["verify", "--lease", lease], { env })).code).toBe(1);
    const released = await cli(["release", "--lease", lease], { env });
    expect(released.stderr).toContain("already gone");
  });

  test("the server is killed: the command is stopped within the lease, and run exits with 123", async () => {
    const { env, server } = await serve();
    const run = startCli(["run", "k", "--dead-after", "6s", "--", ...POLITE], { env });
    const [, pid] = await run.prints(/ready (\d+)/);
    const start = performance.now();
    server.kill("SIGKILL");
    const ended = await run.ended;
    expect(ended.code).toBe(123);
    expect(ended.stderr).toContain("was lost");
    expect(performance.now() - start).toBeLessThan(6_000);
    await until(() => !isAlive(Number(pid)));
  });

  test("the server is killed: the keeper tells the job", async () => {
    const { env, server } = await serve();
    const options = ["--until-pid", String(process.pid), "--dead-after", "3s"];
    const lease = (await cli(["acquire", "k", ...options], { env })).stdout.trim();
    server.kill("SIGKILL");
    await until(() => JSON.parse(readFileSync(lease, "utf8")).state === "lost");
    const verified = await cli(["verify", "--lease", lease], { env });
    expect(verified.code).toBe(1);
    expect(verified.stderr).toContain("could not be renewed");
    expect((await cli(["release", "--lease", lease], { env })).code).toBe(0);
  });

  test.runIf(door === "tcp")("break says what to do instead", async () => {
    const { env } = await serve();
    const run = startCli(["run", "k", "--owner", "me", "--", ...UNTIL_INPUT_ENDS], { env });
    await run.prints(/ready/);
    const broken = await cli(["break", "k", "--reason", "a test", "--json"], { env });
    expect(broken.code).toBe(2);
    expect(json(broken)).toMatchObject({ error: { code: "NOT_SUPPORTED" } });
    expect(broken.stderr).toContain("end its holder me");
  });

  test.runIf(door === "http")(
    "break takes the lock: run stops its command and exits with 123",
    async () => {
      const { env, server } = await serve();
      const run = startCli(["run", "k", "--owner", "me", "--dead-after", "3s", "--", ...POLITE], {
        env,
      });
      await run.prints(/ready/);
      const broken = await cli(["break", "k", "--reason", "a test of ours"], { env });
      expect(broken).toMatchObject({ code: 0 });
      expect(broken.stdout).toContain("k was taken away; it was held by me");
      expect((await run.ended).code).toBe(123);
      expect(server.stderr()).toContain("a test of ours");
      expect((await cli(["break", "k", "--reason", "again"], { env })).stdout).toBe("k was free\n");
    },
  );

  test("a token from the environment opens the server, and is printed nowhere", async () => {
    const file = join(temporaryDirectory(), "token");
    writeFileSync(file, "hush-hush\n", { mode: 0o600 });
    const { env, server } = await serve("--auth-token-file", file);
    const known = { env: { ...env, HOLDFAST_TOKEN: "hush-hush" } };
    expect((await cli(["run", "k", "--", "true"], known)).code).toBe(0);
    const refused = await cli(["run", "k", "--json", "--", "true"], { env });
    expect(refused.code).toBe(125);
    expect(json(refused)).toMatchObject({ error: { code: "STORE_DENIED" } });
    const wrong = await cli(["run", "k", "--", "true"], {
      env: { ...env, HOLDFAST_TOKEN: "no-no" },
    });
    expect(wrong.code).toBe(125);
    expect(wrong.stderr + server.stderr() + refused.stderr).not.toMatch(/hush-hush|no-no/);
  });

  test("a server that is not there: 125 from run, 2 from the others", async () => {
    const env = { HOLDFAST_STORE: `${door}://127.0.0.1:1`, RUNNER_TEMP: temporaryDirectory() };
    const run = await cli(["run", "k", "--", "true"], { env });
    expect(run).toMatchObject({ code: 125 });
    expect(run.stderr).toContain(`${door}://127.0.0.1:1 cannot be reached`);
    for (const command of [["acquire", "k"], ["status", "k"], ["list"]]) {
      expect((await cli(command, { env })).code).toBe(2);
    }
  });

  test("a command that does not stop is killed before the next holder comes, when the network is cut", async () => {
    const { url, env } = await serve();
    const network = await Network.start(() => Number(new URL(url).port));
    const stubborn = program(
      `process.on("SIGTERM", () => {}); setInterval(() => {}, 1_000); console.log("ready", process.pid);`,
    );
    const options = ["--dead-after", "6s", "--grace", "60s"];
    const HOLDFAST_STORE = `${door}://127.0.0.1:${network.port}`;
    const run = startCli(["run", "k", ...options, "--", ...stubborn], {
      env: { ...env, HOLDFAST_STORE },
    });
    const [, pid] = await run.prints(/ready (\d+)/);
    const heir = startCli(["run", "k", "--", "echo", "in"], { env });
    await heir.prints(/1st in line/, "stderr");
    let aliveAtGrant: boolean | null = null;
    const granted = heir.prints(/^in\n/).then(() => {
      aliveAtGrant = isAlive(Number(pid));
    });
    network.cut();
    expect((await run.ended).code).toBe(123);
    await granted;
    expect(aliveAtGrant).toBe(false);
    expect(run.stderr()).toMatch(/gets SIGTERM, and SIGKILL after [1-5]s/);
    network.heal();
  });

  test("a later step of a job needs no token: its lease has it", async () => {
    const token = join(temporaryDirectory(), "token");
    writeFileSync(token, "s3cret-of-the-server");
    const { env } = await serve("--auth-token-file", token);
    const claiming = { ...env, HOLDFAST_TOKEN: "s3cret-of-the-server" };
    const acquired = await cli(["acquire", "k", "--until-pid", String(process.pid)], {
      env: claiming,
    });
    const HOLDFAST_LEASE = acquired.stdout.trim();
    const later = { env: { ...env, HOLDFAST_LEASE, HOLDFAST_KEY: "k" } };
    const status = await cli(["status"], later);
    expect(status.stderr).toBe("");
    expect(status.stdout).toMatch(/held by \S+, pid \d+ on /);
    expect((await cli(["status", "k"], { env })).stderr).toContain("HOLDFAST_TOKEN");
    expect((await cli(["release"], later)).code).toBe(0);
  });
});
