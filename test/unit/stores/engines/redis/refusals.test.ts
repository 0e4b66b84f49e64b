import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { isLockError, type LockError } from "../../../../../src/lock/errors.ts";
import { openRedisRegister } from "../../../../../src/stores/engines/redis/register.ts";
import { EngineProcess } from "../../../../helpers/engines/engine.ts";
import {
  hasRedis,
  type Redis,
  type RedisOptions,
  startRedis,
} from "../../../../helpers/engines/redis.ts";
import { listen } from "../../../../helpers/ports.ts";

const SECRET = "p/a@s%s:w";
const ENCODED = encodeURIComponent(SECRET);
const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(settings: readonly string[], cli: readonly string[] = []): Promise<Redis> {
  const options: RedisOptions = { settings, cli };
  const server = await startRedis(options);
  closers.push(() => server.stop());
  return server;
}

function at(server: { port: number }, userinfo = "", rest = ""): string {
  return `redis://${userinfo}127.0.0.1:${server.port}${rest}`;
}

/** What a read, and a swap where that succeeds, ends in. */
async function failure(url: string, options = {}, env = {}): Promise<LockError> {
  const register = openRedisRegister(url, options, env);
  closers.push(() => register.close());
  try {
    await register.read("k");
    await register.swap("k", null, "{}");
    await register.session("b", 1_000).renew();
  } catch (error) {
    if (isLockError(error)) {
      expect(error.message).not.toContain(SECRET);
      return error;
    }
    throw error;
  }
  throw new Error("it succeeded");
}

async function succeeds(url: string, options = {}, env = {}): Promise<void> {
  const register = openRedisRegister(url, options, env);
  closers.push(() => register.close());
  const { version } = await register.read("k", { strong: true });
  expect((await register.swap("k", version, `{"n":${Math.random()}}`)).outcome).toBe("done");
}

describe.skipIf(!hasRedis)("a Redis server that refuses", () => {
  it("asks for a password, and takes it from the URL, the token or redis-cli's variable", async () => {
    const server = await start(["--requirepass", SECRET]);
    const wanted = await failure(at(server));
    expect(wanted.code).toBe("STORE_REFUSED");
    expect(wanted.message).toMatch(/asks for a password: write it into the URL/);
    const wrong = await failure(at(server, ":wrong@"));
    expect(wrong.code).toBe("STORE_REFUSED");
    expect(wrong.message).toMatch(/does not accept the user or the password/);
    expect(wrong.message).not.toContain("wrong@");
    await succeeds(at(server, `:${ENCODED}@`));
    await succeeds(at(server, `default:${ENCODED}@`));
    await succeeds(at(server, "default@"), { token: SECRET });
    await succeeds(at(server), { token: `default:${SECRET}` });
    await succeeds(at(server), {}, { REDISCLI_AUTH: SECRET });
  });

  it("gives a user with the rights of docs/engines.md all that is needed, and says what others lack", async () => {
    const server = await start([]);
    const rights =
      "~holdfast:* &holdfast:* +get +set +del +mget +eval +publish +subscribe +unsubscribe +scan +select +info";
    await server.cli("acl", "setuser", "ci", "on", `>${SECRET}`, ...rights.split(" "));
    await server.cli("acl", "setuser", "reader", "on", `>${SECRET}`, "~holdfast:*", "+get");
    await server.cli("acl", "setuser", "mute", "on", `>${SECRET}`, "~holdfast:*", "+@all");
    await server.cli("acl", "setuser", "mute", "resetchannels");
    await succeeds(at(server, `ci:${ENCODED}@`, "/1"));
    const ci = openRedisRegister(at(server, `ci:${ENCODED}@`), {}, {});
    closers.push(() => ci.close());
    await ci.mayWrite?.();
    expect(await server.cli("keys", "*")).toBe("\n");
    const looks = openRedisRegister(at(server, `reader:${ENCODED}@`), {}, {});
    closers.push(() => looks.close());
    await expect(looks.mayWrite?.()).rejects.toMatchObject({ code: "STORE_REFUSED" });
    const reader = await failure(at(server, "reader@"), { token: SECRET });
    expect(reader.code).toBe("STORE_REFUSED");
    expect(reader.message).toMatch(/rights that locks need: docs\/engines.md has the line/);
    // Without the channels everything stands; it is only polled, and said once.
    const told: string[] = [];
    const onTrouble = (sentence: string) => told.push(sentence);
    const register = openRedisRegister(at(server, `mute:${ENCODED}@`), {}, {});
    closers.push(() => register.close());
    const session = register.session("b", 60_000);
    await session.begin();
    const swap = await session.swap("m", null, "{}", { onTrouble });
    expect(swap.outcome).toBe("done");
    const began = performance.now();
    await register.changed("m", (await register.read("m")).version, { pause: 100, onTrouble });
    expect(performance.now() - began).toBeGreaterThan(80);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/does not let this user tell or hear of changes/);
  });

  it("is a replica: only the primary keeps locks", async () => {
    const primary = await start([]);
    const replica = await start(["--replicaof", `127.0.0.1 ${primary.port}`]);
    const { code, message } = await failure(at(replica));
    expect(code).toBe("STORE_UNREACHABLE");
    expect(message).toMatch(/is a replica, and locks are kept by the primary/);
    // One that becomes a replica while it is spoken to.
    const register = openRedisRegister(at(primary), {}, {});
    closers.push(() => register.close());
    await register.read("k");
    await primary.cli("replicaof", "127.0.0.1", String(replica.port));
    await expect(register.swap("k", null, "{}")).rejects.toThrow(/is a replica.*READONLY/);
    await primary.cli("replicaof", "no", "one");
    expect((await register.swap("k", null, "{}")).outcome).toBe("done");
  });

  it("has no memory left, or would throw locks away when it has none", async () => {
    const full = await start(["--maxmemory", "1"]);
    const { code, message } = await failure(at(full));
    expect(code).toBe("STORE_UNREACHABLE");
    expect(message).toMatch(/has no memory left for writes.*OOM/);
    const evicting = await start(["--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"]);
    const refusal = await failure(at(evicting));
    expect(refusal.code).toBe("STORE_REFUSED");
    expect(refusal.message).toMatch(/throws keys away .*allkeys-lru.*noeviction/);
  });

  it("is a node of a cluster, or a Sentinel", async () => {
    const node = await start(["--cluster-enabled", "yes"]);
    expect((await failure(at(node))).message).toMatch(
      /is a node of a cluster, which is not supported/,
    );
    const sentinel = await EngineProcess.start({
      file: "redis-server",
      prepare: (directory) => writeFileSync(join(directory, "sentinel.conf"), ""),
      args: (port, directory) => [
        join(directory, "sentinel.conf"),
        ...["--port", String(port), "--bind", "127.0.0.1", "--sentinel"],
      ],
      isReady: async (port) => {
        const socket = connect(port, "127.0.0.1");
        await once(socket, "connect");
        socket.destroy();
        return true;
      },
    });
    closers.push(() => sentinel.stop());
    const { code, message } = await failure(at(sentinel));
    expect(code).toBe("STORE_REFUSED");
    expect(message).toMatch(/is a Sentinel.*name the primary itself/);
  });

  it("has other things: another type of value, no such database, no EVAL", async () => {
    const server = await start(["--rename-command", "EVAL", ""]);
    await server.cli("lpush", "holdfast:lock:k", "x");
    // It can be told and healed: what follows is refused.
    const register = openRedisRegister(at(server), {}, {});
    closers.push(() => register.close());
    expect(await register.read("k")).toMatchObject({ foreign: "something else than a text" });
    expect((await failure(at(server, "", "/99"))).message).toMatch(/no database of this number/);
    const unknown = await failure(at(server, "", "?prefix=other"));
    expect(unknown.code).toBe("STORE_REFUSED");
    expect(unknown.message).toMatch(/does not know a command that is needed/);
  });
});

