import { describe, expect, it } from "vitest";
import { openStore } from "../../../../../src/stores/open.ts";
import { acquireRequest, releaseRequest } from "../../../../../src/wire/request.ts";
import { startHttp } from "../../../../helpers/server/http-server.ts";
import { PATIENT } from "../../../../helpers/waiting.ts";

const SHARED = "&slots=3&resources=x,y,z";

describe("&weight=, &priority=, &resources= and &ready=", () => {
  it.each([
    ["weight=0", /weight/],
    ["weight=2", /weight/],
    ["weight=x", /weight/],
    ["weight=1&weight=1", /weight/],
    ["priority=101", /priority/],
    ["priority=1.5", /priority/],
    ["priority=", /priority/],
    ["resources=", /resources/],
    ["resources=a,a", /twice/],
    ["resources=a%0Ab,c%00d", /resources/],
    ["slots=3&resources=a,b", /resources/],
    ["ready=no&wait=1", /ready/],
    ["ready=false", /wait/],
    [`slots=1000&resources=${"a".repeat(101)}`, /resources/],
  ])("%s is 400 with a sentence, and nobody stands in line", async (terms, sentence) => {
    const { session, plain } = await startHttp();
    const answer = await (await session()).acquire("/k", `&${terms}`);
    expect([answer.status, answer.json.message]).toEqual([400, expect.stringMatching(sentence)]);
    expect((await plain.ask("/admin/locks/k")).json).toMatchObject({ holders: [], waiting: 0 });
  });

  it("are told in status and in /admin, with what was heeded", async () => {
    const { session, plain } = await startHttp();
    const [one, two] = [await session({ owner: "one" }), await session({ owner: "two" })];
    const terms = `${SHARED}&weight=2&priority=-7`;
    expect((await one.acquire("/k", terms)).json).toMatchObject({
      slot: 0,
      slots: 3,
      heldSlots: [0, 1],
      resources: ["x", "y"],
      heeded: ["weight", "priority", "resources"],
    });
    const waits = await two.acquire("/k", `${SHARED}&weight=all&wait=0.2`);
    expect(waits.json).toMatchObject({ position: 1, heeded: ["weight", "resources"] });
    const shown = {
      slots: 3,
      resources: ["x", "y", "z"],
      holders: [{ owner: "one", slot: 0, slots: [0, 1], weight: 2, resources: ["x", "y"] }],
      waiters: [{ owner: "two", weight: 3, priority: 0, ready: true }],
    };
    expect((await plain.ask("/admin/locks/k")).json).toMatchObject(shown);
    expect((await one.status("/k")).json).toMatchObject(shown);
    await one.release("/k");
    const [last] = (await plain.ask("/admin/history/k")).json.holds;
    expect(last).toMatchObject({ slots: [0, 1], resources: ["x", "y"] });
  });

  it("change no word for a client that knows none of them", async () => {
    const { session } = await startHttp();
    const [one, two] = [await session(), await session()];
    const granted = (await one.acquire("/k")).json;
    expect(Object.keys(granted).sort()).toEqual(
      ["message", "path", "sessionId", "fence", "slot", "slots", "lockedAt", "expiresAt"].sort(),
    );
    expect(Object.keys((await two.acquire("/k", "&wait=0.1")).json).sort()).toEqual(
      [
        ...["error", "message", "lockedBy", "lockedAt", "expiresAt", "fence", "owner", "note"],
        ...["metadata", "position", "waiting"],
      ].sort(),
    );
  });

  it("refuse other names than those in use with 409, and name both", async () => {
    const { session } = await startHttp();
    const [one, two] = [await session(), await session()];
    await one.acquire("/k", SHARED);
    for (const terms of ["&slots=3", "&resources=x,y,w", "&resources=x,y"]) {
      const answer = await two.acquire("/k", terms);
      expect([answer.status, answer.json.error]).toEqual([409, "Slots differ"]);
    }
    expect((await two.acquire("/k", "&resources=x,y,w")).json.message).toMatch(/x, y, z.*x, y, w/);
  });

  it("keep slots for a heavy claim also between two of its requests", async () => {
    const { session, plain } = await startHttp();
    const [one, heavy, light] = [await session(), await session(), await session()];
    await one.acquire("/k", "&slots=2");
    const inLine = await heavy.acquire("/k", "&slots=2&weight=2&wait=0.1");
    expect(inLine.status).toBe(423);
    const [waiter] = (await plain.ask("/admin/locks/k")).json.waiters;
    expect(waiter).toMatchObject({ weight: 2, absent: true });
    expect((await light.acquire("/k", "&slots=2")).status).toBe(423);
    await one.release("/k");
    expect((await heavy.acquire("/k", "&slots=2&weight=2&wait=30")).status).toBe(200);
  });

  it("free the way for those behind a heavy claim that leaves, whose request is answered", async () => {
    const { session, plain } = await startHttp();
    const [one, heavy, light] = [await session(), await session(), await session()];
    await one.acquire("/k", "&slots=2");
    const waits = heavy.acquire("/k", "&slots=2&weight=2&wait=60");
    const length = async () => (await plain.ask("/admin/locks/k")).json.waiting;
    await expect.poll(length, PATIENT).toBe(1);
    const behind = light.acquire("/k", "&slots=2&wait=60");
    await expect.poll(length, PATIENT).toBe(2);
    await heavy.release("/k");
    expect((await behind).json).toMatchObject({ slot: 1 });
    const late = (await session()).acquire("/k", "&slots=2&wait=20");
    expect((await Promise.race([waits, late])).json).toMatchObject({ position: null, waiting: 0 });
  });

  it("mean nothing to clients of TCP, whose claims are of weight 1 and priority 0", async () => {
    const { server, session, plain } = await startHttp();
    const [one, urgent] = [await session(), await session()];
    await one.acquire("/k", `${SHARED}&weight=3`);
    const client = await server.connect();
    client.send(acquireRequest({ key: "k", timeout: 60, limit: 3, lease: 60 }));
    const length = async () => (await plain.ask("/admin/locks/k")).json.waiting;
    await expect.poll(length, PATIENT).toBe(1);
    const first = urgent.acquire("/k", `${SHARED}&weight=3&priority=1&wait=60`);
    await expect.poll(length, PATIENT).toBe(2);
    await one.release("/k");
    expect((await first).status).toBe(200);
    await urgent.release("/k");
    const token = (await client.line()).split(" ")[1] as string;
    expect((await plain.ask("/admin/locks/k")).json.holders).toMatchObject([
      { slots: [0], weight: 1, resources: ["x"] },
    ]);
    expect(await client.ask(releaseRequest({ key: "k", token }))).toBe("ok");
  });
});

