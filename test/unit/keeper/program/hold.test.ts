import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { hold } from "../../../../src/keeper/program/hold.ts";
import type { Task } from "../../../../src/keeper/protocol.ts";
import type { Holding } from "../../../../src/lock/store.ts";
import { openProcesses } from "../../../../src/machine/processes.ts";
import { temporaryDirectory } from "../../../helpers/directories.ts";

const DAY_MS = 86_400_000;

/** A held lock of so many days, and a keeper's task for it that nobody watches. */
function detached(days: number) {
  const ttl = days * DAY_MS;
  const released = vi.fn(async () => "released" as const);
  const holding: Holding = {
    lease: {
      key: "k",
      store: "file:/nowhere",
      owner: "me",
      fence: 1,
      slot: 0,
      slots: [0],
      resources: null,
      since: new Date().toISOString(),
      ttl: ttl / 1_000,
      waited: 0,
      token: "00",
    },
    lost: new AbortController().signal,
    renew: async () => {},
    release: released,
    cover: async () => true,
  };
  const task: Task = {
    store: "file:/nowhere",
    storeOptions: {},
    request: { key: "k", owner: { id: "me", metadata: {} }, ttl, refresh: false },
    timeout: 0,
    history: false,
    leaseFile: join(temporaryDirectory(), "k.json"),
    job: null,
    watched: null,
    jobDirectory: null,
    claimedBy: "keeper",
    starter: openProcesses({ sharedFilesystem: false }).self,
  };
  return { task, holding, released };
}

describe("a detached lock", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("of thirty days is held for more than the longest timer of Node, and released at 90 %", async () => {
    const { task, holding, released } = detached(30);
    const holds = Promise.withResolvers<void>();
    const silent = new AbortController().signal;
    const ended = hold(
      task,
      { write: () => holds.resolve() },
      {
        holding,
        verify: async () => true,
        tell: () => {},
        starter: {
          gone: silent,
          acknowledged: Promise.resolve(true),
          past: async () => [],
          close: () => {},
        },
        job: { gone: silent, isCertain: false, close: () => {} },
        past: async () => [],
      },
    );
    await holds.promise;
    await new Promise(setImmediate);
    await vi.advanceTimersByTimeAsync(26 * DAY_MS);
    expect(released).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1.1 * DAY_MS);
    await ended;
    expect(released).toHaveBeenCalledOnce();
  });
});
