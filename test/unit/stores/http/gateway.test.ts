import { describe, expect, it } from "vitest";
import type { Progress } from "../../../../src/lock/store.ts";
import { Relay } from "../../../helpers/http/relay.ts";
import { served } from "../../../helpers/http/served.ts";
import { hold, lost, open, request } from "../../../helpers/tcp/support.ts";
import { PATIENT } from "../../../helpers/waiting.ts";

const LEASE_MS = 6_000;

describe("a gateway before the server", () => {
  it("answers slowly: a holder hears it all the same", async () => {
    const { httpPort } = await served();
    const relay = await Relay.start(() => ({}), httpPort);
    const holding = await hold(await open(relay.url), "holder", { deadAfter: LEASE_MS });
    relay.treat = () => ({ slow: LEASE_MS / 3 });
    const start = performance.now();
    while (performance.now() - start < LEASE_MS * 1.5) await holding.renew();
    expect(holding.lost.aborted).toBe(false);
    relay.treat = () => ({});
    expect(await holding.release()).toBe("released");
  });

  const troubles = {
    "a page of its own (502)": { status: 502, body: "<title>502 Bad Gateway</title>" },
    "a page of its own (404)": { status: 404, body: "404 page not found" },
    "that it is busy (503)": {
      status: 503,
      body: { error: "busy", message: "Come again." },
      headers: { "retry-after": "1" },
    },
    "half of what the server said": { half: true },
  };

  it.each(Object.entries(troubles))(
    "answers %s for a while: the lock is kept",
    async (_, trouble) => {
      const { httpPort } = await served();
      const relay = await Relay.start(() => ({}), httpPort);
      const holding = await hold(await open(relay.url), "holder", { deadAfter: LEASE_MS });
      relay.treat = () => trouble;
      const renewal = holding.renew();
      const before = relay.requests.length;
      await expect.poll(() => relay.requests.length, PATIENT).toBeGreaterThan(before + 2);
      relay.treat = () => ({});
      await renewal;
      expect(holding.lost.aborted).toBe(false);
      expect(await holding.release()).toBe("released");
    },
  );

  it("answers with pages for too long: the holder is told, and why", async () => {
    const { httpPort } = await served();
    const relay = await Relay.start(() => ({}), httpPort);
    const holding = await hold(await open(relay.url), "holder", { deadAfter: 3_000 });
    relay.treat = () => troubles["a page of its own (502)"];
    expect(await lost(holding)).toMatch(/could not be renewed for .*502, "502 Bad Gateway"/);
  });

  it.each(Object.entries(troubles))(
    "answers %s while a claim waits: it is told, and goes on",
    async (_, trouble) => {
      const { httpPort, url } = await served();
      const relay = await Relay.start(() => ({}), httpPort);
      const direct = await open(url);
      const holding = await hold(direct, "holder");
      const reports: Progress[] = [];
      const claimed = (await open(relay.url)).claim(request("waiter"), {
        onProgress: (progress) => reports.push(progress),
      });
      await expect.poll(() => reports.length, PATIENT).toBeGreaterThan(0);
      relay.treat = () => trouble;
      await expect.poll(() => reports.at(-1)?.trouble, PATIENT).toContain(relay.url);
      relay.treat = () => ({});
      await expect.poll(() => reports.at(-1)?.trouble, PATIENT).toBeUndefined();
      await holding.release();
      expect(await (await claimed).release()).toBe("released");
    },
  );
});
