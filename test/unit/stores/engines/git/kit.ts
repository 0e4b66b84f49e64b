import { afterEach } from "vitest";
import { openGitRegister } from "../../../../../src/stores/engines/git/register.ts";
import type { GitSettings } from "../../../../../src/stores/engines/git/server.ts";
import type { Register } from "../../../../../src/stores/engines/register.ts";
import type { StoreOptions } from "../../../../../src/stores/options.ts";
import {
  type GitServer,
  type GitServerOptions,
  startGitServer,
} from "../../../../helpers/git-server.ts";

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server that ends with the test. */
export async function served(options: GitServerOptions = {}): Promise<GitServer> {
  const server = await startGitServer(options);
  closing.push(() => server.close());
  return server;
}

/** A register that ends with the test, and sees nothing of this machine's own environment. */
export function opened(
  url: string,
  options: StoreOptions = {},
  settings: GitSettings = {},
): Register {
  const register = openGitRegister(url, options, { env: {}, ...settings });
  closing.push(() => register.close());
  return register;
}

export function onEnd(close: () => Promise<void>): void {
  closing.push(close);
}

/** The version that a swap made; fails the test where it made none. */
export async function put(
  register: Register,
  key: string,
  version: string | null,
  text: string,
): Promise<string> {
  const swap = await register.swap(key, version, text);
  if (swap.outcome !== "done") throw new Error(`not done: ${JSON.stringify(swap)}`);
  return swap.version;
}

export const KEY = "production";
