import type { LockError } from "../../../lock/errors.ts";
import { refused, saidBy, unreachable } from "../../remote/trouble.ts";
import { type Credentials, withoutSecrets } from "../credentials.ts";
import type { RedisAddress } from "./address.ts";
import type { NotResp } from "./resp.ts";

/** Errors after which trying again may help: the server is up, but not ready, full or no primary just now. */
const PASSING: Record<string, string> = {
  READONLY:
    "is a replica, and locks are kept by the primary: name the primary, or a name that leads to it after a failover",
  LOADING: "is still loading its data: try again in a moment",
  OOM: "has no memory left for writes: raise maxmemory, or remove what others keep there",
  MISCONF: "takes no writes, since it cannot save its data: look into its log",
  NOREPLICAS:
    "takes no writes, since too few of its replicas are connected (min-replicas-to-write)",
  MASTERDOWN: "is a replica that has lost its primary: name the primary",
  BUSY: "is busy with somebody's script",
  "ERR max number of clients": "has as many connections as it takes: raise maxclients",
};

const LASTING: Record<string, string> = {
  NOAUTH:
    "asks for a password: write it into the URL (percent-encoded), or give it in HOLDFAST_TOKEN or REDISCLI_AUTH",
  WRONGPASS: "does not accept the user or the password: check both, and that the user is enabled",
  "ERR AUTH ": "has no password for the default user: leave it out, or name the user",
  "ERR invalid password": "does not accept the password",
  NOPERM:
    "does not give this user the rights that locks need: docs/engines.md has the line for ACL SETUSER",
  "ERR The user executing the script":
    "does not give this user the rights that locks need: docs/engines.md has the line for ACL SETUSER",
  MOVED: "is a node of a cluster, which is not supported: name a server that is none",
  ASK: "is a node of a cluster, which is not supported: name a server that is none",
  CROSSSLOT: "is a node of a cluster, which is not supported: name a server that is none",
  CLUSTERDOWN: "is a node of a cluster, which is not supported: name a server that is none",
  WRONGTYPE: "has something else than a lock under this key: choose another prefix with ?prefix=",
  DENIED: "is in protected mode, and answers its own machine alone: give it a password",
  "ERR unknown command":
    "does not know a command that is needed: it must be Redis 6 or newer, or Valkey",
  NOPROTO: "does not know version 3 of the protocol: it must be Redis 6 or newer, or Valkey",
  "ERR DB index": "has no database of this number: write another one behind the host",
  "ERR invalid DB index": "has no database of this number: write another one behind the host",
  "ERR SELECT is not allowed": "is a node of a cluster, which is not supported",
};

/** The server behind the address may change: a new connection may find the primary. */
export function wantsAnother(words: string): boolean {
  return /\b(READONLY|LOADING|MASTERDOWN)\b/.test(words);
}

/** What an error that the server answered means, in one sentence. */
export function explainReply(
  address: RedisAddress,
  words: string,
  credentials: Credentials,
): LockError {
  // A script's error has the command's own error in the middle, and old servers repeat arguments.
  const told = saidBy(
    withoutSecrets(words.replace(/, with args beginning with:.*/s, ""), credentials),
  );
  const why = (table: Record<string, string>) =>
    Object.entries(table).find(([start]) => new RegExp(`(^|[-\\s'])${start}`).test(words))?.[1];
  const lasting = why(LASTING);
  if (lasting !== undefined) return refused(address, `${lasting} (${told})`);
  const passing = why(PASSING);
  if (passing !== undefined) return unreachable(address, `${passing} (${told})`);
  return refused(address, `answers with an error: ${told}`);
}

/** TLS answers a plain text with an alert, which is a record of this kind. */
const TLS_ALERT = 0x15;

export function notRedis(address: RedisAddress, { first, message }: NotResp): LockError {
  if (first === TLS_ALERT && !address.secure) {
    return refused(address, `wants TLS: use ${address.withoutTls.replace("redis:", "rediss:")}`);
  }
  return refused(
    address,
    `does not answer as Redis does (${message}): check host and port; it must be Redis 6 or newer, or Valkey`,
  );
}

/** An answer of another kind than the command has: something else speaks the same protocol. */
export function otherwise(address: RedisAddress, command: string): LockError {
  return refused(
    address,
    `does not answer ${command} as Redis does: check host and port; it must be Redis 6 or newer, or Valkey, with no proxy before it that changes commands`,
  );
}

/** What the server says about itself when it is greeted, and whether locks are safe there. */
export function checkServer(
  address: RedisAddress,
  { mode, role, memory }: { mode: string; role: string; memory: string },
): void {
  if (mode === "sentinel")
    throw refused(
      address,
      "is a Sentinel, which keeps no data and is not supported: name the primary itself, or a name that leads to it after a failover",
    );
  if (mode === "cluster")
    throw refused(
      address,
      "is a node of a cluster, which is not supported: name a server that is none",
    );
  if (role === "replica" || role === "slave")
    throw unreachable(address, PASSING.READONLY as string);
  const limit = Number(/^maxmemory:(\d+)/m.exec(memory)?.[1] ?? 0);
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1] ?? "noeviction";
  // A lock or a session that is thrown away lets a second holder in.
  if (limit > 0 && policy !== "noeviction")
    throw refused(
      address,
      `throws keys away when its memory is full (maxmemory-policy ${policy}), also locks that are held: set maxmemory-policy to noeviction, or use a server of its own`,
    );
}
