import { formatDuration } from "../../lock/duration.ts";
import { LockError, messageOf, systemCode } from "../../lock/errors.ts";
import { quote } from "../../lock/text.ts";
import type { Address } from "./address.ts";

/** Every way in which a server can be the wrong one, out of reach or unwilling, in one sentence each. */
export function unreachable({ shown }: Address, why: string, cause?: unknown): LockError {
  return new LockError(
    "STORE_UNREACHABLE",
    `The lock server ${shown} ${why}.`,
    cause === undefined ? {} : { cause },
  );
}

export function hungUp(address: Address): LockError {
  const tls = address.secure ? "" : ", wants TLS (tls://)";
  return unreachable(
    address,
    `closed the connection without an answer: it has as many connections as it takes (--max-connections)${tls}, or is no lock server`,
  );
}

export function wasCut(address: Address): LockError {
  return unreachable(address, "closed the connection: it was stopped, or the network failed");
}

export function silent(address: Address, patience: number): LockError {
  return unreachable(
    address,
    `did not answer within ${formatDuration(patience)}: check host, port and the firewall in between`,
  );
}

/** The line is shown, since it mostly tells what listens there; the secret that we sent never is. */
export function speaksOtherwise(address: Address, line: string, secret: string | null): LockError {
  const safe = secret === null ? line : line.replaceAll(secret, "***");
  return unreachable(
    address,
    `does not speak dflockd's protocol, it says ${quote(safe)}: check host and port`,
  );
}

export function speaksTls(address: Address): LockError {
  const advice = address.shown.replace("tcp:", "tls:");
  return unreachable(address, `wants TLS: use ${advice}`);
}

export function denied({ shown }: Address, secret: string | null): LockError {
  return new LockError(
    "STORE_DENIED",
    secret === null
      ? `The lock server ${shown} asks for a token: give it in HOLDFAST_TOKEN or the token input.`
      : `The lock server ${shown} does not accept the token: give the one that it was started with.`,
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

/** A failed socket in the user's words. `answered`: whether a lock server has spoken on it before. */
export function explainSocket(error: unknown, address: Address, answered: boolean): LockError {
  const code = systemCode(error) ?? "";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return unsafe(
      address,
      `shows a certificate that is not for ${address.host}: use the name that it was made for`,
      error,
    );
  }
  const certificate = CERTIFICATE_ERRORS[code];
  if (certificate !== undefined) return unsafe(address, certificate, error);
  if (/^ERR_SSL_|^EPROTO$/.test(code)) {
    const advice = address.shown.replace("tls:", "tcp:");
    return unreachable(
      address,
      `cannot be spoken to with TLS (${code}): if it has none, use ${advice}`,
      error,
    );
  }
  if (code === "ECONNRESET" || code === "EPIPE") {
    return answered ? wasCut(address) : hungUp(address);
  }
  return unreachable(
    address,
    SOCKET_ERRORS[code] ?? `cannot be reached: ${messageOf(error)}`,
    error,
  );
}

function unsafe({ shown }: Address, why: string, cause: unknown): LockError {
  return new LockError("STORE_UNSAFE", `The lock server ${shown} ${why}.`, { cause });
}
