import { LockError } from "../lock/errors.ts";
import { suggest } from "../lock/people/suggest.ts";
import type { Store } from "../lock/store.ts";
import { passwordIn, quote, withoutPassword } from "../lock/text.ts";
import { checkNode } from "../machine/programs.ts";
import type { Register } from "./engines/register.ts";
import type { StoreOptions } from "./options.ts";

type Factory = (store: string, options: StoreOptions) => Promise<Store>;

/** The stores that keep a document in somebody's engine. */
const ENGINES = new Set<Factory>();

const openGit = engine(async () => (await import("./engines/git/register.ts")).openGitRegister);
const openEtcd = engine(async () => (await import("./engines/etcd/register.ts")).openEtcdRegister);
const openRedis = engine(
  async () => (await import("./engines/redis/register.ts")).openRedisRegister,
);
const openPostgres = engine(
  async () => (await import("./engines/postgres/register.ts")).openPostgresRegister,
);
const openS3 = engine(async () => (await import("./engines/s3/register.ts")).openS3Register);

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
  etcd: openEtcd,
  etcds: openEtcd,
  redis: openRedis,
  rediss: openRedis,
  postgres: openPostgres,
  postgresql: openPostgres,
  s3: openS3,
};

async function openTcp(store: string, options: StoreOptions): Promise<Store> {
  return (await import("./tcp/store.ts")).openTcpStore(store, options);
}

async function openHttp(store: string, options: StoreOptions): Promise<Store> {
  return (await import("./http/store.ts")).openHttpStore(store, options);
}

type OpenRegister = (store: string, options: StoreOptions) => Register;

/** A store over the register of an engine. `load` brings in the register's code when it is first used. */
function engine(load: () => Promise<OpenRegister>): Factory {
  const open: Factory = async (store, options) => {
    const [openRegister, { openDocumentStore }] = await Promise.all([
      load(),
      import("./document/store.ts"),
    ]);
    const { life, alive, onTrouble } = options;
    return openDocumentStore(openRegister(store, options), {
      ...(life === undefined ? {} : { life }),
      ...(alive === undefined ? {} : { alive }),
      ...(onTrouble === undefined ? {} : { onTrouble }),
    });
  };
  ENGINES.add(open);
  return open;
}

export const SCHEMES = Object.keys(FACTORIES);

/** Opens a store by URL or path. Nothing is created, and no server is asked, before the first call. */
export async function openStore(store = "file:", options: StoreOptions = {}): Promise<Store> {
  checkNode();
  const text = store.trim() === "" ? "file:" : store;
  const scheme = schemeOf(text);
  const factory = Object.hasOwn(FACTORIES, scheme) ? FACTORIES[scheme] : undefined;
  if (factory === undefined) {
    const meant = suggest(scheme, SCHEMES);
    const advice = meant === null ? "use" : `did you mean ${meant}:? Use`;
    const shown = withoutPassword(text).replaceAll(options.token || "\0", "***");
    throw new LockError(
      "BAD_STORE",
      `The store ${quote(shown, 120)} has the unknown scheme ${quote(scheme)}: ${advice} a path, or one of ${SCHEMES.map((name) => `${name}:`).join(", ")}.`,
    );
  }
  return factory(text, options);
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
  const factory = FACTORIES[schemeOf(store)];
  return factory !== undefined && ENGINES.has(factory);
}

/** Whether a store is the refs of a repository: its forge knows the jobs that use it. */
export function isRepository(store: string): boolean {
  return FACTORIES[schemeOf(store)] === openGit;
}

/**
 * The password in a document store's URL, as the token that stands for it. Everything that is handed on or saved
 * names the store without it.
 */
export function tokenIn(store: string): Pick<StoreOptions, "token"> {
  const password = isDocumentStore(store) ? passwordIn(store) : null;
  if (password === null) return {};
  // A token with a colon names the user before it, and here that user is nobody.
  const isAlone = /:\/\/:/.test(store) && password.includes(":");
  return { token: isAlone ? `:${password}` : password };
}

/** A store that is only looked at. `url`: absent for lock files, which are not asked over a network. */
export type Reader = Pick<Store, "inspect" | "verify" | "close"> & Partial<Pick<Store, "url">>;

/** Opens a store to look at it. Of the file store only the part that looks is loaded. */
export async function openReader(store: string, options: StoreOptions): Promise<Reader> {
  if (schemeOf(store) !== "file") return openStore(store, options);
  return (await import("./file/reader.ts")).openFileReader(store, options);
}
