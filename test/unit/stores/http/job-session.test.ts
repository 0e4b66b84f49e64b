import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Store } from "../../../../src/lock/store.ts";
import { openStore } from "../../../../src/stores/open.ts";
import { temporaryDirectory } from "../../../helpers/directories.ts";
import { githubClaims, LocalIssuer } from "../../../helpers/identity/issuer.ts";
import { HttpClient } from "../../../helpers/server/http-client.ts";
import { adopt, type HttpServer, startHttp } from "../../../helpers/server/http-server.ts";
import { PATIENT } from "../../../helpers/waiting.ts";

const OPERATOR = "the-operators-token";
let issuer: LocalIssuer;
let server: HttpServer;
let operator: HttpClient;
let may: readonly string[];
const stores: Store[] = [];

beforeEach(async () => {
  issuer = await LocalIssuer.open();
  may = ["look", "claim", "freeze"];
  server = await start();
});

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  await issuer.close();
});

async function start(): Promise<HttpServer> {
  const directory = temporaryDirectory();
  const [policy, token] = [join(directory, "policy.json"), join(directory, "token")];
  const entry = { name: "github", url: issuer.url, audience: "locks" };
  const claims = { repository_owner_id: "1234" };
  const rules = [{ issuer: "github", claims, keys: ["**"], may }];
  writeFileSync(policy, JSON.stringify({ issuers: [entry], rules }));
  writeFileSync(token, OPERATOR, { mode: 0o600 });
  const started = await startHttp({ policy, "auth-token-file": token });
  operator = adopt(new HttpClient(started.port, { authorization: `Bearer ${OPERATOR}` }));
  return started;
}

/** The store as a job sees it that was given a single ID token, as on GitLab. */
async function openWithOneToken(changes: Record<string, unknown> = {}): Promise<Store> {
  const token = await issuer.token(githubClaims({ aud: "locks", ...changes }));
  return openWith({ HOLDFAST_ID_TOKEN: token });
}

async function openWith(variables: Record<string, string>): Promise<Store> {
  const store = await openStore(`http://127.0.0.1:${server.port}`, { variables });
  stores.push(store);
  return store;
}

const request = (key: string, more = {}) => ({ key, owner: { id: "me", metadata: {} }, ...more });
const RUN = { id: "told", forge: null };

async function sessions(): Promise<number> {
  const { text } = await operator.ask("/metrics");
  return Number(/^holdfast_sessions (\d+)$/m.exec(text)?.[1]);
}

describe("a job with a single ID token", () => {
  test("holds several keys, each for itself, and leaves no session behind", async () => {
    const store = await openWithOneToken();
    const [one, other] = await Promise.all([store.claim(request("a")), store.claim(request("b"))]);
    expect(await sessions()).toBe(1);
    expect(await one.release()).toBe("released");
    expect(await store.verify(one.lease)).toBe(false);
    expect((await store.inspect("a")).holders).toEqual([]);
    await other.renew();
    expect(await store.verify(other.lease)).toBe(true);
    await store.close();
    await other.renew();
    expect(await other.release()).toBe("released");
    expect(await sessions()).toBe(0);
  });

  test("is not given twice what it holds", async () => {
    const store = await openWithOneToken();
    const held = await store.claim(request("a"));
    await expect(store.claim(request("a"), { timeout: 0 })).rejects.toThrow("was used already");
    const run = await store.claim(request("b", { run: RUN, ttl: 60_000 }));
    await expect(store.claim(request("b"), { timeout: 0 })).rejects.toThrow("was used already");
    expect(await store.verify(run.lease)).toBe(true);
    expect(await held.release()).toBe("released");
    const again = await store.claim(request("a"));
    expect(again.lease.fence).toBeGreaterThan(held.lease.fence as number);
  });

  test("is told who holds what it did not get, and keeps no place in line", async () => {
    const holder = await (await openWithOneToken({ check_run_id: "1" })).claim(request("a"));
    const store = await openWithOneToken();
    for (const timeout of [0, 300]) {
      const claimed = store.claim(request("a"), { timeout });
      await expect(claimed).rejects.toMatchObject({ code: "TIMEOUT" });
      await expect(claimed).rejects.toThrow("ci-actions-456-1-1");
    }
    expect((await store.inspect("a")).waiting).toBe(0);
    expect(await holder.release()).toBe("released");
    expect((await store.claim(request("a"), { timeout: 0 })).lease.owner).toBe(
      "ci-actions-456-1-987",
    );
  });

  test("that may not look is told it was not acquired, and by whom it is held where it did not wait", async () => {
    await server.server.running.stop();
    may = ["claim"];
    server = await start();
    const holder = await (await openWithOneToken({ check_run_id: "1" })).claim(request("a"));
    const store = await openWithOneToken();
    await expect(store.claim(request("a"), { timeout: 0 })).rejects.toThrow("ci-actions-456-1-1");
    const claimed = store.claim(request("a"), { timeout: 300 });
    await expect(claimed).rejects.toMatchObject({ code: "TIMEOUT" });
    expect(await holder.release()).toBe("released");
  });

  test("freezes, and then looks who holds the key", async () => {
    const store = await openWithOneToken();
    await store.freeze?.("a", { reason: "incident", owner: "me", duration: null });
    expect((await store.inspect("a")).frozen).toMatchObject({ reason: "incident" });
  });

  test("hears that the lock of its run was broken, also long after its claim", async () => {
    const store = await openWithOneToken();
    const holding = await store.claim(request("a", { run: RUN, ttl: 60_000, deadAfter: 1_000 }));
    await operator.ask("/admin/locks/a?reason=stuck", { method: "DELETE" });
    await expect.poll(() => holding.lost.aborted, PATIENT).toBe(true);
    expect(String(holding.lost.reason)).toContain("stuck");
  });

  test("verifies and releases by its lease alone", async () => {
    const store = await openWithOneToken();
    const [own, ofRun] = [
      await store.claim(request("a")),
      await store.claim(request("b", { run: RUN, ttl: 60_000 })),
    ];
    const later = await openWith({});
    for (const { lease } of [own, ofRun]) {
      expect(await later.verify(lease)).toBe(true);
      expect(await later.verify({ ...lease, fence: 5 })).toBe(false);
    }
    for (const { lease } of [ofRun, own]) {
      expect(await later.release(lease)).toBe("released");
      expect(await later.verify(lease)).toBe(false);
      expect(await later.release(lease)).toBe("already-gone");
    }
    const wrong = { ...ofRun.lease, token: `run.${"0".repeat(32)}.00` };
    await store.claim(request("b", { run: RUN, ttl: 60_000 }));
    expect(await later.release(wrong)).toBe("already-gone");
    expect((await store.inspect("b")).holders).toHaveLength(1);
  });

  test("is told that the variable holds no ID token, without showing what it holds", async () => {
    for (const text of ["a\nb", "ü", "secret"]) {
      const opened = openWith({ HOLDFAST_ID_TOKEN: text });
      await expect(opened).rejects.toMatchObject({ code: "BAD_OPTION" });
      await expect(opened).rejects.not.toThrow(text);
    }
  });
});
