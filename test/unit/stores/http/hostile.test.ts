import { describe, expect, it } from "vitest";
import { systemIo } from "../../../../src/cli/io.ts";
import { holdfast } from "../../../../src/cli/program.ts";
import { isLockError } from "../../../../src/lock/errors.ts";
import { readAnswer } from "../../../../src/stores/http/answer.ts";
import { openStore } from "../../../../src/stores/open.ts";
import { Relay } from "../../../helpers/http/relay.ts";
import { KEY, request } from "../../../helpers/tcp/support.ts";

const MIB = 2 ** 20;
const IO = systemIo();

function pageOf(content: string) {
  return readAnswer({ status: 200, headers: {}, bytes: Buffer.from(content) });
}

describe("an answer that was made to be expensive", () => {
  it("of a thousand titles without an end is read in one go", () => {
    const started = performance.now();
    expect(pageOf("<title".repeat(MIB / 6)).text).toMatch(/^<title<title/);
    // It took 25 s; the machine may be slow, but not as slow as that.
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it("that is nested without end is no answer", () => {
    const depth = 100_000;
    expect(pageOf(`{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`).body).toBeNull();
  });

  it("is told by its depth, not by the brackets in its text", () => {
    const text = "[".repeat(100_000);
    expect(pageOf(JSON.stringify({ text, '\\"[': 1 })).body).toEqual({ text, '\\"[': 1 });
  });

  it("still shows the title of a page", () => {
    const page = `<html><head><TITLE lang="en">502  Bad\n Gateway</TITLE></head>`;
    expect(pageOf(page).text).toBe("502 Bad Gateway");
  });

  it.each(["status", "list", "history", "claim"])(
    "of 2 MiB to %s is cut off, unless it is a list, which must make sense",
    async (call) => {
      const nested = `{"locks":${"[".repeat(MIB)}${"]".repeat(MIB)}}`;
      const relay = await Relay.start(() => ({ status: 200, body: nested }));
      const store = await openStore(relay.url);
      const asked = {
        status: () => store.inspect(KEY),
        list: () => store.list(),
        history: () => store.history?.(KEY, { limit: 5 }),
        claim: () => store.claim(request("client"), { timeout: 60_000 }),
      }[call];
      const error = await asked?.()?.catch((thrown: unknown) => thrown);
      expect(isLockError(error), String(error)).toBe(true);
      await store.close();
    },
  );
});

/** Values of every type but the right one, and right ones that no server would mean. */
const WRONG = [null, true, 1.5, -1, 1e300, "", "x", [], [[]], {}, { a: {} }, [null, 1, "x"]];

describe("fields of the wrong type", () => {
  const names = [
    "key slots holders waiting waiters position ownedByThisSession lock lockedBy lockedAt owner",
    "since ttl fence slot pid host alive note metadata heartbeat message error sessionId expiresAt",
    "locks holds broken name",
  ]
    .join(" ")
    .split(" ");

  const RIGHT = {
    key: KEY,
    slots: 1,
    holders: [{ owner: "a", since: "2026-11-16T10:00:00.000Z", slot: 0, metadata: {} }],
    waiters: [{ owner: "b", since: "2026-11-16T10:00:00.000Z", position: 1 }],
    waiting: 1,
    locks: [{ key: KEY, holders: [{ owner: "a" }] }],
    holds: [{ owner: "a", since: "2026-11-16T10:00:00.000Z", held: 5, end: "released" }],
    sessionId: "0123456789abcdef0123456789abcdef",
    expiresAt: 1,
    message: "ok",
  };

  it.each(names)("%s: every command says something sensible", async (name) => {
    for (const value of WRONG) {
      const inner = [{ ...RIGHT.holders[0], [name]: value }];
      const waiters = [{ ...RIGHT.waiters[0], [name]: value }];
      for (const body of [
        { ...RIGHT, [name]: value },
        { ...RIGHT, holders: inner, waiters, locks: [{ ...RIGHT, holders: inner, waiters }] },
        { lockedBy: "x", [name]: value },
      ]) {
        const relay = await Relay.start(() => ({ status: 200, body }));
        for (const args of [["status", KEY], ["list"], ["history", KEY]]) {
          let said = "";
          const stream = {
            write: (text: string) => {
              said += text;
            },
            isTerminal: false,
            columns: () => 80,
          };
          const env = { HOLDFAST_STORE: relay.url };
          await holdfast(args, { ...IO, stdout: stream, stderr: stream, env });
          expect(said, `${args}: ${JSON.stringify(body)}`).not.toMatch(
            /internal error|NaN|undefined|\[object/,
          );
        }
      }
    }
  });
});
