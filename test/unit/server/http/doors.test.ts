import { describe, expect, it } from "vitest";
import type { Progress } from "../../../../src/lock/store.ts";
import { introductionRequest } from "../../../../src/wire/introduction.ts";
import { served } from "../../../helpers/http/served.ts";
import { startHttp } from "../../../helpers/server/http-server.ts";
import { KEY, open, request } from "../../../helpers/tcp/support.ts";
import { PATIENT } from "../../../helpers/waiting.ts";

describe("TCP and HTTP clients", () => {
  it("lock each other out", async () => {
    const { session, server } = await startHttp();
    const [one, tcp] = [await session(), await server.connect()];
    const token = await tcp.take("locks/x");
    const refused = await one.acquire("/locks/x");
    expect(refused.status).toBe(423);
    expect(refused.json).toMatchObject({
      lockedBy: expect.stringMatching(/^connection-\d+$/),
      owner: null,
    });
    expect((await one.put("/locks/x", "y")).status).toBe(423);
    expect((await one.release("/locks/x")).status).toBe(404);
    await tcp.free("locks/x", token);
    await one.acquire("/locks/x");
    expect(await tcp.ask("l\nlocks/x\n0\n")).toBe("timeout");
    await one.release("/locks/x");
    await tcp.take("locks/x");
  });

  it("see who the other is", async () => {
    const { session, server } = await startHttp();
    const tcp = await server.connect();
    const owner = { id: "ci-456", metadata: { hostname: "runner-3", process_id: 4711 } };
    await tcp.stats(introductionRequest({ owner, note: "v1" }));
    await tcp.take("k", { lease: 60 });
    const one = await session({ owner: "by-http" });
    expect((await one.status("/k")).json).toMatchObject({
      lock: { lockedBy: "ci-456", owner: "ci-456", note: "v1" },
      holders: [
        { owner: "ci-456", door: "tcp", pid: 4_711, host: "runner-3", ttl: 60, alive: true },
      ],
    });
    await one.acquire("/other");
    expect((await tcp.stats()).locks.find(({ key }) => key === "other")?.leases?.[0]?.owner).toBe(
      "by-http",
    );
  });

  it("contending for one key are served in the order in which they came", async () => {
    const { session, server } = await startHttp();
    const watch = await server.connect();
    const first = await session();
    await first.acquire("/k");
    const order: string[] = [];
    const all: Promise<void>[] = [];
    for (let index = 0; index < 10; index += 1) {
      if (index % 2 === 0) {
        const one = await session();
        all.push(
          one.acquire("/k", "&wait=60").then(async ({ status }) => {
            expect(status).toBe(200);
            order.push(`http ${index}`);
            await one.release("/k");
          }),
        );
      } else {
        const tcp = await server.connect();
        all.push(
          tcp.take("k", { timeout: 60 }).then(async (token) => {
            order.push(`tcp ${index}`);
            await tcp.free("k", token);
          }),
        );
      }
      await expect
        .poll(async () => (await watch.stats()).locks[0]?.waiters, PATIENT)
        .toBe(index + 1);
    }
    await first.release("/k");
    await Promise.all(all);
    expect(order).toEqual(
      Array.from({ length: 10 }, (_, index) => `${index % 2 === 0 ? "http" : "tcp"} ${index}`),
    );
  });

  it("share the slots of a key", async () => {
    const { session, server } = await startHttp();
    const [one, two, tcp] = [await session(), await session(), await server.connect()];
    await tcp.take("k", { limit: 2 });
    expect((await one.acquire("/k", "&slots=2")).json.slot).toBe(1);
    expect((await two.acquire("/k", "&slots=2")).status).toBe(423);
    expect(await (await server.connect()).ask("sl\nk\n0 3\n")).toBe("error_limit_mismatch");
  });

  it("hear of each other's end", async () => {
    const { session, server } = await startHttp();
    const tcp = await server.connect();
    await tcp.take("k");
    const one = await session();
    const waiting = one.acquire("/k", "&wait=60");
    const watch = await server.connect();
    await expect.poll(async () => (await watch.stats()).locks[0]?.waiters, PATIENT).toBe(1);
    tcp.hangUp();
    expect((await waiting).status).toBe(200);
    watch.send("l\nk\n60\n");
    await one.remove("/auth/session");
    expect(await watch.line()).toMatch(/^ok /);
  });
});

it("a freeze over HTTP reaches the store of a claim that waits over TCP, which keeps its place", async () => {
  const { url, port } = await served();
  const [admin, store] = [await open(url), await open(`tcp://127.0.0.1:${port}`)];
  const frozen = await admin.freeze?.(KEY, { reason: "incident", owner: "ann", duration: null });
  expect(await store.inspect(KEY)).toMatchObject({ holders: [], frozen });
  expect(await store.list()).toMatchObject([{ key: KEY, frozen }]);
  await expect(store.claim(request("hasty"), { timeout: 0 })).rejects.toMatchObject({
    code: "TIMEOUT",
    message: expect.stringContaining("frozen by ann: incident"),
  });
  const told: Progress[] = [];
  const waiting = store.claim(request("ci-1"), { onProgress: (progress) => told.push(progress) });
  // Over several looks: a lookout that does not find the claim would join the line anew.
  await expect.poll(() => told.length, PATIENT).toBeGreaterThanOrEqual(4);
  expect(told.map(({ position, trouble }) => [position, trouble])).toEqual(
    told.map(() => [1, undefined]),
  );
  expect(told.at(-1)?.frozen).toEqual(frozen);
  await admin.thaw?.(KEY, { owner: "ann" });
  await (await waiting).release();
});
