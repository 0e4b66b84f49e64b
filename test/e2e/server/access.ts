import { lstatSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../helpers/directories.ts";
import { unusedPort } from "../../helpers/ports.ts";
import type { ServerProcess } from "../../helpers/server/server.ts";
import { idle, saysNothing, succeeds, verify } from "../jobs.ts";
import { type Door, startServed, storeAt } from "../places.ts";
import { gateStep, type JobReport } from "../runner/start-job.ts";
import { filesIn, leaseDirectoryOf, openScene, ownerOf } from "../scene.ts";

const SECRET = "s3cr3t-of-the-lock-server";

/** How a job gets to a lock server, or does not. */
export function access(door: Door): void {
  test("a server's token: accepted, in the lease file alone, in no log, state or output", async () => {
    const server = await startTokenServer(door);
    const scene = openScene({ store: storeAt(door, server), token: SECRET });
    const lock = scene.lock({ token: SECRET });
    const status = { id: "status", run: ["holdfast", "status", "production"] };
    const job = scene.job({ steps: [lock, verify, status, gateStep("deploy")] });
    const gate = await job.gate("deploy");
    const [leaseFile, ...others] = filesIn(scene.directory)
      .map((name) => join(scene.directory, name))
      .filter((path) => !path.endsWith("job.json") && lstatSync(path).isFile())
      .filter((path) => readFileSync(path).includes(SECRET));
    expect(others).toEqual([]);
    expect(leaseFile).toContain(leaseDirectoryOf(job));
    expect(lstatSync(leaseFile as string).mode & 0o777).toBe(0o600);
    expect(await scene.holders()).toEqual([ownerOf(job)]);
    gate.open();
    const report = await succeeds(job);
    saysNothing(report);
    // The step was given no token: it is in the lease.
    expect(report.log("status")).toMatch(new RegExp(`^ +owner +${ownerOf(job)}$`, "m"));
    // The mask itself is the one line that has to name it.
    const lines = job.events.map((event) => JSON.stringify(event));
    const telling = lines.filter((line) => line.includes(SECRET) && !line.includes("::add-mask::"));
    expect(telling).toEqual([]);
    expect(report.log()).not.toContain(SECRET);
    expect(server.stderr()).not.toContain(SECRET);
    await scene.isTidy();
  });

  test("a wrong token, or none: pre fails and says which server asks for one", async () => {
    const server = await startTokenServer(door);
    const scene = openScene({ store: storeAt(door, server), token: SECRET });
    const cases = [
      [{ token: "wr0ng-of-the-lock-server" }, /does not accept the token/],
      [{}, /asks for a token/],
    ] as const;
    for (const [inputs, sentence] of cases) {
      const report = await scene.job({ steps: [scene.lock(inputs), idle("deploy")] }).finished;
      failsInPre(report, sentence, scene.store);
      expect(report.log()).not.toMatch(/wr0ng|s3cr3t/);
    }
    await scene.isTidy();
  });

  test("a server that cannot be reached: pre fails and names it, also where the lock is not required", async () => {
    const scene = openScene({ store: `${door}://127.0.0.1:${await unusedPort()}` });
    for (const required of ["true", "false"]) {
      const steps = [scene.lock({ required }), idle("deploy")];
      failsInPre(await scene.job({ steps }).finished, /cannot be reached/, scene.store);
    }
    await scene.isTidy([]);
  });
}

function failsInPre(report: JobReport, sentence: RegExp, store: string): void {
  expect(report.result).toBe("failure");
  expect(report.stage("lock", "pre").code).toBe(1);
  expect(report.skipped).toEqual(["lock main", "deploy main"]);
  expect(report.stage("lock", "post").code).toBe(0);
  expect(report.annotations("error")).toHaveLength(1);
  expect(report.annotations("error")[0]).toMatch(sentence);
  expect(report.annotations("error")[0]).toContain(store);
}

function startTokenServer(door: Door): Promise<ServerProcess> {
  const file = join(temporaryDirectory(), "token");
  writeFileSync(file, `${SECRET}\n`, { mode: 0o600 });
  return startServed(door, ["--auth-token-file", file]);
}
