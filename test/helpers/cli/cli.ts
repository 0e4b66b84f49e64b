import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Ended, type Running, start } from "../processes.ts";

/** The sources, or the bundle that HOLDFAST_TEST_CLI names. */
export const CLI =
  process.env.HOLDFAST_TEST_CLI ??
  fileURLToPath(new URL("../../../src/cli/main.ts", import.meta.url));

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** What a user's shell has, without what would make this machine's own CI part of the tests. */
const SHELL = ["PATH", "HOME", "LANG", "TMPDIR", "SystemRoot"];
/** The keys of a test's own S3 server. */
const KEYS = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];
const PASSED_ON = [...SHELL, ...KEYS];

export interface CallOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly uid?: number;
}

/** Hundreds of short processes: stripping the types of the sources each time would take most of it. */
const NODE_COMPILE_CACHE = join(root, "node_modules", ".cache", "holdfast-test");

export function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const kept = PASSED_ON.map((name) => [name, process.env[name]] as const);
  const known = kept.filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(known), HOLDFAST_FSYNC: "off", NODE_COMPILE_CACHE, ...more };
}

export function startCli(args: readonly string[], options: CallOptions = {}): Running {
  const { uid, cwd = root } = options;
  const identity = uid === undefined ? {} : { uid, gid: uid };
  return start(process.execPath, [CLI, ...args], {
    cwd,
    env: environment(options.env),
    ...identity,
  });
}

export async function cli(args: readonly string[], options: CallOptions = {}): Promise<Ended> {
  const running = startCli(args, options);
  running.process.stdin?.end();
  return await running.ended;
}

export function json<T = Record<string, unknown>>(ended: Pick<Ended, "stdout">): T {
  return JSON.parse(ended.stdout) as T;
}

/** The command line of a small program under the lock: `run k -- …program(text)`. */
export function program(text: string): string[] {
  return [process.execPath, "-e", text];
}

/** Says ready, then ends when its input does. */
export const UNTIL_INPUT_ENDS = program(
  `console.log("ready", process.pid); process.stdin.on("end", () => process.exit(0)).resume();`,
);

export const hasScript = spawnSync("script", ["--version"]).status === 0;

/** Runs the CLI on a terminal of its own, with `script` of util-linux in between. */
export function startOnTerminal(args: readonly string[], env: NodeJS.ProcessEnv): Running {
  const line = [process.execPath, CLI, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  return start("script", ["-qefc", `exec ${line.join(" ")}`, "/dev/null"], {
    cwd: root,
    env: environment({ SHELL: "/bin/sh", TERM: "xterm", ...env }),
  });
}
