import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { commitAll } from "../../helpers/git.ts";
import { processesWith, type Tracked } from "../runner/tracking.ts";
import { ACTION } from "../scene.ts";

/** nektos/act: somebody else's runner, which knows nothing about Holdfast. */

const VERSION = "0.2.89";
const GOBIN = join(tmpdir(), `holdfast-act-${VERSION}`);
const PROGRAM = join(GOBIN, "act");
const WORKFLOWS = join(dirname(fileURLToPath(import.meta.url)), "workflows");

/**
 * Why act cannot be used here; null where it can. A minute of building is for CI: on a developer's
 * machine act is used where an earlier run has built it.
 */
export function whyNoAct(): string | null {
  if (process.platform === "win32") return "act runs no host jobs on Windows";
  if (existsSync(PROGRAM)) return null;
  if (spawnSync("go", ["version"]).status !== 0) return "Go is missing";
  return process.env.CI ? null : "act is not built; set CI=true to build it";
}

export function buildAct(): void {
  if (existsSync(PROGRAM)) return;
  const { status, stderr } = spawnSync("go", ["install", `github.com/nektos/act@v${VERSION}`], {
    env: { ...process.env, GOBIN },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`act cannot be built: ${stderr}`);
}

export interface ActRun {
  readonly code: number | null;
  readonly log: string;
  /** What the steps wrote to $JOURNAL. */
  readonly journal: string[];
  /** Processes of the run that are still there. */
  left(): Tracked[];
}

/** Runs one of the workflow files, as a push to a repository that has it. */
export async function runWorkflow(name: string, directory: string): Promise<ActRun> {
  const action = join(directory, "action");
  const repository = join(directory, "repository");
  const workflow = join(repository, ".github", "workflows", name);
  mkdirSync(dirname(workflow), { recursive: true });
  cpSync(join(WORKFLOWS, name), workflow);
  mkdirSync(action);
  for (const part of ["action.yml", "dist"])
    cpSync(join(ACTION, part), join(action, part), { recursive: true });
  for (const checkout of [action, repository]) commitAll(checkout);

  const home = join(directory, "home");
  mkdirSync(join(home, "act"), { recursive: true });
  // Without one, act asks a question.
  writeFileSync(join(home, "act", "actrc"), "");
  const journal = join(directory, "journal");
  writeFileSync(journal, "");
  const mark = randomUUID();
  const variables = { HOLDFAST_STORE: join(directory, "locks"), JOURNAL: journal, MARK: mark };
  const args = [
    "push",
    ...["--platform", "ubuntu-latest=-self-hosted"],
    ...["--local-repository", `holdfast-ci/holdfast@v1=${action}`],
    ...["--workflows", workflow],
    ...Object.entries(variables).flatMap(([variable, value]) => ["--env", `${variable}=${value}`]),
    // It would listen on every address of the machine.
    "--no-cache-server",
  ];
  const child = spawn(PROGRAM, args, {
    cwd: repository,
    env: {
      HOME: home,
      XDG_CACHE_HOME: home,
      XDG_CONFIG_HOME: home,
      PATH: [dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      log += chunk;
    });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  const lines = readFileSync(journal, "utf8").split("\n").filter(Boolean);
  return { code, log, journal: lines, left: () => processesWith("MARK", mark) };
}
