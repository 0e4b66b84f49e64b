import { statfsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { systemCode } from "../../../lock/errors.ts";

const isWindows = process.platform === "win32";

/**
 * Filesystems that several machines can mount at once, by the type number that statfs gives on
 * Linux. What is shared between a virtual machine and its host counts too.
 */
const SHARED_TYPES = new Map<number, string>([
  [0x6969, "nfs"],
  [0xff534d42, "cifs"],
  [0xfe534d42, "smb2"],
  [0x517b, "smb"],
  [0x564c, "ncp"],
  [0x5346414f, "afs"],
  [0x6b414653, "kafs"],
  [0x73757245, "coda"],
  [0x01021997, "9p"],
  [0x00c36400, "ceph"],
  [0x0bd00bd0, "lustre"],
  [0x01161970, "gfs2"],
  [0x7461636f, "ocfs2"],
  [0x47504653, "gpfs"],
  [0x19830326, "fhgfs"],
  [0x61636673, "acfs"],
  [0x786f4256, "vboxsf"],
  [0xbacbacbc, "vmhgfs"],
  [0x65735546, "fuse"],
]);

/**
 * The name of the shared filesystem that a directory is on. Null: it is this machine's alone, or the system does
 * not tell. `directory` is resolved: on Windows a drive that stands for a share has then become its UNC path.
 */
export function sharedFilesystem(directory: string): string | null {
  if (isWindows) return isShare(directory) ? "share" : null;
  try {
    return sharedTypeName(Number(statfsSync(directory).type));
  } catch {
    return null;
  }
}

/** `\\server\share\…`, and not the long form of a local path, `\\?\C:\…`. */
export function isShare(path: string): boolean {
  return /^[\\/]{2}(?:[^\\/?.]|\?[\\/]UNC[\\/])/i.test(path);
}

export function sharedTypeName(type: number): string | null {
  // The kernel's number is 32 bits wide and comes with a sign on some systems.
  return SHARED_TYPES.get(type >>> 0) ?? null;
}

/** Errors of a network filesystem that pass: the server restarts, a handle went stale. */
const PASSING = new Set(["ESTALE", "EIO", "ETIMEDOUT"]);
export const RETRIES = 10;
export const RETRY_DELAY_MS = 100;

export function isPassing(error: unknown): boolean {
  return PASSING.has(systemCode(error) ?? "");
}

/**
 * Windows refuses to replace or remove a file that another process has open without leave for that, as virus
 * scanners do for a moment. If it is a matter of permissions, it stays so.
 */
const IN_USE = new Set(["EPERM", "EACCES", "EBUSY"]);
const IN_USE_RETRIES = 6;

/** How often a call that failed with this error is tried. 1: this failure does not pass. */
function triesFor(error: unknown): number {
  if (isPassing(error)) return RETRIES;
  const { syscall } = error as NodeJS.ErrnoException;
  const isInUse = isWindows && IN_USE.has(systemCode(error) ?? "");
  return isInUse && (syscall === "rename" || syscall === "unlink") ? IN_USE_RETRIES : 1;
}

/**
 * How the steps on a filesystem are performed: on a shared one or on Windows, errors that pass are tried again.
 */
export function patienceOn(shared: boolean): typeof withRetry | undefined {
  return shared || isWindows ? withRetry : undefined;
}

/**
 * The lock policy's retry: 10 attempts (6 of a file in use), 100 ms doubling. The first attempt is at once and
 * synchronous; only a passing error makes this a promise.
 */
export function withRetry<T>(
  call: () => T,
  sleep: (ms: number) => Promise<unknown> = delay,
): T | Promise<T> {
  try {
    return call();
  } catch (error) {
    if (triesFor(error) === 1) throw error;
    return retry(call, sleep);
  }
}

async function retry<T>(call: () => T, sleep: (ms: number) => Promise<unknown>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    await sleep(RETRY_DELAY_MS * 2 ** (attempt - 1));
    try {
      return call();
    } catch (error) {
      if (attempt >= triesFor(error) - 1) throw error;
    }
  }
}
