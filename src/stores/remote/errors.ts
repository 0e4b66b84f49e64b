import { LockError, messageOf, systemCode } from "../../lock/errors.ts";
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

const SOCKET_ERRORS: Record<string, string> = {
  ECONNREFUSED: "cannot be reached: nothing listens on that port; start it, or check host and port",
  ENOTFOUND: "cannot be reached: the host name is not known; check its spelling",
  EAI_AGAIN: "cannot be reached: the host name could not be looked up just now",
  EHOSTUNREACH: "cannot be reached: there is no way to that host",
  ENETUNREACH: "cannot be reached: there is no way to that network",
  ETIMEDOUT: "cannot be reached: it does not answer; check host, port and the firewall in between",
};

/** No server there, or one that does not speak HTTP: another try soon would end in the same way. */
const NOBODY = /^(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|HPE_.*)$/;

/** Whether an error was caused by a server that is not there. */
export function isNobodyThere(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return NOBODY.test(systemCode(error) ?? "") || isNobodyThere(error.cause);
}

const UNTRUSTED =
  "shows a certificate that is not trusted here: name the file of its authority in HOLDFAST_CA_FILE";

const CERTIFICATE_ERRORS: Record<string, string> = {
  CERT_HAS_EXPIRED: "shows a certificate that has expired: renew it",
  CERT_NOT_YET_VALID: "shows a certificate that is not valid yet: check the clocks",
  CERT_REVOKED: "shows a certificate that was revoked: renew it",
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  CERT_UNTRUSTED: UNTRUSTED,
  CERT_SIGNATURE_FAILURE: UNTRUSTED,
};

/**
 * What a failed socket means. `cut`: by the other side; `not-tls`: the other side does not speak it;
 * `why` goes on after the server's name.
 */
export type SocketTrouble =
  | { readonly kind: "unsafe" | "unreachable"; readonly why: string }
  | { readonly kind: "not-tls"; readonly code: string }
  | { readonly kind: "cut" };

export function socketTrouble(error: unknown, host: string): SocketTrouble {
  const code = systemCode(error) ?? "";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    const why = `shows a certificate that is not for ${host}: use the name that it was made for`;
    return { kind: "unsafe", why };
  }
  const certificate = CERTIFICATE_ERRORS[code];
  if (certificate !== undefined) return { kind: "unsafe", why: certificate };
  if (/^ERR_SSL_|^EPROTO$/.test(code)) return { kind: "not-tls", code };
  if (code === "ECONNRESET" || code === "EPIPE") return { kind: "cut" };
  const why = SOCKET_ERRORS[code] ?? `cannot be reached: ${messageOf(error)}`;
  return { kind: "unreachable", why };
}
