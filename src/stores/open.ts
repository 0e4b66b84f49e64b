import { LockError } from "../lock/errors.ts";
import type { LockFormat } from "../lock/request.ts";
import type { Store } from "../lock/store.ts";
import { quote, withoutPassword } from "../lock/text.ts";
import type { StaleRule } from "./file/protocol/judge.ts";

/** What a store may need to know beyond its URL. Each store takes what concerns it. */
export interface StoreOptions {
  /** For relative paths. Default: the process's own. */
  readonly workingDirectory?: string;
  /** The user on whose behalf it is used, for the record. Default: the operating system's user. */
  readonly user?: string;
  /** Lock files: what they are written as. Default sema. */
  readonly format?: LockFormat;
  /** Lock files of foreign tools: when they count as stale. Default both. */
  readonly stale?: StaleRule;
  /** Milliseconds; default one hour. */
  readonly staleTimeout?: number;
  /** Lock files: sync them to the disk. Default true. */
  readonly fsync?: boolean;
  /** Servers: the secret that they ask for. Never logged, never shown. */
  readonly token?: string;
  /** Servers with TLS: a file of certificates to trust besides the system's. */
  readonly caFile?: string;
}

/** What the environment says about how to use a store, the same for the CLI and the action. */
export function environmentOptions(env: NodeJS.ProcessEnv): StoreOptions {
  return {
    ...(env.HOLDFAST_FSYNC === "off" ? { fsync: false } : {}),
    ...(env.HOLDFAST_TOKEN ? { token: env.HOLDFAST_TOKEN } : {}),
    ...(env.HOLDFAST_CA_FILE ? { caFile: env.HOLDFAST_CA_FILE } : {}),
  };
}

type Factory = (store: string, options: StoreOptions) => Promise<Store>;

/** A store's code is loaded when its scheme is first used: an action pays only for what it needs. */
const FACTORIES: Record<string, Factory> = {
  file: async (store, options) => (await import("./file/store.ts")).openFileStore(store, options),
  tcp: openTcp,
  tls: openTcp,
  http: openHttp,
  https: openHttp,
};

async function openTcp(store: string, options: StoreOptions): Promise<Store> {
  return (await import("./tcp/store.ts")).openTcpStore(store, options);
}

async function openHttp(store: string, options: StoreOptions): Promise<Store> {
  return (await import("./http/store.ts")).openHttpStore(store, options);
}

export const SCHEMES = Object.keys(FACTORIES);

/** Opens a store by URL or path. Nothing is created, and no server is asked, before the first call. */
export async function openStore(store = "file:", options: StoreOptions = {}): Promise<Store> {
  checkNode();
  const text = store.trim() === "" ? "file:" : store;
  const scheme = schemeOf(text);
  const factory = Object.hasOwn(FACTORIES, scheme) ? FACTORIES[scheme] : undefined;
  if (factory === undefined) {
    const shown = withoutPassword(text).replaceAll(options.token || "\0", "***");
    throw new LockError(
      "BAD_STORE",
      `The store ${quote(shown, 120)} has the unknown scheme ${quote(scheme)}: use a path, or one of ${SCHEMES.map((name) => `${name}:`).join(", ")}.`,
    );
  }
  return factory(text, options);
}

const OLDEST_NODE = 24;

/** An older Node has no node:sqlite, and would fail somewhere deep inside with other words. */
function checkNode(): void {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= OLDEST_NODE) return;
  throw new LockError(
    "NODE_TOO_OLD",
    `Holdfast needs Node ${OLDEST_NODE} or later, and this is Node ${node}: run it with a newer one.`,
  );
}

/** A store's scheme. A single letter before the colon is a Windows drive. */
export function schemeOf(store: string): string {
  return /^([A-Za-z][A-Za-z0-9+.-]+):/.exec(store)?.[1]?.toLowerCase() ?? "file";
}

/** A store that is only looked at. */
export type Reader = Pick<Store, "inspect" | "verify" | "close">;

/** Opens a store to look at it. Of the file store only the part that looks is loaded. */
export async function openReader(store: string, options: StoreOptions): Promise<Reader> {
  if (schemeOf(store) !== "file") return openStore(store, options);
  return (await import("./file/reader.ts")).openFileReader(store, options);
}
