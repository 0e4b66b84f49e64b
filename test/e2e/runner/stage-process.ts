import { spawn } from "node:child_process";
import type { Delays } from "./job.ts";
import { readLines } from "./language/lines.ts";

export interface StageOptions {
  readonly command: readonly string[];
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly delays: Delays;
  readonly onLine: (line: string) => void;
  readonly onSignal: (signal: NodeJS.Signals) => void;
}

export interface StageProcess {
  /** Null where it could not be started. */
  readonly pid: number | null;
  readonly ended: Promise<Ended>;
  /** SIGINT, then SIGTERM, then the kill; to this one process, never to its group. */
  interrupt(): void;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdioHeld: boolean;
}

/** Runs one stage as a process of its own, a child of the worker. */
export function startStage(options: StageOptions): StageProcess {
  const [file, ...args] = options.command;
  const child = spawn(file as string, args, {
    cwd: options.directory,
    env: { ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let over = false;
  const timers: NodeJS.Timeout[] = [];
  const send = (signal: NodeJS.Signals) => {
    if (over) return;
    options.onSignal(signal);
    child.kill(signal);
  };
  for (const stream of [child.stdout, child.stderr]) readLines(stream, options.onLine);

  const ended = new Promise<Ended>((resolve) => {
    const end = (code: number | null, signal: NodeJS.Signals | null, stdioHeld: boolean) => {
      for (const timer of timers) clearTimeout(timer);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ code, signal, stdioHeld });
    };
    child.on("error", (error) => {
      over = true;
      options.onLine(`the runner could not start it: ${error.message}`);
      end(127, null, false);
    });
    child.on("exit", (code, signal) => {
      over = true;
      // A process that inherited the outputs keeps the job waiting here.
      timers.push(setTimeout(() => end(code, signal, true), options.delays.stdio));
    });
    child.on("close", (code, signal) => end(code, signal, false));
  });

  return {
    pid: child.pid ?? null,
    ended,
    interrupt: () => {
      send("SIGINT");
      const { terminate, kill } = options.delays;
      timers.push(setTimeout(() => send("SIGTERM"), terminate));
      timers.push(setTimeout(() => send("SIGKILL"), terminate + kill));
    },
  };
}
