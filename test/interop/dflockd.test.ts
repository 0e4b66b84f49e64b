import { describe, expect, it } from "vitest";
import { introductionRequest } from "../../src/wire/introduction.ts";
import { encodeWireKey } from "../../src/wire/key.ts";
import { parseReply, type Reply } from "../../src/wire/reply.ts";
import {
  acquireRequest,
  authRequest,
  enqueueRequest,
  LONGEST_WAIT_SECONDS,
  type Request,
  releaseRequest,
  renewRequest,
  waitRequest,
} from "../../src/wire/request.ts";
import { isHoldfast, keyStatsRequest } from "../../src/wire/stats.ts";
import { fenceOf } from "../../src/wire/token.ts";
import { isThere } from "../helpers/needs.ts";
import type { Client } from "../helpers/server/client.ts";
import { connectTo } from "../helpers/server/server.ts";
import { BINARY, type Start, startOurs, startReal } from "../helpers/tcp/dflockd.ts";
import { PATIENT } from "../helpers/waiting.ts";

async function ask(client: Client, request: Request): Promise<Reply> {
  return parseReply(await client.ask(request));
}

async function taken(client: Client, request: Request): Promise<string> {
  const reply = await ask(client, request);
  if (reply.kind !== "granted" && reply.kind !== "acquired")
    throw new Error(`It got ${reply.kind}.`);
  return reply.token;
}

const SERVERS: [string, Start, boolean][] = [
  ["our server", startOurs, false],
  ["a real dflockd (DFLOCKD_BIN)", startReal, !isThere("dflockd", BINARY !== undefined)],
];