it("shows over TCP as well who has which slots, who waits for how many, and what is frozen", async () => {
  const { server, session, plain } = await startHttp();
  const [one, heavy] = [await session({ owner: "one" }), await session({ owner: "heavy" })];
  await one.acquire("/k", `${SHARED}&weight=2`);
  const waits = heavy.acquire("/k", `${SHARED}&weight=all&priority=-7&wait=60`);
  await expect.poll(async () => (await one.status("/k")).json.waiting, PATIENT).toBe(1);
  await plain.ask("/admin/freezes/k?resource=z&reason=broken", { method: "PUT" });
  const store = await openStore(`tcp://127.0.0.1:${server.port}`);
  expect(await store.inspect("k")).toMatchObject({
    slots: 3,
    resources: ["x", "y", "z"],
    holders: [{ owner: "one", slot: 0, weight: 2, slots: [0, 1], resources: ["x", "y"] }],
    waiters: [{ owner: "heavy", weight: 3, priority: -7, ready: true }],
    frozenSlots: [{ slot: 2, resource: "z", reason: "broken" }],
  });
  await store.close();
  await plain.ask("/admin/freezes/k", { method: "DELETE" });
  await one.release("/k");
  expect((await waits).status).toBe(200);
});

describe("&ready=false", () => {
  it("keeps a place and is passed, until the session asks without it", async () => {
    const { session, plain } = await startHttp();
    const [early, other] = [await session({ owner: "early" }), await session()];
    const place = await early.acquire("/k", "&ready=false&wait=0.1");
    expect(place.status).toBe(423);
    expect(place.json).toMatchObject({ position: 1, waiting: 1, heeded: ["ready"] });
    expect((await plain.ask("/admin/locks/k")).json.waiters).toMatchObject([{ ready: false }]);
    expect((await other.acquire("/k")).status).toBe(200);
    const behind = other.status("/k");
    expect((await behind).json.waiters).toMatchObject([{ owner: "early", ready: false }]);
    await other.release("/k");
    expect((await early.acquire("/k", "&wait=30&ready=true")).json).toMatchObject({ slot: 0 });
  });

  it("is heard of on a second connection while the first still waits", async () => {
    const { session, plain } = await startHttp();
    const early = await session();
    const waits = early.acquire("/k", "&ready=false&wait=60");
    const length = async () => (await plain.ask("/admin/locks/k")).json.waiting;
    await expect.poll(length, PATIENT).toBe(1);
    expect((await early.acquire("/k")).status).toBe(200);
    expect((await waits).status).toBe(200);
  });

  it("takes the lock now or not at all where the session then asks without a wait", async () => {
    const { session } = await startHttp();
    const [holder, early] = [await session(), await session()];
    await holder.acquire("/k");
    await early.acquire("/k", "&ready=false&wait=0.1");
    expect((await early.acquire("/k")).status).toBe(423);
    await holder.release("/k");
    expect((await early.acquire("/k")).status).toBe(200);
  });
});

