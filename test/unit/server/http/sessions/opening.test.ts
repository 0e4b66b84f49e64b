import { describe, expect, it } from "vitest";
import type { HttpClient } from "../../../../helpers/server/http-client.ts";
import { openDoor } from "../../../../helpers/server/http-door.ts";
import { adopt } from "../../../../helpers/server/http-server.ts";

const WEEK_MS = 7 * 86_400_000;

function post(client: HttpClient, body: string) {
  return client.ask("/auth/session", { method: "POST", body });
}

describe("POST /auth/session", () => {
  it("without a body opens a session of 7 days, with its id as a cookie too", async () => {
    const { plain, clock } = await openDoor();
    const answer = await post(plain, "");
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({
      sessionId: expect.stringMatching(/^[0-9a-f]{64}$/),
      name: expect.stringMatching(/^session-[0-9a-f]{12}$/),
      permissions: ["read", "write"],
      expiresAt: clock.now() + WEEK_MS,
      knows: ["weight", "priority", "resources", "ready"],
    });
    expect(answer.headers["set-cookie"]).toEqual([
      `hengdang_session=${answer.json.sessionId}; Path=/; HttpOnly; SameSite=Strict`,
    ]);
    expect(answer.headers["cache-control"]).toBe("no-store");
  });

  it("takes a ttl and an owner with note and metadata", async () => {
    const { plain, clock } = await openDoor();
    const metadata = { run_id: "456", run_url: "https://ci.example/456", process_id: 4711 };
    const wish = { ttl: 1.5, owner: "ci-456", note: "v1", metadata };
    const { json } = await post(plain, JSON.stringify(wish));
    expect(json).toMatchObject({ expiresAt: clock.now() + 1_500 });
    const session = adopt(plain.with({ authorization: `Bearer ${json.sessionId}` }));
    expect((await session.ask("/auth/session")).json).toEqual({
      name: json.name,
      permissions: ["read", "write"],
      createdAt: clock.now(),
      lastUsed: clock.now(),
      expiresAt: clock.now() + 1_500,
      owner: "ci-456",
      note: "v1",
      metadata,
    });
    expect(json.name).toMatch(/^ci-456#[0-9a-f]{12}$/);
  });

  it("shows the note and metadata of a session without an owner under its own name", async () => {
    const { session } = await openDoor();
    const one = await session({ note: "just looking" });
    await one.acquire("/k");
    expect((await one.status("/k")).json.holders[0]).toMatchObject({
      owner: one.name,
      note: "just looking",
    });
    expect((await one.ask("/auth/session")).json).toMatchObject({ owner: null });
  });

  it.each([
    ["what is no JSON", "{", /not JSON/],
    ["what is no object", "[]", /not a JSON object/],
    ["null", "null", /not a JSON object/],
    ["an unknown field", '{"tll":5}', /"tll".*ttl, owner, note, metadata/],
    ["a ttl of 0", '{"ttl":0}', /ttl/],
    ["a ttl as text", '{"ttl":"60"}', /ttl/],
    ["a ttl of more than a year", '{"ttl":31536001}', /ttl/],
    ["an empty owner", '{"owner":" "}', /owner is empty/],
    ["an owner with a control character", '{"owner":"a\\u0000"}', /control character/],
    ["an owner that is too long", JSON.stringify({ owner: "o".repeat(257) }), /257 bytes/],
    ["an owner that is no text", '{"owner":5}', /owner .* not text/],
    ["a note that is too long", JSON.stringify({ note: "n".repeat(1_001) }), /1001 bytes/],
    ["unknown metadata", '{"metadata":{"colour":"red"}}', /"colour" is not known/],
    ["metadata that is a list", '{"metadata":[]}', /not an object/],
    ["nested metadata", '{"metadata":{"job":{}}}', /job must be text/],
  ])("refuses %s", async (_, body, sentence) => {
    const { plain, door } = await openDoor();
    const answer = await post(plain, body);
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({ error: "Bad request", message: expect.stringMatching(sentence) });
    expect(door.sessions).toBe(0);
  });

  it("refuses a body that is too large", async () => {
    const { plain } = await openDoor();
    expect((await post(plain, JSON.stringify({ note: "n".repeat(70_000) }))).status).toBe(413);
  });

  it("opens 10,000 sessions and refuses one more, until one ends", async () => {
    const { plain, door } = await openDoor();
    let last = "";
    for (let batch = 0; batch < 100; batch += 1) {
      const answers = await Promise.all(Array.from({ length: 100 }, () => post(plain, "")));
      last = answers[99]?.json.sessionId;
    }
    expect(door.sessions).toBe(10_000);
    const refused = await post(plain, "");
    expect(refused.status).toBe(503);
    expect(refused.headers["retry-after"]).toBe("10");
    expect(refused.json).toEqual({
      error: "Too many sessions",
      message: expect.stringContaining("10000 sessions"),
    });
    const session = adopt(plain.with({ authorization: `Bearer ${last}` }));
    expect((await session.acquire("/k")).status).toBe(200);
    expect((await session.remove("/auth/session")).status).toBe(204);
    expect((await post(plain, "")).status).toBe(201);
  });
});
