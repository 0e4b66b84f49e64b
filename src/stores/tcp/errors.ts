import type { LockError } from "../../lock/errors.ts";
import { quote } from "../../lock/text.ts";
import { explainSocket, socketTrouble, unreachable } from "../remote/trouble.ts";
import type { Address } from "./address.ts";

export function hungUp(address: Address): LockError {
  const tls = address.secure ? "" : ", wants TLS (tls://)";
  return unreachable(
    address,
    `closed the connection without an answer: it has as many connections as it takes (--max-connections)${tls}, or is no lock server`,
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
export function explainFailure(error: unknown, address: Address, answered: boolean): LockError {
  const isCut = socketTrouble(error, address.host).kind === "cut";
  return isCut && !answered ? hungUp(address) : explainSocket(address, error);
}
