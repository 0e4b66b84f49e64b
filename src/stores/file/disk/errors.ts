import { LockError, messageOf, systemCode } from "../../../lock/errors.ts";

export function notADirectory(path: string): LockError {
  return new LockError(
    "BAD_STORE",
    `The store ${path} is not a directory: name a directory, or a file that ends in .lock.`,
  );
}

/** A key's link leads to something that is no lock: nothing is removed, and nothing is made beside it. */
export function notALock(path: string): LockError {
  return new LockError(
    "BAD_LOCK_FILE",
    `${path}, which the key's link leads to, cannot be read as a lock: it stays as it is. Look at it, and remove it or the link by hand.`,
  );
}

/** Turns the system's words into a sentence that says what to do. */
export function explain(error: unknown, path: string): LockError {
  if (error instanceof LockError) return error;
  const options = { cause: error };
  switch (systemCode(error)) {
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new LockError(
        "STORE_DENIED",
        `The store ${path} cannot be used (${messageOf(error)}): let this user write there, or name another directory with --store.`,
        options,
      );
    case "ENOSPC":
    case "EDQUOT":
      return new LockError(
        "STORE_FULL",
        `The disk of the store ${path} is full (${messageOf(error)}): free some space, or name another directory with --store.`,
        options,
      );
    case "EEXIST":
    case "ENOTDIR":
      return notADirectory(path);
    case "ENOENT":
      return new LockError(
        "STORE_UNREACHABLE",
        `The store ${path} is gone (${messageOf(error)}): was its directory removed?`,
        options,
      );
    default:
      return new LockError(
        "STORE_UNREACHABLE",
        `The store ${path} failed: ${messageOf(error)}.`,
        options,
      );
  }
}
