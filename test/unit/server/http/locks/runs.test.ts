import { describe, expect, it } from "vitest";
import { HttpClient } from "../../../../helpers/server/http-client.ts";
import { openDoor } from "../../../../helpers/server/http-door.ts";
import { adopt, openSession } from "../../../../helpers/server/http-server.ts";
import { Restartable } from "../../../../helpers/server/restartable.ts";
import { PATIENT } from "../../../../helpers/waiting.ts";

const RUN = "&run=acme%2Fshop%2Fruns%2F456";
const TERMS = `${RUN}&ttl=600000`;

describe("&run=", () => {
  it("is a hold that outlives its session and that later sessions of the run share", async () => {
    const { session, table, plain } = await openDoor();
    const first = await session({ owner: "job-1" });
    const granted = await first.acquire("/k", TERMS);
    expect(granted.json).toMatchObject({
      message: "Lock acquired",
      run: { id: "acme/shop/runs/456" },
      left: 600_000,
      token: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(Date.parse(granted.json.run.until)).toBe(granted.json.lockedAt + 600_000);
    await first.remove("/auth/session");
    expect(table.held).toBe(1);
    const [second, stranger] = [await session({ owner: "job-2" }), await session()];
    const shared = await second.acquire("/k", `${TERMS}&slots=4`);
    expect([shared.status, shared.json.fence]).toEqual([200, granted.json.fence]);
    expect((await stranger.acquire("/k", `${TERMS}0`.replace("456", "457"))).json).toMatchObject({
      error: "File is locked",
      owner: "job-1",
    });
    const other = await stranger.ask("/k?lock=release&run=other");
    expect([other.status, other.json.heldBy]).toEqual([404, "job-1"]);
    // An ordinary release is about the session, which holds nothing.
    expect((await second.release("/k")).status).toBe(404);
    const released = await stranger.ask(`/k?lock=release${RUN}`);
    expect([released.status, released.json.fence]).toEqual([200, granted.json.fence]);
    expect((await stranger.ask(`/k?lock=release${RUN}`)).json.heldBy).toBeNull();
    expect((await plain.ask(`/k?lock=release${RUN}`)).status).toBe(401);
  });

  it("is not made longer by a refresh, and ends with its ttl", async () => {
    const { session, table, clock } = await openDoor();
    const one = await session();
    const { json } = await one.acquire("/k", `${RUN}&ttl=10000`);
    clock.pass(6);
    const refreshed = await one.ask(`/k?lock=refresh${RUN}`);
    expect(refreshed.json).toMatchObject({ fence: json.fence, left: 4_000 });
    clock.pass(4);
    expect((await one.ask(`/k?lock=refresh${RUN}`)).status).toBe(404);
    expect(table.held).toBe(0);
  });

  it("is released by its token, and tells of a break with its reason", async () => {
    const { session, table } = await openDoor();
    const [one, other] = [await session(), await session()];
    const { token, fence } = (await one.acquire("/k", TERMS)).json;
    const wrong = { headers: { "holdfast-token": "0".repeat(32) } };
    expect((await other.ask("/k?lock=release", wrong)).status).toBe(404);
    table.break("k", null, { reason: "stuck", by: "ann" });
    const gone = await one.ask(`/k?lock=refresh${RUN}&fence=${fence}`);
    expect(gone.json).toMatchObject({ error: "Lock broken", reason: "stuck", by: "ann", fence });
    const anew = (await one.acquire("/k", TERMS)).json;
    expect(anew.fence).toBeGreaterThan(fence);
    // The token of the broken hold does not release what the run has now.
    const old = { headers: { "holdfast-token": token } };
    expect((await other.ask("/k?lock=release", old)).status).toBe(404);
    const right = { headers: { "holdfast-token": anew.token } };
    expect((await other.ask("/k?lock=release", right)).status).toBe(200);
    // An ordinary lock has a token as well, which is told to nobody and opens nothing here.
    await one.acquire("/k");
    const inside = { headers: { "holdfast-token": table.find("k")?.holders.first?.token ?? "" } };
    expect((await other.ask("/k?lock=release", inside)).status).toBe(404);
  });

  it("that nobody heard of is taken back, unless the run asks again", async () => {
    const disk = Promise.withResolvers<void>();
    let isSlow = false;
    const { session, table, door } = await openDoor(
      {},
      { settled: () => (isSlow ? disk.promise : null) },
    );
    const [one, other] = [await session(), await session()];
    isSlow = true;
    const hangUp = new AbortController();
    const asked = ["/lost", "/kept"].map((path) =>
      one.ask(`${path}?lock=acquire${TERMS}`, { signal: hangUp.signal }).catch(() => "hung up"),
    );
    await expect.poll(() => table.held, PATIENT).toBe(2);
    const { connections } = door;
    hangUp.abort();
    expect(await Promise.all(asked)).toEqual(["hung up", "hung up"]);
    await expect.poll(() => door.connections, PATIENT).toBe(connections - 2);
    isSlow = false;
    disk.resolve();
    expect((await other.acquire("/kept", TERMS)).status).toBe(200);
    await expect.poll(() => table.find("lost")?.holders.size ?? 0, PATIENT).toBe(0);
    expect(table.find("kept")?.holders.size).toBe(1);
  });

  it.each([
    ["&run=x", /run and its ttl belong together/],
    ["&ttl=1000", /run and its ttl belong together/],
    ["&run=&ttl=1000", /run "" is not 1 to 500 characters/],
    [`&run=${"x".repeat(501)}&ttl=1000`, /is not 1 to 500 characters/],
    ["&run=a%0Ab&ttl=1000", /without control characters/],
    ["&run=x&ttl=999", /ttl "999" is not a number of milliseconds from 1000/],
    ["&run=x&ttl=1e9", /ttl "1e9" is not a number/],
  ])("is asked for properly: %s is 400", async (terms, message) => {
    const { session, table } = await openDoor();
    const answer = await (await session()).acquire("/k", terms);
    expect(answer.status).toBe(400);
    expect(answer.json.message).toMatch(message);
    expect(table.keys).toBe(0);
  });
});

it("a run's hold outlives kill -9 and a restart, until the moment that was told", async () => {
  const server = await Restartable.start(["--http-port", "0"]);
  const session = () =>
    openSession(adopt(new HttpClient(server.httpPort as number)), { owner: "j" });
  const { json } = await (await session()).acquire("/k", TERMS);
  await (await session()).acquire("/short", `${RUN}&ttl=1000`);
  await server.restart();
  const one = await session();
  const held = (await one.status("/k")).json.holders;
  expect(held).toMatchObject([{ owner: "j", fence: json.fence, run: json.run, door: "http" }]);
  const shared = await one.acquire("/k", TERMS);
  expect(shared.json).toMatchObject({ fence: json.fence, token: json.token });
  expect(shared.json.left).toBeLessThan(600_000);
  await expect.poll(async () => (await one.acquire("/short")).status, PATIENT).toBe(200);
  expect((await one.ask(`/k?lock=release${RUN}`)).status).toBe(200);
  await server.end();
});
