import { networkInterfaces } from "node:os";
import { describe, expect, it } from "vitest";
import { startServer } from "../../../helpers/server/server.ts";
import { hold, open } from "../../../helpers/tcp/support.ts";

const hasIPv6 = Object.values(networkInterfaces())
  .flat()
  .some((address) => address?.address === "::1");

describe("several servers", () => {
  it("have the keys that dflockd's clients would look for there, and are listed together", async () => {
    const servers = [await startServer(), await startServer(), await startServer()];
    const urls = servers.map(({ port }) => `127.0.0.1:${port}`);
    const store = await open(`tcp://${urls.join(",")}`);
    const keys = Array.from({ length: 12 }, (_, index) => `key ${index}`);
    for (const key of keys) await hold(store, "holder", { key });
    const alone = await Promise.all(urls.map(async (url) => (await open(`tcp://${url}`)).list()));
    expect(alone.every((list) => list.length > 0)).toBe(true);
    const listed = (await store.list()).map(({ key }) => key);
    expect([...listed].sort()).toEqual([...keys].sort());
    for (const key of keys) expect((await store.inspect(key)).holders).toHaveLength(1);
    // The CRC-32 of "key%201", the key as it is sent.
    expect(alone.findIndex((list) => list.some(({ key }) => key === "key 1"))).toBe(0x86bd830d % 3);
  });

  it("lock a key once, whoever asks, and another order of them is another store", async () => {
    const servers = [await startServer(), await startServer()];
    const [a, b] = servers.map(({ port }) => `127.0.0.1:${port}`);
    const one = await open(`tcp://${a},${b}`);
    const two = await open(`tcp://${a},${b}`);
    await hold(one, "first");
    await expect(
      two.claim({ key: "production", owner: { id: "second", metadata: {} } }, { timeout: 0 }),
    ).rejects.toMatchObject({ code: "TIMEOUT" });
    expect((await open(`tcp://${b},${a}`)).url).not.toBe(one.url);
  });

  it("fail for the keys of the one that is away, and serve the others", async () => {
    const { port } = await startServer();
    const store = await open(`tcp://127.0.0.1:${port},127.0.0.1:1`);
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        hold(store, "holder", { key: `key-${index}` }).then(
          () => "held",
          (error) => error.code,
        ),
      ),
    );
    expect([...new Set(outcomes)].sort()).toEqual(["STORE_UNREACHABLE", "held"]);
  });
});

describe.skipIf(!hasIPv6)("IPv6", () => {
  it("is reached by an address in brackets", async () => {
    const { port } = await startServer({ host: "::1" });
    const store = await open(`tcp://[::1]:${port}`);
    expect(await (await hold(store, "holder")).release()).toBe("released");
    expect(store.url).toBe(`tcp://[::1]:${port}`);
  });
});
