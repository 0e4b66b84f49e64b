import type { Store } from "../../../src/lock/store.ts";
import { startCli } from "../cli/cli.ts";
import type { Running } from "../processes.ts";

/** `holdfast page` as a process of its own. */
export interface StorePage {
  readonly process: Running;
  /** With the token. */
  readonly address: string;
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  readonly token: string;
  /** Asks with the token. */
  ask(path: string, options?: RequestInit): Promise<Response>;
}

export async function startPage(
  store: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<StorePage> {
  const process = startCli(["page", "--store", store, ...args], { env });
  const [, address = "", origin = "", token = ""] = await process.prints(
    /^listening ((http:\/\/127\.0\.0\.1:\d+)\/#token=(\w+))$/m,
  );
  const ask = (path: string, options: RequestInit = {}) =>
    fetch(origin + path, {
      ...options,
      headers: { authorization: `Bearer ${token}`, ...options.headers },
    });
  return { process, address, origin, token, ask };
}

/** Claims a key as a workflow's run would. */
export function claim(store: Store, key: string, id: string, more: object = {}) {
  return store.claim({ key, owner: { id, metadata: { hostname: "runner-1" } }, ...more });
}
