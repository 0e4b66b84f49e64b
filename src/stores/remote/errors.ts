import { LockError } from "../../lock/errors.ts";
import { quote } from "../../lock/text.ts";

/** What is said of a lock server in the same words, whatever it speaks. */
interface Server {
  readonly shown: string;
}

export function unreachable({ shown }: Server, why: string, cause?: unknown): LockError {
  return new LockError(
    "STORE_UNREACHABLE",
    `The lock server ${shown} ${why}.`,
    cause === undefined ? {} : { cause },
  );
}

export function unsafe({ shown }: Server, why: string, cause: unknown): LockError {
  return new LockError("STORE_UNSAFE", `The lock server ${shown} ${why}.`, { cause });
}

/** `plain`: its address without TLS. */
export function notTls(server: Server, code: string, plain: string, cause: unknown): LockError {
  const why = `cannot be spoken to with TLS (${code}): if it has none, use ${plain}`;
  return unreachable(server, why, cause);
}

export function denied({ shown }: Server, secret: string | null): LockError {
  return new LockError(
    "STORE_DENIED",
    secret === null
      ? `The lock server ${shown} asks for a token: give it in HOLDFAST_TOKEN or the token input.`
      : `The lock server ${shown} does not accept the token: give the one that it was started with.`,
  );
}

export function givesNoFences({ shown }: Server): LockError {
  return new LockError(
    "NOT_SUPPORTED",
    `The lock server ${shown} gives no fencing numbers: verify with the lease file.`,
  );
}

/** `store`: quoted, without what may be a secret in it. */
export function badStore(store: string, problem: string, advice: string): LockError {
  return new LockError("BAD_STORE", `The store ${store} ${problem}: ${advice}.`);
}

/** `start`: the scheme alone, since what follows is a secret. */
export function holdsCredentials(start: string): LockError {
  return badStore(
    quote(`${start}…`),
    "holds credentials, and a store's URL is shown in logs",
    "leave them out and give the server's token in HOLDFAST_TOKEN",
  );
}
