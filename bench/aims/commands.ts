import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { startEtcd } from "../../test/helpers/engines/etcd.ts";
import { DIST } from "../lib/job.ts";
import { compare, type Result } from "./compare.ts";

const ROUNDS = 21;
const BARE_RUN = join(import.meta.dirname, "run-bare.cjs");
const BARE_ETCD = join(import.meta.dirname, "etcd-bare.cjs");
const BARE = { peer: "`node -e 0`", unit: "ms", rounds: ROUNDS } as const;

/** What a person waits for at a terminal, beside a node that does nothing. */
export async function* commands(directory: string): AsyncGenerator<Result> {
  const store = `file:${join(directory, "commands")}`;
  const bare = () => timeOf(process.execPath, "-e", "0");
  yield await compare({
    ...BARE,
    what: "`holdfast --version`",
    aim: 1.3,
    ours: () => holdfast("--version"),
    theirs: bare,
  });
  yield await compare({
    ...BARE,
    what: "`holdfast status KEY` on a lock file",
    aim: 1.6,
    ours: () => holdfast("status", "bench", "--store", store),
    theirs: bare,
  });
  const run = () => holdfast("run", "bench", "--store", store, "--", "true");
  yield await compare({
    ...BARE,
    what: "`holdfast run KEY -- true` on a lock file, less the start of `true`",
    aim: 2.2,
    ours: () => run() - timeOf("true"),
    theirs: bare,
  });
  yield await compare({
    ...BARE,
    what: "`holdfast run KEY -- true` on a lock file",
    peer: "a node with the same system calls",
    aim: 1.5,
    ours: run,
    theirs: () => timeOf(process.execPath, BARE_RUN, join(directory, "bare"), "true"),
  });
}

/**
 * The command that etcd's own tool, a program in Go, has for the same; and what a program in Node
 * takes at least.
 */
export async function* etcdCommand(): AsyncGenerator<Result> {
  const etcd = await startEtcd();
  try {
    const store = await etcd.fresh();
    const ours = {
      what: "`holdfast run KEY -- true` on etcd",
      unit: "ms",
      rounds: ROUNDS,
      ours: () => holdfast("run", "bench", "--store", store, "--", "true"),
    } as const;
    yield await compare({
      ...ours,
      peer: "`etcdctl lock KEY true`",
      aim: 3,
      theirs: () => timeOf("etcdctl", "--endpoints", `127.0.0.1:${etcd.port}`, "lock", "b", "true"),
    });
    yield await compare({
      ...ours,
      peer: "a node with the same requests",
      aim: 2,
      theirs: () => timeOf(process.execPath, BARE_ETCD, String(etcd.port), "bare"),
    });
  } finally {
    await etcd.stop();
  }
}

function holdfast(...args: readonly string[]): number {
  return timeOf(process.execPath, join(DIST, "cli/index.js"), ...args);
}

/** Milliseconds from the start of a process to its end. */
function timeOf(file: string, ...args: readonly string[]): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(file, args, {
    env: { ...process.env, ETCDCTL_API: "3" },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${file} ${args.join(" ")}: ${stderr}`);
  return performance.now() - start;
}
