import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cli, environment, startCli } from "../../helpers/cli/cli.ts";
import { temporaryDirectory } from "../../helpers/directories.ts";
import type { Protected } from "../../helpers/engines/engine.ts";
import { gateStep } from "../runner/start-job.ts";
import { filesIn, KEY, openScene } from "../scene.ts";
import { onEveryEngine } from "./engines.ts";

/** The engine's password is in the memory of those that use it, and nowhere else. */

/** As it is, and as it stands in URLs. */
const formsOf = (password: string) => [password, encodeURIComponent(password)];

function filesWith(directory: string, text: string): string[] {
  return filesIn(directory).filter((name) => {
    const path = join(directory, name);
    // The job's own description names what the workflow gave it.
    return (
      !name.endsWith("job.json") && lstatSync(path).isFile() && readFileSync(path).includes(text)
    );
  });
}

/** Every process of this machine whose command line contains the text. */
function commandLinesWith(text: string): string[] {
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`).includes(text);
    } catch {
      return false;
    }
  });
}

onEveryEngine("its password", (engine) => {
  let secured: Protected | undefined;
  const protect = async (): Promise<Protected> => {
    secured ??= await engine().protect?.();
    if (secured === undefined) throw new Error("the engine's helper has no password");
    return secured;
  };

  it.for([
    ["in the URL", true],
    ["in the token", false],
  ] as const)(
    "is in no process list, file, state, log or variable of a job: %s",
    async ([, inUrl], { skip }) => {
      const { password, token = password, variables, fresh } = await protect();
      if (inUrl && variables !== undefined) return skip("its URL holds no password");
      const store = await fresh(inUrl);
      const scene = openScene({ store, token });
      const inputs = inUrl ? {} : { token };
      const commands = ["verify", "release"].map((line) => ({ id: line, run: ["holdfast", line] }));
      const show = { id: "show", run: [process.execPath, "-p", "JSON.stringify(process.env)"] };
      const job = scene.job({
        steps: [scene.lock(inputs), show, gateStep("deploy"), ...commands],
      });
      const gate = await job.gate("deploy");
      for (const form of formsOf(password)) {
        expect(filesWith(scene.directory, form)).toEqual([]);
        expect(commandLinesWith(form)).toEqual([]);
      }
      expect(await scene.holders()).toHaveLength(1);
      gate.open();
      const report = await job.finished;
      expect(report.result).toBe("success");
      for (const form of formsOf(password)) {
        for (const end of report.stages) expect(JSON.stringify(end)).not.toContain(form);
        for (const id of ["lock", "show", "verify", "release"])
          expect(report.log(id)).not.toContain(form);
      }
      await scene.isTidy();
    },
  );

  it("is not in what the command line prints and leaves behind, and its commands work without", async () => {
    const { password, variables, fresh } = await protect();
    const directory = temporaryDirectory();
    const env = { HOLDFAST_STORE: await fresh(true), RUNNER_TEMP: directory, ...variables };
    const until = ["--until-pid", String(process.pid)];
    const acquired = await cli(["acquire", KEY, "--json", ...until], { env });
    expect(acquired.code).toBe(0);
    const others = [
      await cli(["status", KEY, "--json"], { env }),
      await cli(["list"], { env }),
      await cli(["run", KEY, "--timeout", "0", "--", "true"], { env }),
      await cli(["verify", KEY], { env }),
    ];
    expect(others.map(({ code }) => code)).toEqual([0, 0, 125, 0]);
    for (const form of formsOf(password)) {
      expect(filesWith(directory, form)).toEqual([]);
      expect(commandLinesWith(form)).toEqual([]);
      for (const { stdout, stderr } of [acquired, ...others])
        expect(stdout + stderr).not.toContain(form);
    }
    expect((await cli(["release", KEY], { env })).code).toBe(0);
    // The command under the lock has the store without the password, whatever its parent had.
    const show = [process.execPath, "-p", "process.env.HOLDFAST_STORE"];
    const run = startCli(["run", KEY, "--", ...show], { env });
    const { stdout } = await run.ended;
    expect(stdout).toMatch(/^\w+:\/\//);
    for (const form of formsOf(password)) expect(stdout).not.toContain(form);
  });

  it("that is wrong is STORE_REFUSED, and is not shown", async () => {
    const { password, token = password, fresh } = await protect();
    const wrong = `${token}-wrong`;
    const env = environment({ HOLDFAST_STORE: await fresh(false), HOLDFAST_TOKEN: wrong });
    const { code, stdout } = await cli(["status", KEY, "--json"], { env });
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "STORE_REFUSED" } });
    for (const form of formsOf(password)) expect(stdout).not.toContain(form);
  });
});
