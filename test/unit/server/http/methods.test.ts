import { describe, expect, it } from "vitest";
import { openDoor } from "../../../helpers/server/http-door.ts";
import { sendRaw } from "../../../helpers/server/http-raw.ts";
import { startHttp } from "../../../helpers/server/http-server.ts";

describe("the query", () => {
  it.each([
    "lock=bogus",
    "lock=",
    "lock",
    "lock=acquire&lock=acquire",
    "lock=acquire&lock=release",
    "lock=ACQUIRE",
    "lock=acquire%00",
    "lock=acquire%20",
    "%6cock=bogus",
    "x=1&lock=all",
  ])("?%s is 400 and locks nothing", async (query) => {
    const { session, table } = await openDoor();
    const answer = await (await session()).ask(`/k?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({ error: "Bad request", message: expect.stringMatching(/lock/) });
    expect(table.keys).toBe(0);
  });

  it("is read as browsers write it, and unknown parameters do no harm", async () => {
    const { session } = await startHttp();
    const one = await session();
    expect((await one.ask("/k?%6cock=acquire&x=y")).json.message).toBe("Lock acquired");
    expect((await one.ask("/k?x=y&lock=release")).json.message).toBe("Lock released");
    expect((await one.ask("/k?x=y")).status).toBe(404);
  });
});

describe("a method that has no meaning", () => {
  it.each(["POST", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "LOCK"])(
    "%s of a file is 405",
    async (method) => {
      const { session } = await startHttp();
      const answer = await (await session()).ask("/k", { method });
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe("GET, HEAD, PUT, DELETE");
      expect(answer.json.error).toBe("Method not allowed");
    },
  );

  it.each(["HEAD", "POST", "PUT", "DELETE", "OPTIONS"])(
    "%s with ?lock= is 405: only GET locks",
    async (method) => {
      const { session, table } = await openDoor();
      const answer = await (await session()).ask("/k?lock=acquire", { method });
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe("GET");
      expect(table.keys).toBe(0);
    },
  );

  it("of the session's own path is 405", async () => {
    const { session } = await startHttp();
    const answer = await (await session()).ask("/auth/session", { method: "PUT", body: "{}" });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe("GET, POST, DELETE");
  });

  it("CONNECT gets no tunnel", async () => {
    const { port } = await startHttp();
    expect(await sendRaw(port, "CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: x\r\n\r\n")).toBe("");
  });
});
