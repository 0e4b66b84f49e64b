import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach } from "vitest";
import { unusedPort } from "../ports.ts";
import { connectTo, startServer } from "../server/server.ts";

export const BINARY = process.env.DFLOCKD_BIN;

export interface ServerWishes {
  readonly token?: string;
  readonly maxLocks?: number;
  readonly maxWaiters?: number;
}

/** Starts a server and resolves to its port. It ends with the test. */
export type Start = (wishes?: ServerWishes) => Promise<number>;

export const startOurs: Start = async ({ token, maxLocks = 1_024, maxWaiters = 0 } = {}) => {
  const limits = { "max-locks": String(maxLocks), "max-waiters": String(maxWaiters) };
  const auth = token === undefined ? {} : { "auth-token": token };
  return (await startServer({ ...limits, ...auth })).port;
};

const endings: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

/** A real dflockd, from the binary that DFLOCKD_BIN names. */
export const startReal: Start = async ({ token, maxLocks = 1_024, maxWaiters = 0 } = {}) => {
  const port = await unusedPort();
  const limits = ["--max-locks", String(maxLocks), "--max-waiters", String(maxWaiters)];
  const child = spawn(BINARY as string, ["--port", String(port), ...limits], {
    env: token === undefined ? {} : { DFLOCKD_AUTH_TOKEN: token },
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  endings.push(() => {
    child.kill("SIGKILL");
    return ended;
  });
  for (;;) {
    const client = await connectTo(port).catch(() => null);
    if (client !== null) return port;
    await pause(20);
  }
};
