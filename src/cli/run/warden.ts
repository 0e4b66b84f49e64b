import { setTimeout as delay } from "node:timers/promises";
import { exists } from "../../machine/processes.ts";
import { WARDEN } from "../command.ts";
import { Family } from "./family.ts";

/** How often it looks whether its `run` is still there. */
const LOOK_MS = 250;

/**
 * The warden of a command on Windows, a second process beside `run`; the lock stays held while it
 * lives. When `run` is ended from outside, Windows ends the command with it, but not what the command
 * has started. The warden ends the rest, and lives until nothing of it is left: until then the lock
 * stays held. It also lives for as long as any process holds the pipe open that the command has
 * inherited.
 *
 * On that pipe it is told the command's pid, and when it was started. `run` ends it when the command
 * has ended.
 */
export async function beWarden(run: number): Promise<void> {
  let isOpen = true;
  let told = "";
  process.stdin.setEncoding("utf8").on("data", (text) => {
    told += text;
  });
  process.stdin.on("close", () => {
    isOpen = false;
  });
  process.stdin.on("error", () => {});
  while (isOpen && exists(run)) await delay(LOOK_MS);
  // If it was not told a pid, `run` was ended before the command could start anything.
  const [, command, since] = /^(\d+) (\d+)\n/.exec(told) ?? [];
  const family = command === undefined ? null : new Family(Number(command), WARDEN, Number(since));
  for (;;) {
    // If the system does not list processes, some may be left: then the lock stays held.
    const isOver = family === null || ((await family.kill()) && family.members() !== null);
    if (isOver && !isOpen) return;
    await delay(LOOK_MS);
  }
}