for (const [name, start, skipped] of SERVERS) {
  describe.skipIf(skipped)(`our side of the wire, with ${name}`, () => {
    it("takes, renews and frees a lock", async () => {
      const client = await connectTo(await start());
      const token = await taken(client, acquireRequest({ key: "k", timeout: 5 }));
      expect(await ask(client, renewRequest({ key: "k", token }))).toEqual({
        kind: "renewed",
        lease: 33,
      });
      expect(await ask(client, renewRequest({ key: "k", token, lease: 60 }))).toEqual({
        kind: "renewed",
        lease: 60,
      });
      expect(await ask(client, releaseRequest({ key: "k", token }))).toEqual({ kind: "ok" });
      expect(await ask(client, releaseRequest({ key: "k", token }))).toMatchObject({
        kind: "error",
      });
      expect(await ask(client, renewRequest({ key: "k", token }))).toMatchObject({ kind: "error" });
    });

    it("waits without limit, in line", async () => {
      const port = await start();
      const clients = [
        await connectTo(port),
        await connectTo(port),
        await connectTo(port),
      ] as const;
      let token = await taken(clients[0], acquireRequest({ key: "k", timeout: 0 }));
      for (const [index, client] of clients.slice(1).entries()) {
        client.send(acquireRequest({ key: "k", timeout: LONGEST_WAIT_SECONDS }));
        await expect
          .poll(async () => (await clients[0].stats()).locks[0]?.waiters, PATIENT)
          .toBe(index + 1);
      }
      for (const [index, client] of clients.slice(1).entries()) {
        await clients[index]?.free("k", token);
        const reply = parseReply(await client.line());
        expect(reply).toMatchObject({ kind: "granted", lease: 33 });
        token = reply.kind === "granted" ? reply.token : "";
      }
    });

    it("is told timeout, and by another connection's end that the lock is free", async () => {
      const port = await start();
      const [first, second] = [await connectTo(port), await connectTo(port)];
      await taken(first, acquireRequest({ key: "k", timeout: 0 }));
      expect(await ask(second, acquireRequest({ key: "k", timeout: 0 }))).toEqual({
        kind: "timeout",
      });
      second.send(acquireRequest({ key: "k", timeout: 60 }));
      first.hangUp();
      expect(parseReply(await second.line())).toMatchObject({ kind: "granted" });
    });

    it("enqueues, then waits", async () => {
      const port = await start();
      const [first, second] = [await connectTo(port), await connectTo(port)];
      const token = await taken(first, enqueueRequest({ key: "k", lease: 50 }));
      expect(await ask(first, waitRequest({ key: "k", timeout: 0 }))).toEqual({
        kind: "granted",
        token,
        lease: 50,
      });
      expect(await ask(second, waitRequest({ key: "k", timeout: 0 }))).toMatchObject({
        kind: "error",
      });
      expect(await ask(second, enqueueRequest({ key: "k" }))).toEqual({ kind: "queued" });
      expect(await ask(second, enqueueRequest({ key: "k" }))).toMatchObject({ kind: "error" });
      await first.free("k", token);
      expect(await ask(second, waitRequest({ key: "k", timeout: 60 }))).toMatchObject({
        kind: "granted",
      });
    });

    it("takes slots, and is told of another limit and of a full line", async () => {
      const port = await start({ maxWaiters: 1 });
      const [first, second, third] = [
        await connectTo(port),
        await connectTo(port),
        await connectTo(port),
      ];
      const token = await taken(first, acquireRequest({ key: "s", timeout: 0, limit: 2 }));
      await taken(first, enqueueRequest({ key: "s", limit: 2 }));
      expect(await ask(first, waitRequest({ key: "s", timeout: 0, limit: 2 }))).toMatchObject({
        kind: "granted",
      });
      const mismatch = { kind: "error", word: "error_limit_mismatch" };
      expect(await ask(first, acquireRequest({ key: "s", timeout: 0, limit: 3 }))).toEqual(
        mismatch,
      );
      second.send(acquireRequest({ key: "s", timeout: 60, limit: 2 }));
      await expect.poll(async () => (await first.stats()).semaphores[0]?.waiters, PATIENT).toBe(1);
      const full = { kind: "error", word: "error_max_waiters" };
      expect(await ask(third, acquireRequest({ key: "s", timeout: 60, limit: 2 }))).toEqual(full);
      expect(await ask(first, renewRequest({ key: "s", token, limit: 2 }))).toMatchObject({
        kind: "renewed",
      });
      expect(await ask(first, releaseRequest({ key: "s", token, limit: 2 }))).toEqual({
        kind: "ok",
      });
      expect(parseReply(await second.line())).toMatchObject({ kind: "granted" });
    });

    it("introduces itself, and learns whether tokens carry a fence", async () => {
      const client = await connectTo(await start());
      const owner = {
        id: "ci-github-1-1-deploy",
        metadata: { run_url: "https://example.com/1?a=b&c" },
      };
      const stats = await client.stats(introductionRequest({ owner, note: "two words" }));
      const token = await taken(client, acquireRequest({ key: "k", timeout: 0 }));
      expect(isHoldfast(stats)).toBe(start === startOurs);
      if (isHoldfast(stats)) expect(fenceOf(token)).toBeGreaterThan(0);
      const [lock] = (await client.stats(keyStatsRequest("k"))).locks;
      expect(lock).toMatchObject({ key: "k", waiters: 0 });
    });

    it("sends any key so that it is accepted", async () => {
      const client = await connectTo(await start());
      for (const key of ["two words", "a/b", "100%", "größe ☃", "☃ ".repeat(50)]) {
        await taken(client, acquireRequest({ key: encodeWireKey(key), timeout: 0 }));
      }
    });

    it("shows a token, and survives a wrong one", async () => {
      const port = await start({ token: "s3cret" });
      const [right, wrong] = [await connectTo(port), await connectTo(port)];
      expect(await ask(right, authRequest("s3cret"))).toEqual({ kind: "ok" });
      await taken(right, acquireRequest({ key: "k", timeout: 0 }));
      expect(await ask(wrong, authRequest("wrong"))).toEqual({ kind: "error", word: "error_auth" });
      await wrong.untilClosed();
    });
  });
}
