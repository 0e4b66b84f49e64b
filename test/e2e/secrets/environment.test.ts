import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type KeptLease, readLeaseFile } from "../../../src/keeper/lease-file.ts";
import { startCacheService } from "../../helpers/cache-service.ts";
import { cli } from "../../helpers/cli/cli.ts";
import { temporaryDirectory } from "../../helpers/directories.ts";
import { isAlive } from "../../helpers/processes.ts";
import { until } from "../../helpers/waiting.ts";
import { onEveryEngine } from "../engines/engines.ts";
import { gateStep } from "../runner/start-job.ts";
import { trackedProcesses } from "../runner/tracking.ts";
import { KEY, leaseOf, openScene } from "../scene.ts";

/** What every later step of a job can read of a keeper: its environment and its command line. */

/** Every secret that the documents know, and those that a job's `env:` may hold. */
const PLANTED = {
  HOLDFAST_TOKEN: "planted-holdfast",
  ACTIONS_RUNTIME_TOKEN: "planted-runtime",
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: "planted-id-token",
  GITHUB_TOKEN: "planted-github",
  GH_TOKEN: "planted-gh",
  PGPASSWORD: "planted-postgres",
  REDISCLI_AUTH: "planted-redis",
  AWS_ACCESS_KEY_ID: "planted-access-key",
  AWS_SECRET_ACCESS_KEY: "planted-secret-key",
  AWS_SESSION_TOKEN: "planted-session",
  HTTPS_PROXY: "http://ci:planted-proxy@127.0.0.1:9",
  NPM_TOKEN: "planted-npm",
  DEPLOY_KEY: "planted-deploy",
};

function shownBy(pid: number): string {
  return ["environ", "cmdline"]
    .map((name) => readFileSync(`/proc/${pid}/${name}`, "latin1").replaceAll("\0", "\n"))
    .join("\n");
}

/** The names of a process's variables, as `/proc` tells them. */
function namesOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/environ`, "latin1")
    .split("\0")
    .flatMap((line) => (line === "" ? [] : (line.split("=")[0] ?? [])))
    .sort();
}

describe("a keeper's environment", () => {
  test.each(["pre", "main"])("of the action, started by %s", async (stage) => {
    const scene = openScene();
    const lock = scene.lock({ token: "planted-input", stage }, { env: PLANTED });
    const job = scene.job({ steps: [lock, gateStep("deploy")] });
    const gate = await job.gate("deploy");
    const { pid } = leaseOf(job).keeper;
    expect(shownBy(pid)).not.toContain("planted");
    expect(namesOf(pid)).toEqual(["PATH", "RUNNER_TRACKING_ID"]);
    gate.open();
    expect((await job.finished).result).toBe("success");
    await scene.isTidy();
  });

  test("of the program that talks to the Actions cache while a job waits", async () => {
    const scene = openScene();
    const service = await startCacheService();
    const env = { ...PLANTED, ...service.environment(), ACTIONS_RUNTIME_TOKEN: "e30.planted.x" };
    const holder = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
    const gate = await holder.gate("deploy");
    const inputs = { history: "cache", token: "planted-input" };
    const waiter = scene.job({ steps: [scene.lock(inputs, { env })] });
    await waiter.logged("lock", /waiting for production/);
    const { trackingId } = waiter.description;
    const find = () => trackedProcesses(trackingId).find(({ command }) => /cache/.test(command));
    await until(() => find() !== undefined);
    expect(shownBy(find()?.pid ?? 0)).not.toContain("planted");
    gate.open();
    for (const job of [holder, waiter]) expect((await job.finished).result).toBe("success");
    await scene.isTidy();
  });

  test("of holdfast acquire", async () => {
    const directory = temporaryDirectory();
    const env = { ...PLANTED, HOLDFAST_STORE: join(directory, "locks"), RUNNER_TEMP: directory };
    const acquired = await cli(["acquire", KEY, "--until-pid", String(process.pid)], { env });
    const { keeper } = readLeaseFile(acquired.stdout.trim()) as KeptLease;
    expect(shownBy(keeper.pid)).not.toContain("planted");
    expect((await cli(["release", KEY], { env })).code).toBe(0);
    await until(() => !isAlive(keeper.pid));
  });
});

onEveryEngine("a keeper's environment", (engine) => {
  test("has no password, in the URL, the token or the engine's own variables", async () => {
    const secured = await engine().protect?.();
    if (secured === undefined) throw new Error("the engine's helper has no password");
    const { password, token = password, variables = {}, fresh } = secured;
    const store = await fresh(false);
    const scene = openScene({ store, token });
    const own: Record<string, string> = store.startsWith("redis:")
      ? { REDISCLI_AUTH: password }
      : store.startsWith("postgres")
        ? { PGPASSWORD: password }
        : { HOLDFAST_TOKEN: token };
    const env = { ...own, ...variables } as Record<string, string>;
    const job = scene.job({ steps: [scene.lock({}, { env }), gateStep("deploy")] });
    const gate = await job.gate("deploy");
    const shown = shownBy(leaseOf(job).keeper.pid);
    expect(shown).not.toContain(password);
    expect(shown).not.toContain(encodeURIComponent(password));
    gate.open();
    expect((await job.finished).result).toBe("success");
    await scene.isTidy();
  });
});
