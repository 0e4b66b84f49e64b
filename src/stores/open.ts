import { LockError } from "../lock/errors.ts";
import type { Store } from "../lock/store.ts";
import { quote, withoutPassword } from "../lock/text.ts";
import type { StoreOptions } from "./options.ts";

type Factory = (store: string, options: StoreOptions) => Promise<Store>;

/** A store's code is loaded when its scheme is first used: an action pays only for what it needs. */
const FACTORIES: Record<string, Factory> = {
  file: async (store, options) => (await import("./file/store.ts")).openFileStore(store, options),
  tcp: openTcp,
  tls: openTcp,
  http: openHttp,
  https: openHttp,
  github: openGit,
  "git+https": openGit,
  "git+http": openGit,
};

async function openTcp(store: string, options: StoreOptions): Promise<Store> {
  return (await import("./tcp/store.ts")).openTcpStore(store, options);
}

async function openHttp(store: string, options: StoreOptions): Promise<Store> {
  return (await import("./http/store.ts")).openHttpStore(store, options);
}

async function openGit(store: string, options: StoreOptions): Promise<Store> {
  const [{ openGitRegister }, { openDocumentStore }] = await Promise.all([
    import("./document/git/index.ts"),
    import("./document/store.ts"),
  ]);
  const { life, alive, onTrouble } = options;
  return openDocumentStore(openGitRegister(store, options), {
    ...(life === undefined ? {} : { life }),
    ...(alive === undefined ? {} : { alive }),
    ...(onTrouble === undefined ? {} : { onTrouble }),
  });
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

/**
 * A store's scheme. A single letter before the colon is a Windows drive; `github` alone is the
 * repository of the job, and a directory of that name is `./github`.
 */
export function schemeOf(store: string): string {
  const [, named, alone] =
    /^\s*(?:([A-Za-z][A-Za-z0-9+.-]+):|(github)\s*(?:$|\?))/i.exec(store) ?? [];
  return (named ?? alone ?? "file").toLowerCase();
}

/**
 * Whether a store is a document in somebody's engine. Its password is not written into lease files,
 * and its holders may be judged by their forge.
 */
export function isDocumentStore(store: string): boolean {
  return FACTORIES[schemeOf(store)] === openGit;
}

/** A store that is only looked at. */
export type Reader = Pick<Store, "inspect" | "verify" | "close">;

/** Opens a store to look at it. Of the file store only the part that looks is loaded. */
export async function openReader(store: string, options: StoreOptions): Promise<Reader> {
  if (schemeOf(store) !== "file") return openStore(store, options);
  return (await import("./file/reader.ts")).openFileReader(store, options);
}
