import { LockError } from "../lock/errors.ts";
import type { Store } from "../lock/store.ts";
import { quote } from "../lock/text.ts";
import type { Alive, Life } from "./document/life.ts";
import type { StaleRule } from "./file/judge.ts";
import type { LockFormat } from "./file/record.ts";
import { schemeOf } from "./scheme.ts";

/** What a store may need to know beyond its URL. Each store takes what concerns it. */
export interface StoreOptions {
  /** For relative paths. Default: the process's own. */
  readonly workingDirectory?: string;
  /** Who acts, for the record. Default: the operating system's user. */
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
  /** Document stores: what the lives of its holds hang on, such as the CI job that claims. */
  readonly life?: Life;
  /** Document stores: asks a forge whether a holder's job is still there. Default: nothing is known. */
  readonly alive?: Alive;
  /** Document stores: told one sentence for the log where the server is away or asks for patience. */
  readonly onTrouble?: (sentence: string) => void;
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
  file: async (store, options) => (await import("./file/index.ts")).openFileStore(store, options),
  tcp: openTcp,
  tls: openTcp,
  http: openHttp,
  https: openHttp,
  github: openGit,
  "git+https": openGit,
  "git+http": openGit,
};

async function openTcp(store: string, options: StoreOptions): Promise<Store> {
  return (await import("./tcp/index.ts")).openTcpStore(store, options);
}

async function openHttp(store: string, options: StoreOptions): Promise<Store> {
  return (await import("./http/index.ts")).openHttpStore(store, options);
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

/** Opens a store by URL or path. Nothing is created, and nobody is connected to, before the first claim. */
export async function openStore(store = "file:", options: StoreOptions = {}): Promise<Store> {
  const text = store.trim() === "" ? "file:" : store;
  const scheme = schemeOf(text);
  const factory = Object.hasOwn(FACTORIES, scheme) ? FACTORIES[scheme] : undefined;
  if (factory === undefined) {
    throw new LockError(
      "BAD_STORE",
      `The store ${quote(withoutPassword(text), 120)} has the unknown scheme ${quote(scheme)}: use a path, or one of ${SCHEMES.map((name) => `${name}:`).join(", ")}.`,
    );
  }
  return factory(text, options);
}

/** For a sentence about a store that nobody knows how to read: a password ends at the last @. */
function withoutPassword(store: string): string {
  return store.replace(/^([^:]*:\/\/[^:@/]*):.*@/s, "$1@");
}
