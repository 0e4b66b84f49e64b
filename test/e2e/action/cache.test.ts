import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type CacheService, type Entry, startCacheService } from "../../helpers/cache-service.ts";
import { temporaryDirectory } from "../../helpers/directories.ts";
import { gateStep, type JobReport } from "../runner/start-job.ts";
import { ACTION, filesIn, KEY, openScene, ownerOf, type Scene } from "../scene.ts";

/** `history: cache`: a memory beside a store that has none. It is never in the way. */

const FILE = "holdfast-history.json";

interface Saved {
  version: number;
  key: string;
  holds: { owner: string; held: number; metadata: object }[];
}

/** One whole job. */
function job(scene: Scene, env: Record<string, string>, inputs: Record<string, string> = {}) {
  return scene.job({ steps: [scene.lock({ history: "cache", ...inputs })], env });
}

/** The lock worked as always, and nothing of the cache's troubles is to be seen but in debug lines. */
function worked(report: JobReport): void {
  expect(report.result).toBe("success");
  expect(report.stage("lock").outputs).toMatchObject({ acquired: "true", key: KEY });
  expect(report.annotations("error")).toEqual([]);
  expect(report.annotations("warning")).toEqual([]);
  expect(report.log()).not.toMatch(/^(?!::debug::).*cache/im);
}

function unpack(entry: Entry): Saved {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "archive"), entry.content);
  const unpacked = spawnSync("tar", ["-xf", "archive"], { cwd: directory, encoding: "utf8" });
  expect(unpacked.stderr).toBe("");
  return JSON.parse(readFileSync(join(directory, FILE), "utf8")) as Saved;
}

/** Another text in the same kind of archive. */
function repack(entry: Entry, text: string): void {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, FILE), text);
  const isGzip = entry.content[0] === 0x1f;
  const args = [isGzip ? "-czf" : "--zstd", ...(isGzip ? [] : ["-cf"]), "archive", FILE];
  expect(spawnSync("tar", args, { cwd: directory }).status).toBe(0);
  entry.content = readFileSync(join(directory, "archive"));
}

describe("a memory in the cache", () => {
  test("is saved by one job and used by the next", async () => {
    const scene = openScene();
    const service = await startCacheService();
    const env = service.environment();
    const owners: string[] = [];
    for (let time = 0; time < 3; time++) {
      const run = job(scene, env);
      worked(await run.finished);
      owners.unshift(ownerOf(run));
    }
    // Entries cannot be changed: each job has made one of its own, all of one beginning.
    expect(new Set(service.entries.map(({ key }) => key)).size).toBe(3);
    const beginnings = service.entries.map(({ key }) => key.split("-").slice(0, 4).join("-"));
    expect(new Set(beginnings).size).toBe(1);
    expect(beginnings[0]).toMatch(/^holdfast-history-1-[0-9a-f]{24}$/);
    const saved = unpack(service.entries[2] as Entry);
    expect(saved.holds.map(({ owner }) => owner)).toEqual(owners);
    // No more of a run than an estimate needs: others may read the repository's caches.
    expect(Object.keys(saved.holds[0]?.metadata ?? {}).sort()).toEqual(
      ["job", "repository", "run_url", "workflow"].sort(),
    );

    const holder = scene.job({ steps: [scene.lock({ history: "off" }), gateStep("deploy")], env });
    const gate = await holder.gate("deploy");
    const waiter = job(scene, env);
    // On a busy machine the first line may come before the cache has answered; then another follows.
    await waiter.logged("lock", /1st in line; your turn .*; held by .*, usually (?:under )?\d/);
    gate.open();
    const report = await waiter.finished;
    worked(report);
    expect(report.stage("lock", "post").summary).toMatch(
      /\| Usually held \| .* \(in 3 holds before\) \|/,
    );
    expect(service.entries).toHaveLength(4);
    await scene.isTidy();
    const left = filesIn(join(waiter.description.directory, "_temp"));
    expect(left.filter((name) => name.includes("holdfast-cache"))).toEqual([]);
  });

  test("a job that does not wait asks for it only once the lock is released", async () => {
    const scene = openScene();
    const service = await startCacheService();
    const run = scene.job({
      steps: [scene.lock({ history: "cache" }), gateStep("deploy")],
      env: service.environment(),
    });
    const gate = await run.gate("deploy");
    expect(service.calls).toEqual([]);
    gate.open();
    worked(await run.finished);
    expect(service.calls).toEqual([
      "GetCacheEntryDownloadURL",
      "CreateCacheEntry",
      "PUT blob",
      "FinalizeCacheEntryUpload",
    ]);
    await scene.isTidy();
  });

  test("a branch sees what the default branch saved, and not what another branch did", async () => {
    const scene = openScene();
    const service = await startCacheService();
    for (const branch of ["main", "one", "two"]) {
      worked(await job(scene, service.environment(branch)).finished);
    }
    expect(service.entries.map((entry) => unpack(entry).holds.length)).toEqual([1, 2, 2]);
  });

  test("of another key, or the same key in another store, is another memory", async () => {
    const scene = openScene();
    const service = await startCacheService();
    const env = service.environment();
    worked(await job(scene, env).finished);
    const other = await job(scene, env, { key: "other" }).finished;
    expect(other.result).toBe("success");
    worked(await job(scene, env, { store: join(scene.directory, "elsewhere") }).finished);
    expect(service.entries.map((entry) => unpack(entry).holds.length)).toEqual([1, 1, 1]);
  });
});