describe("a freeze of one slot", () => {
  it("is asked for properly: by a number or by a name, of a slot that the key has", async () => {
    const { session, plain } = await startHttp();
    await (await session()).acquire("/k", SHARED);
    const freeze = (only: string, method = "PUT") =>
      plain.ask(`/admin/freezes/k?reason=broken${only}`, { method });
    for (const only of ["&slot=3", "&slot=x", "&slot=-1", "&resource=w", "&slot=1&resource=y"])
      expect((await freeze(only)).status, only).toBe(400);
    expect((await freeze("&resource=y")).json.frozen).toMatchObject({ slot: 1, by: "operator" });
    expect((await freeze("&slot=2")).json.frozen).toMatchObject({ slot: 2 });
    const { json } = await plain.ask("/admin/locks/k");
    expect(json.frozen).toBeUndefined();
    expect(json.frozenSlots).toMatchObject([{ slot: 1 }, { slot: 2 }]);
    expect((await freeze("&resource=z", "DELETE")).json.thawed).toMatchObject({ reason: "broken" });
    expect((await freeze("&resource=z", "DELETE")).json.thawed).toBeNull();
    expect((await freeze("", "DELETE")).json.thawed).toMatchObject({ reason: "broken" });
    expect((await plain.ask("/admin/locks/k")).json.frozenSlots).toEqual([]);
    expect((await plain.ask("/admin/history/k")).json.freezes).toMatchObject([
      { slot: 1, endedBy: "operator" },
      { slot: 2, endedBy: "operator" },
    ]);
  });

  it("of a key that nobody uses is possible: a device is often taken out at night", async () => {
    const { session, plain } = await startHttp();
    await plain.ask("/admin/freezes/pool?reason=broken&slot=1", { method: "PUT" });
    const one = await session();
    expect((await one.acquire("/pool", "&slots=2")).json.slot).toBe(0);
    expect((await (await session()).acquire("/pool", "&slots=2")).status).toBe(423);
  });

  it("ends with its time, and lets those in who wait for it", async () => {
    const { session, plain } = await startHttp();
    await plain.ask("/admin/freezes/k?reason=broken&slot=0&for=300", { method: "PUT" });
    expect((await (await session()).acquire("/k", "&wait=30")).status).toBe(200);
    expect((await plain.ask("/admin/locks/k")).json.frozenSlots).toEqual([]);
  });
});
