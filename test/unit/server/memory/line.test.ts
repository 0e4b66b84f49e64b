import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { PLACE_GRACE_MS } from "../../../../src/server/memory/restore.ts";
import { REJOIN_MS } from "../../../../src/stores/remote/claim.ts";
import { GREETING_MS } from "../../../../src/stores/tcp/server.ts";
import { acquireRequest } from "../../../../src/wire/request.ts";
import type { Client } from "../../../helpers/server/client.ts";
import { HttpClient, type SessionClient } from "../../../helpers/server/http-client.ts";
import { adopt, openSession } from "../../../helpers/server/http-server.ts";
import { Restartable } from "../../../helpers/server/restartable.ts";
import { PATIENT } from "../../../helpers/waiting.ts";

const GRANTED = /^ok [0-9a-f]{32} \d+$/;
const SECRET = "0123456789abcdef0123456789abcdef";

/** A server with a key that a nameless client holds: its lock ends with the server, and the line stays. */
class Scene {
  readonly server: Restartable;
  readonly plain: HttpClient;

  private constructor(server: Restartable) {
    this.server = server;
    this.plain = this.http({});
  }

  static async start(limit = 1): Promise<Scene> {
    const scene = new Scene(
      await Restartable.start(["--http-port", "0", "--shutdown-timeout", "0.1"]),
    );
    for (let slot = 0; slot < limit; slot += 1) {
      await (await scene.server.plain()).take("k", { limit, lease: 600 });
    }
    return scene;
  }

  http(headers: Record<string, string>): HttpClient {
    return adopt(new HttpClient(this.server.httpPort as number, headers));
  }

  session(wish: object = {}): Promise<SessionClient> {
    return openSession(this.http({}), wish);
  }

  /** The session on new connections: the old ones ended with the server. */
  again(session: SessionClient): HttpClient {
    return this.http({ authorization: `Bearer ${session.id}` });
  }

  /** Lets a client wait over TCP, as that claim. */
  async queue(claim: string, { owner = claim, limit = 1 } = {}): Promise<Client> {
    const client = await this.server.keeper(owner, claim);
    client.send(acquireRequest({ key: "k", timeout: 600, limit, lease: 60 }));
    return client;
  }

  /** Waits until the line has so many. */
  async length(count: number): Promise<void> {
    const { plain } = this;
    await expect
      .poll(async () => (await plain.ask("/admin/locks/k")).json.waiting, PATIENT)
      .toBe(count);
  }

  async restart(signal?: NodeJS.Signals): Promise<void> {
    await this.server.written();
    this.plain.hangUp();
    await this.server.restart(signal);
  }
}

const quiet = (client: Client) => expect(client.lines).toEqual([]);
const lost = (answer: Promise<unknown>) => void answer.catch(() => {});

it("the grace is longer than the longest pause of a client that lives", () => {
  expect(PLACE_GRACE_MS).toBeGreaterThan(GREETING_MS + REJOIN_MS);
  // A request over HTTP to a machine that is down: given up after 30 s, its last packet sent after 15 s.
  expect(PLACE_GRACE_MS).toBeGreaterThan(15_000 + 1.25 * REJOIN_MS);
});