/** A job that waits for a lock, and lets it go, with a cache in that state. */
async function contended(env: Record<string, string>) {
  const scene = openScene();
  const holder = scene.job({ steps: [scene.lock({ history: "off" }), gateStep("deploy")] });
  const gate = await holder.gate("deploy");
  const waiter = job(scene, env);
  const { line } = await waiter.logged("lock", /1st in line/);
  gate.open();
  const report = await waiter.finished;
  worked(report);
  await scene.isTidy();
  return { report, line };
}

/** The debug lines of the cache's troubles. */
function debugLines(report: JobReport): string {
  return report.log("lock", "post").replace(/^(?!::debug::).*\n/gm, "");
}

describe("the lock works the same", () => {
  test("where there is no service", async () => {
    const service = await startCacheService();
    const env = service.environment();
    await service.close();
    const { report, line } = await contended(env);
    expect(line).not.toContain("your turn");
    expect(debugLines(report)).toContain("history cache");
  });

  test("where the runner offers no cache", async () => {
    const { report } = await contended({});
    expect(debugLines(report)).toContain("history cache: this runner offers no cache");
  });

  test.each(["denied", "failing", "silent"] as const)("where the service is %s", async (mood) => {
    const service = await startCacheService();
    service.mood = mood;
    const { report, line } = await contended(service.environment());
    expect(line).not.toContain("your turn");
    expect(debugLines(report)).toContain("history cache");
    expect(service.calls).toContain("GetCacheEntryDownloadURL");
    const [from, to] = [report.stage("lock", "main").at, report.stage("lock", "post").at];
    // Five seconds for the cache; the rest is for a machine that is busy with something else.
    expect(to - from).toBeLessThan(20_000);
  });

  const corruptions: [string, (entry: Entry, service: CacheService) => void][] = [
    [
      "an archive that is none",
      (entry) => {
        entry.content = Buffer.from("garbage");
      },
    ],
    [
      "an empty archive",
      (entry) => {
        entry.content = Buffer.alloc(0);
      },
    ],
    ["a file that is no JSON", (entry) => repack(entry, "{half a")],
    ["a file of JSON that is something else", (entry) => repack(entry, "[null]")],
    [
      "a file of another version",
      (entry) => repack(entry, JSON.stringify({ ...unpack(entry), version: 2 })),
    ],
    [
      "a file of another key",
      (entry) => repack(entry, JSON.stringify({ ...unpack(entry), key: "x" })),
    ],
    [
      "holds that are none",
      (entry) => repack(entry, JSON.stringify({ ...unpack(entry), holds: [1, { held: -1 }] })),
    ],
  ];

  test.each(corruptions)("with %s, which the next save replaces", async (_, corrupt) => {
    const scene = openScene();
    const service = await startCacheService();
    worked(await job(scene, service.environment()).finished);
    corrupt(service.entries[0] as Entry, service);
    const next = job(scene, service.environment());
    worked(await next.finished);
    expect(service.entries).toHaveLength(2);
    const { holds } = unpack(service.entries[1] as Entry);
    expect(holds.map(({ owner }) => owner)).toEqual([ownerOf(next)]);
    await scene.isTidy();
  });
});

test("auto and off load no cache code, and ask no service", async () => {
  const scene = openScene();
  const service = await startCacheService();
  const action = join(scene.directory, "action");
  mkdirSync(action);
  for (const part of ["action.yml", "dist"]) {
    cpSync(join(ACTION, part), join(action, part), { recursive: true });
  }
  rmSync(join(action, "dist", "cache"), { recursive: true });
  const env = service.environment();
  for (const history of ["auto", "off"]) {
    const step = scene.lock({ history }, { uses: action });
    const report = await scene.job({ steps: [step], env }).finished;
    worked(report);
    expect(debugLines(report)).not.toContain("history cache");
  }
  expect(service.calls).toEqual([]);
  // Where it is asked for, its absence shows: so it would have shown above.
  const asked = await scene.job({
    steps: [scene.lock({ history: "cache" }, { uses: action })],
    env,
  }).finished;
  worked(asked);
  expect(debugLines(asked)).toMatch(/history cache: The program .* is missing/);
  await scene.isTidy();
});