/** What looks like a server, and is none or another one. */
describe("a server that is no Redis", () => {
  async function fake(server: Server): Promise<{ port: number }> {
    const port = await listen(server);
    closers.push(() => server.close());
    return { port };
  }

  it("speaks HTTP", async () => {
    const { code, message } = await failure(at(await fake(createHttpServer())));
    expect(code).toBe("STORE_REFUSED");
    expect(message).toMatch(/does not answer as Redis does \(an answer begins with "H"\)/);
  });

  it.each([
    [
      "-LOADING Redis is loading the dataset in memory",
      "STORE_UNREACHABLE",
      /is still loading its data/,
    ],
    ["-MOVED 3999 127.0.0.1:6381", "STORE_REFUSED", /is a node of a cluster/],
    [
      "-ERR unknown command `HELLO`, with args beginning with: `3`, `AUTH`, `d`, `p/a@s%s:w`, ",
      "STORE_REFUSED",
      /must be Redis 6 or newer/,
    ],
    ["-ERR max number of clients reached", "STORE_UNREACHABLE", /raise maxclients/],
    ["-MISCONF Errors writing to the AOF file", "STORE_UNREACHABLE", /cannot save its data/],
    ["-NOPROTO unsupported protocol version", "STORE_REFUSED", /must be Redis 6 or newer/],
    ["-SOMETHING new", "STORE_REFUSED", /answers with an error: "SOMETHING new"/],
  ])("answers %s", async (answer, code, sentence) => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", () => socket.write(`${answer}\r\n`));
    });
    const error = await failure(at(await fake(server), `d:${ENCODED}@`));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(sentence);
  });

  it("says nothing at all", async () => {
    const { code, message } = await failure(at(await fake(createServer(() => {}))));
    expect(code).toBe("STORE_UNREACHABLE");
    expect(message).toMatch(/does not answer, for \S+ by now: it is stuck/);
  });

  it("hangs up, or is not there", async () => {
    const server = createServer((socket) => socket.end());
    expect((await failure(at(await fake(server)))).message).toMatch(/closed the connection/);
    const { port } = await fake(createServer());
    await closers.pop()?.();
    const { code, message } = await failure(at({ port }));
    expect(code).toBe("STORE_UNREACHABLE");
    expect(message).toMatch(/cannot be reached: nothing listens on that port/);
  });
});