describe("a place in line after a restart", () => {
  it("belongs to the claim that had it: nobody gets it by the owner's name, and nobody is shown its secret", async () => {
    const scene = await Scene.start();
    await scene.queue(SECRET, { owner: "deploy-1" });
    await scene.length(1);
    await scene.queue("second", { owner: "deploy-2" });
    await scene.length(2);
    const shown = async () => {
      const paths = ["/admin/locks", "/admin/locks/k", "/metrics", "/admin/history/k"];
      const pages = await Promise.all(paths.map((path) => scene.plain.ask(path)));
      const stats = JSON.stringify(await (await scene.server.plain()).stats());
      return pages.map(({ text }) => text).join() + stats + scene.server.log;
    };
    expect(await shown()).not.toContain(SECRET);
    await scene.restart();
    expect(await shown()).not.toContain(SECRET);
    const impostor = await scene.queue("another", { owner: "deploy-1" });
    await scene.length(3);
    const second = await scene.queue("second", { owner: "deploy-2" });
    quiet(second);
    quiet(impostor);
    const first = await scene.queue(SECRET, { owner: "deploy-1" });
    expect(await first.line()).toMatch(GRANTED);
    first.hangUp();
    expect(await second.line()).toMatch(GRANTED);
    second.hangUp();
    expect(await impostor.line()).toMatch(GRANTED);
  });

  it("is shown with the time since which it waits, and so is its wait in history", async () => {
    const scene = await Scene.start();
    await scene.queue("one");
    await scene.length(1);
    const [before] = (await scene.plain.ask("/admin/locks/k")).json.waiters;
    await scene.restart();
    const [after] = (await scene.plain.ask("/admin/locks/k")).json.waiters;
    expect(after).toEqual({ ...before, absent: true });
    await delay(200);
    const back = await scene.queue("one");
    expect(await back.line()).toMatch(GRANTED);
    back.hangUp();
    await expect
      .poll(
        async () => (await scene.plain.ask("/admin/history/k")).json.holds?.[0]?.waited,
        PATIENT,
      )
      .toBeGreaterThan(200);
  });

  it("is not passed by a claim that does not wait, nor by a write, at either door", async () => {
    const scene = await Scene.start();
    await scene.queue("one");
    await scene.length(1);
    await scene.restart();
    const session = await scene.session();
    const hasty = await scene.server.keeper("hasty", "h");
    expect(await hasty.ask(acquireRequest({ key: "k", timeout: 0 }))).toBe("timeout");
    const answers = [await session.acquire("/k"), await session.put("/k", "x")];
    expect(answers.map(({ status }) => status)).toEqual([423, 423]);
    expect(answers[0]?.json.message).toBe(
      "The server was restarted, and claims that waited before come first",
    );
    expect(await (await scene.queue("one")).line()).toMatch(GRANTED);
  });

  it("of several slots: who is back first waits for those before it, then all that fit have theirs", async () => {
    const scene = await Scene.start(2);
    for (const [index, claim] of ["a", "b", "c"].entries()) {
      await scene.queue(claim, { limit: 2 });
      await scene.length(index + 1);
    }
    await scene.restart();
    const [c, b] = [await scene.queue("c", { limit: 2 }), await scene.queue("b", { limit: 2 })];
    await scene.server.written();
    quiet(c);
    quiet(b);
    const a = await scene.queue("a", { limit: 2 });
    expect([await a.line(), await b.line()]).toEqual([
      expect.stringMatching(GRANTED),
      expect.stringMatching(GRANTED),
    ]);
    quiet(c);
    a.hangUp();
    expect(await c.line()).toMatch(GRANTED);
  });

  it("is kept over a second restart before its client was back", async () => {
    const scene = await Scene.start();
    await scene.queue("a");
    await scene.length(1);
    await scene.queue("b");
    await scene.length(2);
    await scene.restart();
    const b = await scene.queue("b");
    await scene.restart();
    quiet(b);
    const again = await scene.queue("b");
    await scene.server.written();
    quiet(again);
    expect(await (await scene.queue("a")).line()).toMatch(GRANTED);
  });

  it("waits for a thaw as it did before", async () => {
    const scene = await Scene.start();
    await scene.queue("a");
    await scene.length(1);
    await scene.queue("b");
    await scene.length(2);
    await scene.plain.ask("/admin/freezes/k?reason=incident&owner=ann", { method: "PUT" });
    await scene.restart();
    const [b, a] = [await scene.queue("b"), await scene.queue("a")];
    await scene.server.written();
    quiet(a);
    await scene.plain.ask("/admin/freezes/k?owner=ann", { method: "DELETE" });
    expect(await a.line()).toMatch(GRANTED);
    quiet(b);
  });
});

describe.each(["SIGKILL", "SIGTERM"] as const)("a session that waits, after %s", (signal) => {
  it("has its place, although its ttl was over before the server was back", async () => {
    const scene = await Scene.start();
    const [one, other] = [await scene.session({ ttl: 1 }), await scene.session()];
    lost(one.acquire("/k", "&wait=60"));
    await scene.length(1);
    lost(other.acquire("/k", "&wait=60"));
    await scene.length(2);
    await scene.server.written();
    await scene.server.end(signal);
    await delay(1_500);
    await scene.server.startAgain();
    const second = scene.again(other).acquire("/k", "&wait=60");
    expect((await scene.again(one).acquire("/k", "&wait=60")).status).toBe(200);
    await scene.again(one).release("/k");
    expect((await second).status).toBe(200);
  });

  it("and is ended is passed at once", async () => {
    const scene = await Scene.start();
    const [one, other] = [await scene.session(), await scene.session()];
    lost(one.acquire("/k", "&wait=60"));
    await scene.length(1);
    lost(other.acquire("/k", "&wait=60"));
    await scene.length(2);
    await scene.restart(signal);
    const second = scene.again(other).acquire("/k", "&wait=60");
    await scene.again(one).remove("/auth/session");
    expect((await second).status).toBe(200);
  });

  it("is the newest as before: a newer one ends it, and it is told so when it is back", async () => {
    const scene = await Scene.start();
    const [older, newer] = [await scene.session({ owner: "older" }), await scene.session()];
    lost(older.acquire("/k", "&wait=60&line=newest"));
    await scene.length(1);
    await scene.restart(signal);
    // Older than the one that waited, by what its client says: it comes too late.
    const late = await scene.session();
    const old = await scene.again(late).acquire("/k", "&wait=60&line=newest&age=600000");
    expect([old.status, old.json.by]).toEqual([409, "older"]);
    expect((await scene.again(newer).acquire("/k", "&wait=60&line=newest")).status).toBe(200);
    const told = await scene.again(older).acquire("/k", "&wait=60&line=newest");
    expect([told.status, told.json.error]).toEqual([409, "Superseded"]);
  });

  it("for its run gets the lock for the run, and the others of the run share it", async () => {
    const scene = await Scene.start();
    const [one, other] = [await scene.session(), await scene.session()];
    const terms = "&wait=60&run=acme/1&ttl=600000";
    lost(one.acquire("/k", terms));
    await scene.length(1);
    lost(other.acquire("/k", terms));
    await scene.length(2);
    await scene.restart(signal);
    const shared = scene.again(other).acquire("/k", terms);
    const held = await scene.again(one).acquire("/k", terms);
    expect(held.json.run).toMatchObject({ id: "acme/1" });
    expect((await shared).json.fence).toBe(held.json.fence);
  });
});
