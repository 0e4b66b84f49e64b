import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { isThere } from "../needs.ts";
import { type Engine, EngineProcess, isInstalled, type Protected } from "./engine.ts";

const run = promisify(execFile);

export const hasRedis = isThere("Redis", isInstalled("redis-server") && isInstalled("redis-cli"));

/** Of this process alone: nothing else on the machine has it on its command line. */
export const PASSWORD = `p/a@s%s:w?o#r d ${randomBytes(6).toString("hex")}`;

export interface Redis extends Engine {
  protect(): Promise<Protected>;
  /** Runs redis-cli on it, as a person would. */
  cli(...args: string[]): Promise<string>;
}

export interface RedisOptions {
  /** As on its command line, such as `--requirepass secret`; DIRECTORY and PORT stand for its own. */
  readonly settings?: readonly string[];
  /** Files in its directory. */
  readonly files?: Readonly<Record<string, string>>;
  /** For redis-cli, such as `--tls` or `--user`. */
  readonly cli?: readonly string[];
}

let places = 0;

/** A Redis that keeps its data over a crash. */
export async function startRedis(options: RedisOptions = {}): Promise<Redis> {
  const cli = async (port: number, args: readonly string[]) => {
    const { stdout } = await run("redis-cli", [
      "-p",
      String(port),
      ...(options.cli ?? []),
      ...args,
    ]);
    return stdout;
  };
  const process = await EngineProcess.start({
    file: "redis-server",
    prepare(directory) {
      for (const [name, text] of Object.entries(options.files ?? {}))
        writeFileSync(join(directory, name), text);
    },
    args: (port, directory) => [
      ...["--port", String(port), "--bind", "127.0.0.1", "--dir", directory],
      ...["--save", "", "--appendonly", "yes"],
      ...(options.settings ?? []).map((each) =>
        each.replaceAll("DIRECTORY", directory).replace(/^PORT$/, String(port)),
      ),
    ],
    // A server that asks for a password is ready as well.
    isReady: async (port) => /PONG|NOAUTH/.test(await cli(port, ["ping"])),
  });
  return {
    name: "Redis",
    get port() {
      return process.port;
    },
    get pid() {
      return process.pid;
    },
    fresh: async (port = process.port) => `redis://127.0.0.1:${port}?prefix=t${++places}`,
    async protect() {
      await cli(process.port, ["acl", "setuser", "ci", "on", `>${PASSWORD}`, "~*", "&*", "+@all"]);
      await cli(process.port, ["config", "set", "requirepass", PASSWORD]);
      return {
        password: PASSWORD,
        fresh: async (inUrl) => {
          const user = inUrl ? `ci:${encodeURIComponent(PASSWORD)}` : "ci";
          return `redis://${user}@127.0.0.1:${process.port}/1?prefix=t${++places}`;
        },
      };
    },
    kill: () => process.end("SIGKILL"),
    startAgain: () => process.startAgain(),
    stop: () => process.stop(),
    cli: (...args) => cli(process.port, args),
  };
}
