import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { unusedPort } from "../test/helpers/ports.ts";

/** A process that is measured, and what one request looks like to it. */
export interface Target {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** Lines that come back for the three of a request. */
  readonly replyLines: number;
  stop(): Promise<void>;
}

const OURS = fileURLToPath(new URL("./server-process.ts", import.meta.url));
const ECHO = fileURLToPath(new URL("./server-echo.ts", import.meta.url));

export async function startOurs(): Promise<Target> {
  const flags = [
    "--port",
    "0",
    "--max-locks",
    "0",
    "--log-level",
    "error",
    "--read-timeout",
    "3600",
  ];
  return nodeTarget("holdfast", OURS, flags, 1);
}

/** The same lines back, and nothing else done: what Node's sockets can do at best. */
export async function startEcho(): Promise<Target> {
  return nodeTarget("bare echo", ECHO, [], 3);
}

/** Null where no real server is at hand. */
export async function startDflockd(): Promise<Target | null> {
  const binary = process.env.DFLOCKD_BIN;
  if (binary === undefined) return null;
  const port = await unusedPort();
  const flags = ["--port", String(port), "--max-locks", "1000000", "--read-timeout", "3600"];
  const child = spawn(binary, flags, { stdio: "ignore" });
  while (!(await accepts(port))) await pause(20);
  return target("dflockd", child, port, 1);
}

async function nodeTarget(
  name: string,
  file: string,
  flags: string[],
  replyLines: number,
): Promise<Target> {
  const child = spawn(process.execPath, [file, ...flags], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  return target(name, child, Number(/:(\d+)\n/.exec(line.toString())?.[1]), replyLines);
}

function target(name: string, child: ChildProcess, port: number, replyLines: number): Target {
  return {
    name,
    port,
    pid: child.pid as number,
    replyLines,
    async stop() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect({ port, host: "127.0.0.1" });
  return new Promise((resolve) => {
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
