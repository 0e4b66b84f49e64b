import type { Store, StorePromises } from "../lock/store.ts";
import type { StaleRule } from "./file/judge.ts";
import type { LockFormat } from "./file/record.ts";
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
}
/** What the environment says about how to use a store, the same for the CLI and the action. */
export declare function environmentOptions(env: NodeJS.ProcessEnv): StoreOptions;
export declare const SCHEMES: string[];
/** Opens a store by URL or path. Nothing is created, and nobody is connected to, before the first claim. */
export declare function openStore(store?: string, options?: StoreOptions): Promise<Store>;
/** A store's URL in its full form, and whom it excludes: for those who will not use it themselves. */
export declare function describeStore(store: string, options: StoreOptions): Promise<{
    url: string;
    scope: StorePromises["scope"];
}>;
/** Begins to load a store's code, for a process that will soon be told to use such a store. */
export declare function preload(scheme: string): void;
/** A single letter before the colon is a Windows drive, not a scheme. */
export declare function schemeOf(store: string): string;
