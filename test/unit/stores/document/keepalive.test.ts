import { once } from "node:events";
import { expect, it } from "vitest";
import { Keepalive } from "../../../../src/stores/document/holding/keepalive.ts";
import type { Beacons } from "../../../../src/stores/engines/register.ts";

/** An engine that takes a sign of life and never answers, as behind a network that was cut. */
const SILENT: Beacons = {
  minimum: 1,
  light: async (_id, _deadAfter, { signal } = {}) => {
    if (signal?.aborted === false) await once(signal, "abort");
    signal?.throwIfAborted();
  },
  douse: async () => {},
  lit: async () => new Map(),
};

it("a sign of life that nobody answers is a store that is away, not a signal of its own", async () => {
  const pace = { deadAfter: 300, giveUpAfter: 200, outage: 0 };
  const keepalive = new Keepalive(SILENT, "mine", pace, new AbortController().signal);
  await expect(keepalive.kindle()).rejects.toMatchObject({
    code: "STORE_UNREACHABLE",
    message: "The store did not answer a sign of life within 100ms.",
  });
  expect(keepalive.failure).toMatchObject({ code: "STORE_UNREACHABLE" });
});

it("the caller's own signal ends it with its own reason", async () => {
  const pace = { deadAfter: 300_000, giveUpAfter: 200_000, outage: 0 };
  const keepalive = new Keepalive(SILENT, "mine", pace, new AbortController().signal);
  const reason = new Error("enough");
  await expect(keepalive.light(AbortSignal.abort(reason))).rejects.toBe(reason);
});
