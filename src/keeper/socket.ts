import { chmodSync, mkdtempSync, rmdirSync, unlinkSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { basename, dirname } from "node:path";
import { LockError } from "../lock/errors.ts";
import { jsonObject } from "../lock/text.ts";
import { isOwn, whyNotPrivate } from "../machine/private-directory.ts";
import { randomHex } from "../machine/random.ts";
import { aborted } from "../stores/sentences.ts";
import { LineReader } from "../wire/line-reader.ts";
import { readLines } from "./protocol.ts";

/** A Unix socket's path has room for 107 bytes. A longer one goes to a short private directory. */
const PATH_BYTES_LIMIT = 100;
const SHORT_PREFIX = "/tmp/holdfast-";
const SHORT_DIRECTORY = /^\/tmp\/holdfast-[A-Za-z0-9]{6}$/;
/** The socket's name there. */
const SHORT_NAME = "s";

export interface KeeperSocket {
  close(): void;
}

export type Answerer = (request: Record<string, unknown>) => Promise<Record<string, unknown>>;

/**
 * How many connections may be open: one process at a time asks the keeper, but every process of this
 * user can connect. A new connection is always accepted; the oldest that has asked nothing is closed
 * for it.
 */
const CONNECTIONS_LIMIT = 32;
/** A request is a token and a few words. */
const REQUEST_BYTES_LIMIT = 4 * 1024;
/** How long a connection may be silent: a client writes its request at once. */
const SILENCE_MS = 5_000;

/** Answers one JSON line with one JSON line, to this user alone. */
export async function serveSocket(path: string, answer: Answerer): Promise<KeeperSocket> {
  /** In the order in which they came; true: it has asked. */
  const connections = new Map<Socket, boolean>();
  const server: Server = createServer((connection) => {
    if (connections.size >= CONNECTIONS_LIMIT) dropOne(connections);
    connections.set(connection, false);
    const close = () => void connection.destroy();
    connection.on("error", close);
    connection.on("close", () => connections.delete(connection));
    connection.setTimeout(SILENCE_MS, close);
    const onLine = (line: string) => {
      const request = jsonObject(line);
      if (request === null) return close();
      if (connections.get(connection) !== false) return;
      connections.set(connection, true);
      // One question a connection: what follows is not read. A store may take long to answer it.
      connection.pause();
      connection.setTimeout(0);
      const reply = (words: Record<string, unknown>) => {
        connection.setTimeout(SILENCE_MS, close);
        connection.end(`${JSON.stringify(words)}\n`, close);
      };
      answer(request).then(reply, (error: unknown) => reply({ error: String(error) }));
    };
    readLines(connection, onLine, () => {}, new LineReader(REQUEST_BYTES_LIMIT));
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

function dropOne(connections: Map<Socket, boolean>): void {
  const [oldest] = connections.keys();
  const [silent] = [...connections].find(([, hasAsked]) => !hasAsked) ?? [];
  const victim = silent ?? oldest;
  if (victim === undefined) return;
  connections.delete(victim);
  victim.destroy();
}

/**
 * The path of a new socket: beside the lease file, or, where that is too long, in a directory made for
 * it. These are private, so nobody has to be kept from guessing its name; anybody may open a pipe.
 */
export function socketPath(leaseFile: string): string {
  if (process.platform === "win32") return `\\\\.\\pipe\\holdfast-${randomHex(16)}`;
  const name = `${process.pid}-${Date.now().toString(36)}`;
  const beside = `${dirname(leaseFile)}/${name}.sock`;
  if (Buffer.byteLength(beside) <= PATH_BYTES_LIMIT) return beside;
  return `${mkdtempSync(SHORT_PREFIX)}/${SHORT_NAME}`;
}

/**
 * Removes a keeper's socket, also for a keeper that was killed and could not do it itself. The path is
 * what a file says, and others may have written that: so it has to be a socket of this user, in the
 * lease's own private directory or in one that `socketPath` made.
 */
export function removeSocket(path: string, leaseFile: string): void {
  if (process.platform === "win32") return;
  const directory = dirname(path);
  const isShort = basename(path) === SHORT_NAME && SHORT_DIRECTORY.test(directory);
  try {
    if (!isShort && directory !== dirname(leaseFile)) return;
    if (whyNotPrivate(directory) !== null || !isOwn(path, "socket")) return;
    unlinkSync(path);
    // Never with the files in it.
    if (isShort) rmdirSync(directory);
  } catch {
    // It is gone already, or another user's.
  }
}

/** Asks a keeper one thing. Throws KEEPER_GONE where it does not answer in time, ABORTED where the signal fires. */
export function askSocket(
  path: string,
  request: Record<string, unknown>,
  timeout: number,
  signal?: AbortSignal,
): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const connection = connect(path);
    let timer: NodeJS.Timeout | undefined;
    const cancel = () => settle(() => reject(aborted()));
    const settle = (act: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      connection.destroy();
      act();
    };
    const fail = (why: string, cause?: Error) =>
      settle(() =>
        reject(new LockError("KEEPER_GONE", `The keeper does not answer (${why}).`, { cause })),
      );
    if (signal?.aborted) return cancel();
    signal?.addEventListener("abort", cancel);
    timer = setTimeout(() => fail(`waited ${Math.round(timeout / 1_000)} s`), timeout);
    const onLine = (line: string) => {
      const answer = jsonObject(line);
      if (answer === null) fail("it speaks another language");
      else settle(() => resolve(answer));
    };
    connection.on("error", (error) => fail(error.message, error));
    const closed = Object.assign(new Error("closed"), { code: "ECONNRESET" });
    readLines(connection, onLine, () => fail("it closed the connection", closed));
    connection.write(`${JSON.stringify(request)}\n`);
  });
}
