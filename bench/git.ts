/**
 * Locks on a git server: Holdfast beside what people write by hand, a loop around
 * `git push --force-with-lease` that tries every 5 s. The server is git's own http-backend on this
 * machine, so that the requests are what counts, not the milliseconds of a network.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import type { Store } from "../src/lock/store.ts";
import { openGitRegister } from "../src/stores/engines/git/register.ts";
import { openStore } from "../src/stores/open.ts";
import { type GitServer, startGitServer } from "../test/helpers/git-server.ts";
import { quantile } from "./lib/measure.ts";

const ROUNDS = Number(process.argv[2] ?? 20);
const HANDOFFS = Number(process.argv[3] ?? 12);
const LOOP_MS = 5_000;
/** How long the lock is held while another waits. */
const HOLD_MS = 7_000;
const REF = "refs/locks/bench";

const run = promisify(execFile);

/** Something that takes and lets go one lock, in the name of one job. */
interface Contender {
  take(): Promise<void>;
  letGo(): Promise<void>;
}

/** Milliseconds of each round, and what the server was asked in all of them. */
interface Figures {
  readonly times: number[];
  reads: number;
  pushes: number;
}

const server = await startGitServer();
const stores: Store[] = [];
const directory = mkdtempSync(join(tmpdir(), "holdfast-bench-"));

console.log(`medians; reads and pushes are means, over ${ROUNDS} rounds and ${HANDOFFS} hand-offs`);
for (const [name, make] of [
  ["holdfast", holdfast],
  ["git push loop", loop],
] as const) {
  const [one, other] = [await make("one"), await make("other")];
  // The first creates what is only moved afterwards.
  await one.take();
  await one.letGo();
  const figures = { acquire: none(), release: none(), "hand-off": none() };
  for (let round = 0; round < ROUNDS; round++) {
    await measure(server, figures.acquire, () => one.take());
    await measure(server, figures.release, () => one.letGo());
  }
  for (let round = 0; round < HANDOFFS; round++) {
    await measureHandOff(server, figures["hand-off"], one, other);
  }
  for (const [what, { times, reads, pushes }] of Object.entries(figures)) {
    const mean = (sum: number) => (sum / times.length).toFixed(1);
    const half = `${Math.round(quantile(times, 0.5))} ms`.padStart(8);
    const cost = `${mean(reads).padStart(5)} reads ${mean(pushes).padStart(5)} pushes`;
    console.log(`${name.padEnd(14)} ${what.padEnd(9)} ${half} ${cost}`);
  }
}
await measureBare();
for (const store of stores) await store.close();
await server.close();
rmSync(directory, { recursive: true });

/**
 * The bare round trips of a claim and a release, a read and a push each, without a lock: what the
 * protocol costs beyond them is its factor. Both are measured in turn, so that the machine is the same.
 */
async function measureBare(): Promise<void> {
  const register = openGitRegister(server.url);
  const [lock, bare] = [await holdfast("whole"), none()];
  const whole = none();
  let { version } = await register.read("bare");
  for (let round = 0; round < ROUNDS; round++) {
    const text = JSON.stringify({ round, filler: "x".repeat(2_000) });
    await measure(server, bare, async () => {
      for (const half of ["claim", "release"]) {
        await register.read("bare");
        const swap = await register.swap("bare", version, text + half);
        if (swap.outcome !== "done") throw new Error(swap.outcome);
        version = swap.version;
      }
    });
    await measure(server, whole, async () => {
      await lock.take();
      await lock.letGo();
    });
  }
  await register.close();
  const [one, other] = [quantile(whole.times, 0.5), quantile(bare.times, 0.5)];
  const factor = (one / other).toFixed(2);
  console.log(
    `claim and release ${one.toFixed(0)} ms, bare round trips ${other.toFixed(0)} ms: factor ${factor}`,
  );
}

function none(): Figures {
  return { times: [], reads: 0, pushes: 0 };
}

async function measure(git: GitServer, figures: Figures, call: () => Promise<void>): Promise<void> {
  git.resetCounts();
  const start = performance.now();
  await call();
  figures.times.push(performance.now() - start);
  count(git, figures);
}

/** From the release to the moment at which the waiter has it; the requests are those of the wait too. */
async function measureHandOff(
  git: GitServer,
  figures: Figures,
  holder: Contender,
  waiter: Contender,
): Promise<void> {
  await holder.take();
  git.resetCounts();
  let got = 0;
  const waiting = waiter.take().then(() => {
    got = performance.now();
  });
  // Not in step with any poll.
  await pause(HOLD_MS + Math.random() * LOOP_MS);
  await holder.letGo();
  const free = performance.now();
  await waiting;
  figures.times.push(Math.max(0, got - free));
  count(git, figures);
  await waiter.letGo();
}

/** What git asks before each push, the list of all refs, is a read as well. */
function count({ counts }: GitServer, figures: Figures): void {
  figures.reads += counts.list + counts.fetch + counts.other;
  figures.pushes += counts.push;
}

async function holdfast(name: string): Promise<Contender> {
  const store = await openStore(server.url);
  stores.push(store);
  const owner = { id: name, metadata: {} };
  let release: (() => Promise<unknown>) | null = null;
  return {
    async take() {
      const holding = await store.claim({ key: "bench", owner }, { timeout: null });
      release = () => holding.release();
    },
    async letGo() {
      await release?.();
    },
  };
}

/** The lock is a ref: it is there while somebody holds it. */
async function loop(name: string): Promise<Contender> {
  const url = server.url.slice("git+".length);
  // A clone of its own, as a job has one.
  const clone = join(directory, name);
  await run("git", ["init", "--quiet", "--bare", clone]);
  const making = run("git", ["mktree"], { cwd: clone });
  making.child.stdin?.end();
  const tree = (await making).stdout.trim();
  const who = ["-c", `user.name=${name}`, "-c", "user.email=bench@localhost"];
  const git = async (...args: string[]) => {
    const { stdout } = await run("git", [...who, ...args], { cwd: clone });
    return stdout.trim();
  };
  let commit = "";
  return {
    async take() {
      commit = await git("commit-tree", tree, "-m", `held by ${name} since ${Date.now()}`);
      const push = ["push", "--quiet", `--force-with-lease=${REF}:`, url, `${commit}:${REF}`];
      for (;;) {
        try {
          await git(...push);
          return;
        } catch {
          await pause(LOOP_MS);
        }
      }
    },
    async letGo() {
      await git("push", "--quiet", `--force-with-lease=${REF}:${commit}`, url, `:${REF}`);
    },
  };
}
