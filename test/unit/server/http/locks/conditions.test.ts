import { describe, expect, it } from "vitest";
import { openDoor } from "../../../../helpers/server/http-door.ts";
import { startHttp } from "../../../../helpers/server/http-server.ts";
import { PATIENT } from "../../../../helpers/waiting.ts";

describe("conditions of a write", () => {
  it("If-Match: only over the version that was read", async () => {
    const { session } = await startHttp();
    const one = await session();
    const first = (await one.put("/f", "1")).json.etag;
    const second = await one.put("/f", "2", { "if-match": first });
    expect(second.status).toBe(200);
    const stale = await one.put("/f", "3", { "if-match": first });
    expect(stale.status).toBe(412);
    expect(stale.json).toEqual({ error: "Precondition failed", message: expect.any(String) });
    expect((await one.put("/f", "3", { "if-match": `${first}, ${second.json.etag}` })).status).toBe(
      200,
    );
    expect((await one.put("/f", "4", { "if-match": `W/${second.json.etag}` })).status).toBe(412);
    expect((await one.put("/f", "4", { "if-match": "*" })).status).toBe(200);
    expect((await one.put("/new", "1", { "if-match": "*" })).status).toBe(412);
  });

  it("If-None-Match: * creates and never overwrites", async () => {
    const { session } = await startHttp();
    const one = await session();
    expect((await one.put("/f", "1", { "if-none-match": "*" })).status).toBe(201);
    expect((await one.put("/f", "2", { "if-none-match": "*" })).status).toBe(412);
    expect((await one.ask("/f")).text).toBe("1");
  });

  it("Holdfast-Fence: lower than the highest seen is refused with 412 and both fences", async () => {
    const { session } = await startHttp();
    const one = await session();
    expect((await one.put("/f", "10", { "holdfast-fence": 10 })).json.fence).toBe(10);
    const refused = await one.put("/f", "9", { "holdfast-fence": 9 });
    expect(refused.status).toBe(412);
    expect(refused.json).toEqual({
      error: "Precondition failed",
      message: expect.stringMatching(/fence 9 .* lower than 10/),
      fence: 9,
      highestFence: 10,
    });
    expect((await one.put("/f", "10 again", { "holdfast-fence": 10 })).status).toBe(200);
    expect((await one.put("/f", "11", { "holdfast-fence": 11 })).status).toBe(200);
    expect((await one.put("/f", "no fence")).status).toBe(200);
    expect((await one.put("/f", "10", { "holdfast-fence": 10 })).status).toBe(412);
    expect((await one.ask("/f")).text).toBe("no fence");
  });

  it("Holdfast-Fence of a lock that was lost to another session is refused, and after its release too", async () => {
    const { session, clock } = await openDoor();
    const [one, other] = [await session(), await session()];
    const lost = (await one.acquire("/f")).json.fence;
    clock.pass(1_800);
    const { fence } = (await other.acquire("/f")).json;
    expect((await one.put("/f", "late", { "holdfast-fence": lost })).status).toBe(423);
    await other.release("/f");
    const refused = await one.put("/f", "late", { "holdfast-fence": lost });
    expect(refused.status).toBe(412);
    expect(refused.json).toMatchObject({ fence: lost, highestFence: fence });
  });

  it("Holdfast-Fence of a TCP client's lock counts as well", async () => {
    const { session, server } = await startHttp();
    const one = await session();
    const old = (await one.acquire("/f")).json.fence;
    await one.release("/f");
    const tcp = await server.connect();
    await tcp.free("f", await tcp.take("f"));
    await expect
      .poll(async () => (await one.put("/f", "late", { "holdfast-fence": old })).status, PATIENT)
      .toBe(412);
  });
});
