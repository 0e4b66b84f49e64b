import { expect, it } from "vitest";
import { HttpClient, type SessionClient } from "../../../helpers/server/http-client.ts";
import { adopt, openSession } from "../../../helpers/server/http-server.ts";
import { Restartable } from "../../../helpers/server/restartable.ts";
import { PATIENT } from "../../../helpers/waiting.ts";

const TERMS = "&slots=3&resources=x,y,z";

it("weights, priorities, passes, readiness, slots, names and frozen slots survive kill -9", async () => {
  const server = await Restartable.start(["--http-port", "0"]);
  const port = server.httpPort as number;
  const plain = adopt(new HttpClient(port));
  const sessions: SessionClient[] = [];
  for (const owner of ["heavy", "low", "early", "urgent", "next"])
    sessions.push(await openSession(plain, { owner, ttl: 600 }));
  const [heavy, low, early, urgent, next] = sessions as [
    ...[SessionClient, SessionClient, SessionClient],
    ...[SessionClient, SessionClient],
  ];
  const look = async () => (await adopt(new HttpClient(port)).ask("/admin/locks/k")).json;
  const queue = async (session: SessionClient, terms: string, length: number): Promise<void> => {
    const again = adopt(new HttpClient(port, { authorization: `Bearer ${session.id}` }));
    const waits = again.acquire("/k", `${TERMS}${terms}&wait=60`);
    waits.catch(() => {});
    await expect.poll(async () => (await look()).waiting, PATIENT).toBe(length);
  };
  await heavy.acquire("/k", `${TERMS}&weight=2`);
  await queue(low, "&weight=2&priority=-3", 1);
  await queue(early, "&ready=false", 2);
  // It passes the one that waits, and not the one that is not ready.
  expect((await urgent.acquire("/k", `${TERMS}&priority=9`)).json.heldSlots ?? [2]).toEqual([2]);
  await plain.ask("/admin/freezes/k?reason=broken&resource=z", { method: "PUT" });
  await server.written();
  const before = await look();
  plain.hangUp();
  await server.restart();
  const after = await look();
  expect(after).toMatchObject({
    slots: 3,
    resources: ["x", "y", "z"],
    frozenSlots: [{ slot: 2, reason: "broken" }],
    holders: [
      { owner: "heavy", slots: [0, 1], weight: 2, resources: ["x", "y"] },
      { owner: "urgent", slots: [2], weight: 1, resources: ["z"] },
    ],
    waiters: [
      { owner: "early", priority: 0, ready: false },
      { owner: "low", weight: 2, priority: -3, ready: true },
    ],
  });
  expect(before.holders.map(({ fence }: { fence: number }) => fence)).toEqual(
    after.holders.map(({ fence }: { fence: number }) => fence),
  );
  // The one that was passed once is passed nine times more: both restarts and places count.
  await queue(low, "&weight=2&priority=-3", 2);
  const again = (session: SessionClient) =>
    adopt(new HttpClient(port, { authorization: `Bearer ${session.id}` }));
  await again(urgent).release("/k");
  await plain.ask("/admin/freezes/k", { method: "DELETE" });
  for (let pass = 2; pass <= 10; pass += 1) {
    expect((await again(next).acquire("/k", `${TERMS}&priority=9`)).status, `${pass}`).toBe(200);
    await again(next).release("/k");
  }
  expect((await again(next).acquire("/k", `${TERMS}&priority=9`)).status).toBe(423);
});

it("a frozen slot is that of its name over kill -9, and so is its thaw", async () => {
  const server = await Restartable.start(["--http-port", "0"]);
  const port = server.httpPort as number;
  const plain = adopt(new HttpClient(port));
  const session = await openSession(plain, { owner: "me", ttl: 600 });
  const use = async (terms: string) => {
    const again = adopt(new HttpClient(port, { authorization: `Bearer ${session.id}` }));
    const { json } = await again.acquire("/k", terms);
    await again.release("/k");
    return json.resources;
  };
  await session.acquire("/k", "&slots=2&resources=x,y");
  await plain.ask("/admin/freezes/k?reason=broken&resource=x", { method: "PUT" });
  await session.release("/k");
  expect(await use("&slots=3&resources=z,y,x&weight=2")).toEqual(["z", "y"]);
  await server.written();
  plain.hangUp();
  await server.restart();
  const look = async () => (await adopt(new HttpClient(port)).ask("/admin/locks/k")).json;
  expect((await look()).frozenSlots).toMatchObject([{ slot: 2, resource: "x" }]);
  expect(await use("&slots=2&resources=x,z")).toEqual(["z"]);
  const thaw = adopt(new HttpClient(port));
  await thaw.ask("/admin/freezes/k?resource=x", { method: "DELETE" });
  await server.written();
  thaw.hangUp();
  await server.restart();
  expect(await use("&slots=2&resources=x,z")).toEqual(["x"]);
});
