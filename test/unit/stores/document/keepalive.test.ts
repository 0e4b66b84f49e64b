import { once } from "node:events";
import { expect, it } from "vitest";
import { Keepalive } from "../../../../src/stores/document/holding/keepalive.ts";
import type { Session } from "../../../../src/stores/engines/register.ts";

/** An engine that takes a sign of life and never answers, as behind a network that was cut. */
const silence: Session["renew"] = async ({ signal } = {}) => {
  if (signal?.aborted === false) await once(signal, "abort");
  signal?.throwIfAborted();
};
const SILENT = { id: "mine", begin: silence, renew: silence, end: async () => {} } as Session;

it("a sign of life that nobody answers is a store that is away, not a signal of its own", async () => {
  const pace = { deadAfter: 300, giveUpAfter: 200, outage: 0 };
  const keepalive = new Keepalive(SILENT, pace, new AbortController().signal);
  await expect(keepalive.begin()).rejects.toMatchObject({
    code: "STORE_UNREACHABLE",
    message: "The store did not answer a sign of life within 100ms.",
  });
  expect(keepalive.failure).toMatchObject({ code: "STORE_UNREACHABLE" });
});

it("the caller's own signal ends it with its own reason", async () => {
  const pace = { deadAfter: 300_000, giveUpAfter: 200_000, outage: 0 };
  const keepalive = new Keepalive(SILENT, pace, new AbortController().signal);
  const reason = new Error("enough");
  await expect(keepalive.renew(AbortSignal.abort(reason))).rejects.toBe(reason);
});
