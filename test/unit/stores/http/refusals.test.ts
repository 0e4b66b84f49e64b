import { describe, expect, it } from "vitest";
import { openStore } from "../../../../src/stores/open.ts";
import { Relay } from "../../../helpers/http/relay.ts";
import { served } from "../../../helpers/http/served.ts";
import { hold, KEY, open, refused, request, SECRET } from "../../../helpers/tcp/support.ts";

describe("a server that asks for a token", () => {
  it("takes the right one, whatever white space stands around it", async () => {
    const { url } = await served({ "auth-token": SECRET });
    const store = await open(url, { token: ` ${SECRET}\n` });
    const holding = await hold(store, "known");
    expect((await store.list()).map(({ key }) => key)).toEqual([KEY]);
    expect(await holding.release()).toBe("released");
  });

  it("refuses a wrong one, and none", async () => {
    const { url } = await served({ "auth-token": SECRET });
    const wrong = await refused(url, { token: "a-guess" });
    expect(wrong).toMatchObject({ code: "STORE_DENIED" });
    expect(wrong.message).toContain("does not accept the token");
    expect(wrong.message).not.toContain("a-guess");
    const none = await refused(url);
    expect(none).toMatchObject({ code: "STORE_DENIED" });
    expect(none.message).toContain("HOLDFAST_TOKEN");
    await expect((await open(url)).list()).rejects.toMatchObject({ code: "STORE_DENIED" });
  });

  it("is told from one that asks for none: the token does no harm there", async () => {
    const { url } = await served();
    const store = await open(url, { token: SECRET });
    expect(await (await hold(store, "cautious")).release()).toBe("released");
    expect(await store.list()).toEqual([]);
  });

  it.each(["two\nlines", "with spaces", "ünïcode"])("cannot be sent every token", async (token) => {
    await expect(openStore("http://127.0.0.1:1", { token })).rejects.toMatchObject({
      code: "BAD_OPTION",
      message: expect.not.stringContaining(token),
    });
  });
});

describe("a server with limits", () => {
  it("has as many keys or sessions as it may", async () => {
    const { url } = await served({ "max-locks": "1" });
    await hold(await open(url), "first", { key: "other" });
    const error = await refused(url);
    expect(error).toMatchObject({ code: "STORE_FULL" });
    expect(error.message).toContain("--max-locks");
    const few = await served({ "max-sessions": "1" });
    await hold(await open(few.url), "first", { key: "other" });
    const sent = await refused(few.url);
    expect(sent).toMatchObject({ code: "STORE_FULL" });
    expect(sent.message).toContain("--max-sessions");
  });

  it("has a full line: an error to those who would wait, a timeout to those who would not", async () => {
    const { url } = await served({ "max-waiters": "1" });
    const store = await open(url);
    await hold(store, "holder");
    const leave = new AbortController();
    const waiting = store.claim(request("waiter"), { signal: leave.signal });
    const outcome = expect(waiting).rejects.toMatchObject({ code: "ABORTED" });
    await expect.poll(async () => (await store.inspect(KEY)).waiting).toBe(1);
    expect(await refused(url, {}, null)).toMatchObject({ code: "STORE_FULL" });
    await expect(store.claim(request("hasty"), { timeout: 0 })).rejects.toMatchObject({
      code: "TIMEOUT",
    });
    leave.abort();
    await outcome;
  });
});

describe("a server whose /admin is out of reach", () => {
  it.each([403, 404])("(%i) still tells about one key, and says what it cannot", async (status) => {
    const { httpPort } = await served();
    const relay = await Relay.start(
      (line) => (line.includes(" /admin/") ? { status, body: "<title>No</title>" } : {}),
      httpPort,
    );
    const store = await open(relay.url);
    const holding = await hold(store, "holder");
    const { holders } = await store.inspect(KEY);
    expect(holders).toMatchObject([{ owner: "holder", fence: holding.lease.fence }]);
    expect(await store.verify(holding.lease)).toBe(true);
    const unsupported = { code: "NOT_SUPPORTED", message: expect.stringContaining("/admin") };
    await expect(store.list()).rejects.toMatchObject(unsupported);
    const options = { reason: "a test", owner: "me" };
    await expect(store.break(KEY, options)).rejects.toMatchObject(unsupported);
    await expect(store.history?.(KEY, { limit: 5 })).rejects.toMatchObject(unsupported);
    expect(await holding.release()).toBe("released");
  });
});
