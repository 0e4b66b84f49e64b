import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmdirSync, unlinkSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { basename, dirname } from "node:path";
import { LockError } from "../lock/errors.ts";
import { parseLine, readLines } from "./protocol.ts";

/** A Unix socket's path has room for 107 bytes. A longer one goes to a short private directory. */
const PATH_BYTES_LIMIT = 100;
/** The socket's name there. */
const SHORT_NAME = "s";

export interface KeeperSocket {
  close(): void;
}

export type Answerer = (request: Record<string, unknown>) => Promise<Record<string, unknown>>;

/** Answers one JSON line with one JSON line, to this user alone. */
export async function serveSocket(path: string, answer: Answerer): Promise<KeeperSocket> {
  const server: Server = createServer((connection) => {
    connection.on("error", () => connection.destroy());
    const onLine = (line: string) => {
      const request = parseLine(line);
      if (request === null) return void connection.destroy();
      answer(request).then(
        (reply) => connection.end(`${JSON.stringify(reply)}\n`),
        (error: unknown) => connection.end(`${JSON.stringify({ error: String(error) })}\n`),
      );
    };
    readLines(connection, onLine, () => {});
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  if (process.platform !== "win32") chmodSync(path, 0o600);
  return {
    close: () => {
      server.close();
    },
  };
}

/** The path of a new socket: beside the lease file, or, where that is too long, in a directory made for it. */
export function socketPath(leaseFile: string): string {
  if (process.platform === "win32")
    return `\\\\.\\pipe\\holdfast-${randomBytes(16).toString("hex")}`;
  const beside = `${dirname(leaseFile)}/${randomBytes(6).toString("hex")}.sock`;
  if (Buffer.byteLength(beside) <= PATH_BYTES_LIMIT) return beside;
  return `${mkdtempSync("/tmp/holdfast-")}/${SHORT_NAME}`;
}

/** Removes a keeper's socket, also for a keeper that was killed and could not do it itself. */
export function removeSocket(path: string): void {
  if (process.platform === "win32") return;
  try {
    unlinkSync(path);
  } catch {
    // Gone already, or never made.
  }
  if (basename(path) !== SHORT_NAME) return;
  try {
    // Never with what may be in it: the path is only what a file says.
    rmdirSync(dirname(path));
  } catch {
    // Gone already, or somebody else's.
  }
}

/** Asks a keeper one thing. Throws KEEPER_GONE where it does not answer in time. */
export function askSocket(
  path: string,
  request: Record<string, unknown>,
  timeout: number,
): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const connection = connect(path);
    const settle = (act: () => void) => {
      clearTimeout(timer);
      connection.destroy();
      act();
    };
    const fail = (why: string, cause?: Error) =>
      settle(() =>
        reject(new LockError("KEEPER_GONE", `The keeper does not answer (${why}).`, { cause })),
      );
    const timer = setTimeout(() => fail(`waited ${Math.round(timeout / 1_000)} s`), timeout);
    const onLine = (line: string) => {
      const answer = parseLine(line);
      if (answer === null) fail("it speaks another language");
      else settle(() => resolve(answer));
    };
    connection.on("error", (error) => fail(error.message, error));
    readLines(connection, onLine, () => fail("it closed the connection"));
    connection.write(`${JSON.stringify(request)}\n`);
  });
}
