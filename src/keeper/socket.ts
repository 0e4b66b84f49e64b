import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmdirSync, unlinkSync } from "node:fs";
import type { Server } from "node:net";
import { basename, dirname } from "node:path";
import { LockError } from "../lock/errors.ts";
import { LINE_LIMIT, parseLine, readLines } from "./lines.ts";

/** Unix sockets' paths have room for 107 bytes; what does not fit goes to a short private directory. */
const PATH_BYTES_LIMIT = 100;
/** Its name there. */
const SHORT_NAME = "s";

/** Mostly the whole answer. */
const REPLY_BYTES = 16 * 1024;

/** Loaded when first needed: a stage that only verifies asks the store, not the keeper. */
function net(): typeof import("node:net") {
  return process.getBuiltinModule("node:net");
}

export interface KeeperSocket {
  close(): void;
}

export type Answerer = (request: Record<string, unknown>) => Promise<Record<string, unknown>>;

/** Answers one JSON line with one JSON line, to this user alone. */
export async function serveSocket(path: string, answer: Answerer): Promise<KeeperSocket> {
  const server: Server = net().createServer((connection) => {
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

/** A new socket's place; where its path is too long, in a directory that is made for it. */
export function socketPath(leaseFile: string): string {
  if (process.platform === "win32")
    return `\\\\.\\pipe\\holdfast-${randomBytes(16).toString("hex")}`;
  const beside = `${dirname(leaseFile)}/${randomBytes(6).toString("hex")}.sock`;
  if (Buffer.byteLength(beside) <= PATH_BYTES_LIMIT) return beside;
  return `${mkdtempSync("/tmp/holdfast-")}/${SHORT_NAME}`;
}

/** For a keeper that was killed and could not do it itself. */
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

/** Asks a keeper. Throws KEEPER_GONE where nobody answers in time. */
export function askSocket(
  path: string,
  request: Record<string, unknown>,
  timeout: number,
  onAsked?: () => void,
): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    let reply = Buffer.alloc(0);
    let answered = false;
    const settle = (finish: () => void) => {
      if (answered) return;
      answered = true;
      clearTimeout(timer);
      // Whoever got its answer ends soon, and the other side closes it: nothing is to be waited for.
      connection.unref();
      finish();
    };
    const fail = (why: string, cause?: Error) =>
      settle(() => {
        connection.destroy();
        reject(new LockError("KEEPER_GONE", `The keeper does not answer (${why}).`, { cause }));
      });
    const onData = (length: number, buffer: Uint8Array) => {
      reply = Buffer.concat([reply, buffer.subarray(0, length)]);
      const end = reply.indexOf("\n");
      const answer = end === -1 ? null : parseLine(reply.toString("utf8", 0, end));
      if (answer !== null) settle(() => resolve(answer));
      else if (end !== -1 || reply.length > LINE_LIMIT) fail("it speaks another language");
      return true;
    };
    // Read by hand: one answer is no stream, and Node's streams take their time the first time.
    const onread = { buffer: Buffer.allocUnsafe(REPLY_BYTES), callback: onData };
    const connection = net().connect({ path, onread });
    const timer = setTimeout(() => fail(`waited ${Math.round(timeout / 1_000)} s`), timeout);
    connection.on("error", (error) => fail(error.message, error));
    connection.on("close", () => fail("it closed the connection"));
    connection.on("connect", () => {
      connection.write(`${JSON.stringify(request)}\n`);
      onAsked?.();
    });
  });
}
