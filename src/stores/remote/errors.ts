import { LockError } from "../../lock/errors.ts";
import { quote } from "../../lock/text.ts";

/** Sentences about a lock server, the same for every protocol. */
interface Server {
  readonly shown: string;
}

export function denied({ shown }: Server, secret: string | null): LockError {
  return new LockError(
    "STORE_DENIED",
    secret === null
      ? `The lock server ${shown} asks for a token: give it in HOLDFAST_TOKEN or the token input.`
      : `The lock server ${shown} does not accept the token: give the one that it was started with.`,
  );
}

/** What our server says over HTTP to the token for looking. */
const ONLY_LOOK =
  "That token may only look: to claim, break, freeze or thaw, use the server's own token.";

export function mayOnlyLook({ shown }: Server): LockError {
  return new LockError(
    "STORE_DENIED",
    `The lock server ${shown} forbids it: ${ONLY_LOOK} To look, use its HTTP address.`,
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
