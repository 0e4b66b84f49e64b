import { LockError } from "../../../lock/errors.ts";
import { quote } from "../../../lock/text.ts";
import { badStore } from "../../remote/errors.ts";
import type { Named } from "../../remote/trouble.ts";
import { parseEngineUrl, withoutUserinfo } from "../address.ts";

/** A Redis or Valkey server: `redis://user:password@host:6379/0?prefix=holdfast`. */
export interface RedisAddress extends Named {
  /** As the user would write it, without a password: shown, saved and exported. */
  readonly shown: string;
  readonly port: number;
  readonly secure: boolean;
  readonly user: string | null;
  readonly password: string | null;
  readonly database: number;
  readonly names: Names;
}

/** What the server's keys and channels are called. */
export interface Names {
  /** Before the key of a lock. */
  readonly lock: string;
  /** Before the id of a session. */
  readonly session: string;
  /** Before the key: the channel that tells all of its changes. */
  readonly changed: string;
  /** Before the id of a session: the channel that tells its claim what concerns it. */
  readonly wake: string;
}

const DEFAULT_PORT = 6379;
const DEFAULT_PREFIX = "holdfast";
const PREFIX_BYTES_LIMIT = 100;
const DATABASE_LIMIT = 1_000_000;
/** The words behind a prefix. None of them may be a part of a prefix: so two prefixes never meet. */
const RESERVED = ["lock", "beacon", "changed", "wake"];

export function parseRedisAddress(store: string): RedisAddress {
  const url = parseEngineUrl(store, {
    example: "redis://host:6379/0",
    defaultPort: DEFAULT_PORT,
    options: ["prefix"],
    oneServer:
      "name the primary alone; Sentinel and Cluster are not supported, and a name or proxy that always leads to the primary is",
  });
  const { scheme, host, port, authority, user, password, path, query } = url;
  if (!/^\d{0,6}$/.test(path) || Number(path) >= DATABASE_LIMIT) {
    throw badStore(
      withoutUserinfo(store.trim()),
      `has ${quote(path)} as its database`,
      "write its number, such as redis://host:6379/0",
    );
  }
  const database = Number(path);
  const prefix = prefixOf(query.get("prefix"));
  const named = user === null ? "" : `${encodeURIComponent(user)}@`;
  const shown =
    `${scheme}://${named}${authority}${database === 0 ? "" : `/${database}`}` +
    (prefix === DEFAULT_PREFIX ? "" : `?prefix=${prefix}`);
  return {
    shown,
    called: `The Redis server ${shown}`,
    withoutTls: `redis://${authority}`,
    host,
    port,
    secure: scheme === "rediss",
    user,
    password,
    database,
    names: {
      lock: `${prefix}:lock:`,
      // The word of the versions before 1.0.0: under another name their holders would count as dead.
      session: `${prefix}:beacon:`,
      // Channels are the same in all databases.
      changed: `${prefix}:changed:${database}:`,
      wake: `${prefix}:wake:${database}:`,
    },
  };
}

function prefixOf(given: string | undefined): string {
  if (given === undefined) return DEFAULT_PREFIX;
  const parts = given.split(":");
  const isGood =
    given.length <= PREFIX_BYTES_LIMIT &&
    parts.every((part) => /^[\w.-]+$/.test(part) && !RESERVED.includes(part));
  if (isGood) return given;
  throw new LockError(
    "BAD_STORE",
    `The store's prefix ${quote(given)} is not acceptable: use letters, digits, ., _, - and colons between them, and none of the words ${RESERVED.join(", ")} between two colons.`,
  );
}
