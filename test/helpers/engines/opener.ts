import { type DocumentStore, openDocumentStore } from "../../../src/stores/document/store.ts";
import type { Register } from "../../../src/stores/engines/register.ts";
import { schemeOf } from "../../../src/stores/open.ts";
import type { StoreOptions } from "../../../src/stores/options.ts";
import { openQuickS3, QUICK } from "./s3-opener.ts";

/** All processes of the contract suite have one clock: no test needs to wait for one that is late. */
const SKEW_MS = 100;

/** How processes of the contract suite open the store of an engine. */
export async function open(url: string, options: StoreOptions): Promise<DocumentStore> {
  const quick = schemeOf(url) === "s3" ? QUICK : {};
  return openDocumentStore(await register(url, options), {
    timing: { ...quick, skew: SKEW_MS },
  });
}

async function register(url: string, options: StoreOptions): Promise<Register> {
  switch (schemeOf(url)) {
    case "etcd":
      return (await import("../../../src/stores/engines/etcd/register.ts")).openEtcdRegister(
        url,
        options,
      );
    case "redis":
      return (await import("../../../src/stores/engines/redis/register.ts")).openRedisRegister(
        url,
        options,
      );
    case "s3":
      return openQuickS3(url, options);
    default:
      return (
        await import("../../../src/stores/engines/postgres/register.ts")
      ).openPostgresRegister(url, options);
  }
}
