import { formatDuration } from "../../lock/duration.ts";
import type { LockError } from "../../lock/errors.ts";
import { quote } from "../../lock/text.ts";
import { notTls, socketTrouble, unreachable, unsafe } from "../remote/errors.ts";
import type { Address } from "./address.ts";

/** Every way in which a server can be the wrong one or out of reach, in one sentence each. */
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

/** A failed socket in the user's words. `answered`: whether a lock server has spoken on it before. */
export function explainSocket(error: unknown, address: Address, answered: boolean): LockError {
  const trouble = socketTrouble(error, address.host);
  switch (trouble.kind) {
    case "unsafe":
      return unsafe(address, trouble.why, error);
    case "not-tls":
      return notTls(address, trouble.code, address.shown.replace("tls:", "tcp:"), error);
    case "cut":
      return answered ? wasCut(address) : hungUp(address);
    default:
      return unreachable(address, trouble.why, error);
  }
}
