import { accessSync, constants, lstatSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as delay, setImmediate as immediate } from "node:timers/promises";
import { LockError, messageOf } from "../../../lock/errors.ts";
import type { GuardEntry } from "../protocol/world.ts";
import { checkSideDirectories } from "./directory.ts";
import { notPlain } from "./plain-file.ts";

/** SQLITE_BUSY: another process is in the section. */
const BUSY = 5;
/** SQLITE_IOERR and its relatives; the low byte tells the family. */
const IO_ERROR = 10;
/** How long it only yields the processor and does not sleep: sections take less than a millisecond. */
const EAGER_FOR_MS = 0.5;
/** After that it looks every millisecond, until it is clear that this is no ordinary section. */
const RETRY_MS = 1;
const BRISK_FOR_MS = 50;
const RETRY_MAX_MS = 10;
/** A guard that is busy for longer is not contended but stuck: that is told. */
const STUCK_AFTER_MS = 2_000;

export interface GuardOptions {
  readonly cancel?: AbortSignal;
  /** Makes the guard's file, where it is missing. */
  readonly prepare: () => void;
  /** Told once when the guard is stuck, and with null when it is free again. */
  readonly onStuck?: (trouble: string | null) => void;
  /** Gives up after this many milliseconds, if nothing cancels it. */
  readonly patience?: number;
}

/**
 * The key's guard: an exclusive lock of an empty SQLite database, which is a kernel lock on its file.
 * The kernel drops it when its process ends, even by kill -9, so it needs no timeout.
 *
 * Never open the guard's file by other means: closing any descriptor of it would drop the lock.
 */
export class Guard {
  readonly #path: string;
  #database: DatabaseSync | null = null;
  #inode = "";
  #begin: ReturnType<DatabaseSync["prepare"]> | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  async enter(options: GuardOptions): Promise<GuardEntry> {
    const start = performance.now();
    let stuck = false;
    for (;;) {
      if (this.tryEnter(options)) {
        if (stuck) options.onStuck?.(null);
        return "entered";
      }
      const waited = performance.now() - start;
      if (options.cancel?.aborted) return "cancelled";
      if (options.patience !== undefined && waited > options.patience) throw this.#busy(waited);
      if (!stuck && waited > STUCK_AFTER_MS) {
        stuck = true;
        options.onStuck?.(this.#busy(waited).message);
      }
      if (waited < EAGER_FOR_MS) await immediate();
      else await delay(waited < BRISK_FOR_MS ? RETRY_MS : RETRY_MAX_MS * (0.5 + Math.random()));
    }
  }

  /** Tries once to enter, without waiting. */
  tryEnter(options: Pick<GuardOptions, "prepare">): boolean {
    for (;;) {
      this.#open(options.prepare);
      try {
        this.#begin ??= this.#prepareBegin();
        this.#begin?.run();
      } catch (error) {
        return this.#explain(error);
      }
      // The file may have been removed since it was opened: then others lock another file.
      if (inodeOf(this.#path) === this.#inode) return true;
      this.close();
    }
  }

  leave(): void {
    // A rollback writes nothing, so the file stays empty and needs no space on a full disk.
    this.#database?.exec("ROLLBACK");
  }

  close(): void {
    this.#begin = null;
    this.#database?.close();
    this.#database = null;
  }

  #open(prepare: () => void): void {
    if (this.#database !== null) return;
    for (let tries = 0; ; tries++) {
      let inode = inodeOf(this.#path);
      if (inode === null) {
        prepare();
        inode = inodeOf(this.#path);
      }
      try {
        if (inode === null) throw new Error(`${this.#path} vanished`);
        checkGuard(this.#path);
        // SQLite would also open a guard that may only be read, and its lock would exclude no process.
        accessSync(this.#path, constants.R_OK | constants.W_OK);
        this.#database = new (sqlite().DatabaseSync)(this.#path, { timeout: 0 });
        this.#inode = inode;
        return;
      } catch (error) {
        this.close();
        if (tries >= 3) this.#explain(error);
      }
    }
  }

  /**
   * The journal stays in memory: on disk, an empty database would get one with every entry, which
   * takes six times as long and fails on a full disk. Setting it can find the guard busy, as entering can.
   */
  #prepareBegin() {
    this.#database?.exec("PRAGMA journal_mode=MEMORY");
    return this.#database?.prepare("BEGIN IMMEDIATE") ?? null;
  }

  /** False for a busy guard; anything else is thrown as a sentence. */
  #explain(error: unknown): false {
    if (error instanceof LockError) throw error;
    const code = Number((error as { errcode?: unknown }).errcode ?? 0);
    if ((code & 0xff) === BUSY) return false;
    this.close();
    if ((code & 0xff) === IO_ERROR) {
      throw new LockError(
        "STORE_NO_LOCKS",
        `The filesystem of ${this.#path} has no working file locks (${messageOf(error)}): choose a directory on another filesystem, or a lock server.`,
        { cause: error },
      );
    }
    throw new LockError(
      "STORE_DENIED",
      `The guard ${this.#path} cannot be used: ${messageOf(error)}. Check who owns it and its mode.`,
      {
        cause: error,
      },
    );
  }

  #busy(waited: number): LockError {
    const who = whoLocks(this.#path) ?? "another process";
    return new LockError(
      "GUARD_BUSY",
      `The guard ${this.#path} has been busy for ${Math.round(waited / 1_000)} s, held by ${who}: continue or end that process.`,
    );
  }
}

/**
 * Refuses a guard that is not an empty file in directories of its own. SQLite follows links, makes the file that
 * a dangling link names, and would work on any database that it is led to.
 */
function checkGuard(path: string): void {
  checkSideDirectories({ side: dirname(path) });
  const stat = lstatSync(path);
  if (!stat.isFile() || stat.size > 0) throw notPlain(path);
}

/** SQLite, loaded when it is first needed: a process that only looks at locks does not pay for it. */
function sqlite(): typeof import("node:sqlite") {
  return process.getBuiltinModule("node:sqlite");
}

function inodeOf(path: string): string | null {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? null : String(stat.ino);
}

/** Names the process that has a kernel lock on a file, if the system tells it (Linux). */
export function whoLocks(path: string): string | null {
  try {
    const stat = statSync(path, { bigint: true });
    const pid = lockingPid(readFileSync("/proc/locks", "utf8"), stat.dev, stat.ino);
    return pid === null ? null : describe(pid);
  } catch {
    return null;
  }
}

/** Lines such as `1: POSIX  ADVISORY  WRITE 4711 fd:01:1234 1073741826 1073742335`. */
export function lockingPid(locks: string, device: bigint, inode: bigint): number | null {
  const major = ((device >> 8n) & 0xfffn) | ((device >> 32n) & ~0xfffn);
  const minor = (device & 0xffn) | ((device >> 12n) & ~0xffn);
  const hex = (value: bigint) => value.toString(16).padStart(2, "0");
  const file = `${hex(major)}:${hex(minor)}:${inode}`;
  for (const line of locks.split("\n")) {
    const fields = line.trim().split(/\s+/);
    if (fields[3] === "WRITE" && fields[5] === file) return Number(fields[4]);
  }
  return null;
}

function describe(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const state = stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3);
  return `process ${pid}${state === "T" ? " (stopped)" : ""}`;
}
