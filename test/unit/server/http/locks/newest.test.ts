import { describe, expect, it } from "vitest";
import { HttpClient } from "../../../../helpers/server/http-client.ts";
import { openDoor } from "../../../../helpers/server/http-door.ts";
import { adopt, openSession, startHttp } from "../../../../helpers/server/http-server.ts";
import { Restartable } from "../../../../helpers/server/restartable.ts";
import { PATIENT } from "../../../../helpers/waiting.ts";

const NEWEST = "&wait=60&line=newest";
const URL = "https://forge.example/runs/813";

describe("&line=newest", () => {
  it("ends the older claim of the kind with the newer one's name and page", async () => {
    const { session, table } = await openDoor();
    const [holder, old, steady] = [await session(), await session(), await session()];
    const next = await session({ owner: "ci-813", metadata: { run_url: URL } });
    await holder.acquire("/k", "&line=newest");
    const first = old.acquire("/k", NEWEST);
    await expect.poll(() => table.waiting, PATIENT).toBe(1);
    const fifo = steady.acquire("/k", "&wait=60");
    await expect.poll(() => table.waiting, PATIENT).toBe(2);
    const last = next.acquire("/k", NEWEST);
    const answer = await first;
    expect(answer.status).toBe(409);
    expect(answer.json).toMatchObject({ error: "Superseded", by: "ci-813", url: URL });
    // It may not have heard that: asking again must not end the newer claim.
    expect((await old.acquire("/k", NEWEST)).json).toEqual(answer.json);
    expect(table.waiting).toBe(2);
    await holder.release("/k");
    expect((await fifo).status).toBe(200);
    await steady.release("/k");
    expect((await last).json).toMatchObject({ message: "Lock acquired", line: "newest" });
    // Whoever lets go of the matter may come again.
    expect((await old.release("/k")).status).toBe(404);
    const again = old.acquire("/k", NEWEST);
    await expect.poll(() => table.waiting, PATIENT).toBe(1);
    await next.release("/k");
    expect((await again).status).toBe(200);
  });

  it("goes by when a client first asked, whatever the order in which claims come back", async () => {
    const { session, table, clock } = await openDoor();
    clock.pass(3_600);
    const [holder, older, newer] = [await session(), await session(), await session()];
    await holder.acquire("/k");
    const waits = newer.acquire("/k", `${NEWEST}&age=1000`);
    await expect.poll(() => table.waiting, PATIENT).toBe(1);
    const late = await older.acquire("/k", `${NEWEST}&age=60000`);
    expect([late.status, late.json.error]).toEqual([409, "Superseded"]);
    await holder.release("/k");
    expect((await waits).status).toBe(200);
    // Also when the newer one already holds it.
    const tooLate = await (await session()).acquire("/k", `${NEWEST}&age=60000`);
    expect(tooLate.json.by).toBe(newer.name);
  });

  it("is known after a restart of what holds: an older claim comes too late", async () => {
    const server = await Restartable.start(["--http-port", "0"]);
    const session = () => openSession(adopt(new HttpClient(server.httpPort as number)));
    await (await session()).acquire("/k", "&line=newest");
    await (await session()).acquire("/plain");
    await server.restart();
    const one = await session();
    const late = await one.acquire("/k", "&wait=1&line=newest&age=600000");
    expect([late.status, late.json.error]).toEqual([409, "Superseded"]);
    expect((await one.acquire("/plain", "&wait=0.1&line=newest&age=600000")).status).toBe(423);
    const next = await (await session()).acquire("/k", "&wait=0.1&line=newest");
    expect(next.status).toBe(423);
    await server.end();
  });

  it("counts a full line without the claims that it ends", async () => {
    const { session, server, plain } = await startHttp({ "max-waiters": "1" });
    const [holder, old, next] = [await session(), await session(), await session()];
    const waiting = async () => (await plain.ask("/admin/locks/k")).json.waiting;
    await holder.acquire("/k");
    const first = old.acquire("/k", NEWEST);
    await expect.poll(waiting, PATIENT).toBe(1);
    expect((await (await session()).acquire("/k", "&wait=60")).status).toBe(503);
    expect(await (await server.connect()).ask("l\nk\n60\n")).toBe("error_max_waiters");
    const second = next.acquire("/k", NEWEST);
    expect((await first).status).toBe(409);
    expect(await waiting()).toBe(1);
    await holder.release("/k");
    expect((await second).status).toBe(200);
  });

  it.each([
    ["&line=last", /The line is "last": use fifo or newest/],
    ["&line=newest&age=-1", /age "-1" is not a number of milliseconds/],
    ["&line=newest&line=fifo", /line is given more than once/],
  ])("is asked for properly: %s is 400", async (terms, message) => {
    const { session, table } = await openDoor();
    const answer = await (await session()).acquire("/k", terms);
    expect(answer.status).toBe(400);
    expect(answer.json.message).toMatch(message);
    expect(table.keys).toBe(0);
  });
});
