import { describe, expect, it } from "vitest";
import type { Hold } from "../../../../../src/lock/history.ts";
import { keyHistoryRequest } from "../../../../../src/wire/stats.ts";
import { served } from "../../../../helpers/http/served.ts";
import { breakPath, startPanel } from "../../../../helpers/panel/panel.ts";
import { hold, KEY, lost, open } from "../../../../helpers/tcp/support.ts";

const REASON = "the runner was unplugged\n::error::forged";
const SHOWN = "the runner was unplugged ::error::forged";

describe("the reason of a break", () => {
  it("is in the history, over HTTP and in TCP's stats of the key", async () => {
    const server = await startPanel();
    const holder = await server.keeper("ci-1");
    await holder.take("k");
    await server.ask(breakPath("k", { reason: REASON, owner: "maria" }), { method: "DELETE" });
    const { holds } = await server.json<{ holds: Hold[] }>("/admin/history/k");
    expect(holds).toMatchObject([{ end: "broken", reason: SHOWN, by: "maria" }]);
    const { idle_locks } = await (await server.connect()).stats(keyHistoryRequest("k"));
    expect(idle_locks[0]?.holds?.map((hold) => ({ ...hold, who: "ci-1" }))).toEqual(holds);
  });

  it("is in the 404 of a session that asks for its lock, until it has the lock again", async () => {
    const server = await startPanel();
    const session = await server.session("ci-1");
    const { fence } = (await (await server.lock(session, "k", "acquire")).json()) as Hold;
    await server.ask(breakPath("k", { reason: REASON, owner: "maria" }), { method: "DELETE" });
    for (const operation of ["refresh", "release"]) {
      const answer = await server.lock(session, "k", operation);
      expect(answer.status).toBe(404);
      const body = (await answer.json()) as Record<string, unknown>;
      expect(body).toMatchObject({ error: "Lock broken", reason: SHOWN, by: "maria", fence });
      expect(body.message).toContain(`it was broken by maria (${SHOWN})`);
    }
    await server.lock(session, "k", "acquire");
    await server.lock(session, "k", "release");
    const again = await server.lock(session, "k", "refresh");
    const after = (await again.json()) as Record<string, unknown>;
    expect(after).toMatchObject({ error: "Lock not found" });
    expect(after.reason).toBeUndefined();
  });

  it("names nobody where the operator gave no name", async () => {
    const server = await startPanel();
    await (await server.keeper("ci-1")).take("k");
    await server.ask(breakPath("k", { reason: "stuck" }), { method: "DELETE" });
    const { holds } = await server.json<{ holds: Hold[] }>("/admin/history/k");
    expect(holds[0]).toMatchObject({ end: "broken", reason: "stuck" });
    expect(holds[0]?.by).toBeUndefined();
  });

  it("reaches a holder over HTTP that releases right after the break", async () => {
    const { url } = await served();
    const [admin, store] = [await open(url), await open(url)];
    const holding = await hold(store, "ci-1");
    await admin.break(KEY, { reason: REASON, owner: "maria" });
    expect(await holding.release()).toBe("already-gone");
    expect(await lost(holding)).toBe(
      `The lock "${KEY}" was lost: it was broken by maria (${SHOWN}).`,
    );
  });

  it("reaches the job that claimed for its whole run", async () => {
    const { url } = await served();
    const [admin, store] = [await open(url), await open(url)];
    const run = { id: "acme/shop/runs/456", forge: null };
    const holding = await hold(store, "ci-1", { run, deadAfter: 1_000 });
    await admin.break(KEY, { reason: REASON, owner: "maria" });
    expect(await lost(holding)).toContain(`it was broken by maria (${SHOWN}).`);
  });

  it.each(["tcp", "http"])("reaches a holder over %s", async (scheme) => {
    const { url, port } = await served();
    const admin = await open(url);
    const store = await open(scheme === "tcp" ? `tcp://127.0.0.1:${port}` : url);
    const holding = await hold(store, "ci-1", { deadAfter: 3_000 });
    const { broken } = await admin.break(KEY, { reason: REASON, owner: "maria" });
    expect(broken).toHaveLength(1);
    expect(await lost(holding)).toBe(
      `The lock "${KEY}" was lost: it was broken by maria (${SHOWN}).`,
    );
  });
});
