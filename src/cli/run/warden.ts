import { setTimeout as delay } from "node:timers/promises";
import { Family } from "./family.ts";

/** The word by which the program is told to be a warden. */
export const WARDEN = "__warden";

/** How often it looks whether its `run` is still there. */
const LOOK_MS = 250;

/**
 * The warden of a command on Windows, a process beside `run` that the lock is covered by. When `run`
 * is ended from outside, Windows ends the command with it, but not what the command has started. The
 * warden ends the rest, and lives until nothing of it is left: until then the lock stays held. It also
 * lives for as long as any process holds the pipe open that the command has inherited.
 *
 * `run` ends it when the command has ended.
 */
export async function beWarden(run: number): Promise<void> {
  let isOpen = true;
  process.stdin.on("close", () => {
    isOpen = false;
  });
  process.stdin.on("error", () => {});
  process.stdin.resume();
  const family = new Family(run, WARDEN);
  while (isOpen && isThere(run)) await delay(LOOK_MS);
  for (;;) {
    // Where nothing tells which processes there are, some may be left: then the lock stays held.
    if ((await family.kill()) && family.members() !== null && !isOpen) return;
    await delay(LOOK_MS);
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
