import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { HttpClient, type SessionClient } from "../../../../helpers/server/http-client.ts";
import { adopt, openSession } from "../../../../helpers/server/http-server.ts";
import { Restartable } from "../../../../helpers/server/restartable.ts";
import { PATIENT } from "../../../../helpers/waiting.ts";

async function start(): Promise<{
  server: Restartable;
  session: (wish?: object) => Promise<SessionClient>;
}> {
  const server = await Restartable.start(["--http-port", "0"]);
  const port = server.httpPort as number;
  return { server, session: (wish) => openSession(adopt(new HttpClient(port)), wish) };
}

/** On new connections: the old ones ended with the server. */
function again(session: SessionClient): HttpClient {
  return adopt(new HttpClient(session.port, { authorization: `Bearer ${session.id}` }));
}

describe.each(["SIGKILL", "SIGTERM"] as const)("after %s and a restart", (signal) => {
  it("a session is known, with everything that was said of it", async () => {
    const { server, session } = await start();
    const one = await session({ owner: "ci-1", note: "n", metadata: { job: "j" }, ttl: 600 });
    const before = (await one.ask("/auth/session")).json;
    await server.restart(signal);
    const after = (await again(one).ask("/auth/session")).json;
    expect(after).toEqual({
      ...before,
      lastUsed: after.lastUsed,
      expiresAt: after.lastUsed + 600_000,
    });
  });

  it("a lock is held by the same session, until the moment that was told", async () => {
    const { server, session } = await start();
    const [one, other] = [await session({ owner: "ci-1" }), await session()];
    await one.acquire("/k");
    await delay(20);
    await one.refresh("/k");
    const { lock } = (await one.status("/k")).json;
    await server.restart(signal);
    expect((await again(other).acquire("/k")).status).toBe(423);
    const status = (await again(one).status("/k")).json;
    expect(status).toMatchObject({ locked: true, ownedByThisSession: true });
    expect(status.lock).toEqual(lock);
    expect((await again(one).release("/k")).status).toBe(200);
    const next = await again(other).acquire("/k");
    expect(next.status).toBe(200);
    expect(next.json.fence).toBeGreaterThan(lock.fence);
  });

  it("a restored session can wait, and be told of its grant", async () => {
    const { server, session } = await start();
    const [one, other] = [await session(), await session()];
    await one.acquire("/k");
    await server.restart(signal);
    const waiting = again(other).acquire("/k", "&wait=60");
    const watch = await server.plain();
    await expect.poll(async () => (await watch.stats()).locks[0]?.waiters, PATIENT).toBe(1);
    await again(one).remove("/auth/session");
    expect((await waiting).status).toBe(200);
  });

  it("what was let go, deleted or ended stays so, and files are whole", async () => {
    const { server, session } = await start();
    const [one, other] = [await session(), await session()];
    await one.acquire("/let-go");
    await one.release("/let-go");
    await one.acquire("/put");
    await one.put("/put", "content");
    await one.put("/deleted", "x");
    await one.remove("/deleted");
    await other.acquire("/ended");
    await other.remove("/auth/session");
    await server.restart(signal);
    const back = again(one);
    for (const key of ["/let-go", "/put", "/ended"]) {
      expect((await back.status(key)).json.locked).toBe(false);
    }
    expect((await back.ask("/put")).text).toBe("content");
    expect((await back.ask("/deleted")).status).toBe(404);
    expect((await again(other).ask("/auth/session")).status).toBe(401);
  });

  it("the lock of a write alone is nobody's, and the fence of a lock is still known", async () => {
    const { server, session } = await start();
    const one = await session();
    const { fence } = (await one.acquire("/f")).json;
    await one.release("/f");
    await one.put("/f", "x");
    await server.restart(signal);
    const refused = await again(one).put("/f", "y", { "holdfast-fence": fence - 1 });
    expect(refused.status).toBe(412);
    expect(refused.json.highestFence).toBe(fence);
    expect((await again(one).put("/f", "y", { "holdfast-fence": fence })).status).toBe(200);
    expect((await again(one).status("/f")).json.locked).toBe(false);
  });
});

describe("a session whose time is over when the server is back", () => {
  it("is not known any more, and its locks are free when it has had its time again", async () => {
    const { server, session } = await start();
    const [one, other] = [await session({ ttl: 3 }), await session()];
    await one.acquire("/k");
    await server.end();
    await delay(3_500);
    const started = Date.now();
    await server.startAgain();
    expect((await again(one).ask("/auth/session")).status).toBe(401);
    expect((await again(one).release("/k")).status).toBe(401);
    const next = await again(other).acquire("/k", "&wait=60");
    expect(next.status).toBe(200);
    expect(next.json.lockedAt - started).toBeGreaterThanOrEqual(3_000);
    expect((await again(one).ask("/auth/session")).status).toBe(401);
  });

  it("is forgotten at once where it holds nothing", async () => {
    const { server, session } = await start();
    const one = await session({ ttl: 1 });
    await server.end();
    await delay(1_500);
    await server.startAgain();
    expect((await again(one).ask("/auth/session")).status).toBe(401);
    const metrics = async () => (await again(one).ask("/metrics")).text;
    await expect.poll(metrics, PATIENT).toContain("\nholdfast_sessions 0\n");
    await server.restart("SIGTERM");
    expect(server.log).toContain("sessions=0");
  });
});
