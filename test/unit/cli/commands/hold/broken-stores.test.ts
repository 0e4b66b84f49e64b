import { createServer as createWeb } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cli } from "../../../../helpers/cli/cli.ts";
import { hasPostgres, startPostgres } from "../../../../helpers/engines/postgres.ts";
import { hasRedis, startRedis } from "../../../../helpers/engines/redis.ts";
import { unusedPort } from "../../../../helpers/ports.ts";

/** Every kind of store that is at an address. */
const STORES: readonly (readonly [string, (port: number) => string])[] = [
  ["etcd", (port) => `etcd://127.0.0.1:${port}`],
  ["Redis", (port) => `redis://127.0.0.1:${port}`],
  ["PostgreSQL", (port) => `postgres://ci:secret@127.0.0.1:${port}/locks`],
  ["S3", (port) => `s3://bucket/locks?endpoint=http://127.0.0.1:${port}&region=us-east-1`],
  ["git", (port) => `git+http://127.0.0.1:${port}/locks.git`],
  ["TCP", (port) => `tcp://127.0.0.1:${port}`],
  ["HTTP", (port) => `http://127.0.0.1:${port}/locks`],
];

/** What may be at that address instead. */
const FAULTS: readonly (readonly [string, (() => Server) | null])[] = [
  ["nobody listens", null],
  ["a web server listens", () => createWeb((_, answer) => answer.end("hello"))],
  ["an SSH server listens", () => speaking("SSH-2.0-OpenSSH_9.9\r\n")],
  ["a server listens that accepts and is silent", () => speaking("")],
];

const KEYS = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" };

describe.each(FAULTS)("%s", (fault, start) => {
  let port = 0;
  let server: Server | null = null;
  beforeAll(async () => {
    server = start?.() ?? null;
    if (server === null) port = await unusedPort();
    else {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.listen(0, "127.0.0.1", resolve);
      await promise;
      port = (server.address() as AddressInfo).port;
    }
  });
  afterAll(() => void server?.close());

  /** What a command says of every kind of store, all of them at once: a silent server takes seconds. */
  const onEvery = (...args: string[]) =>
    Promise.all(
      STORES.map(async ([name, url]) => {
        const { code, stderr } = await cli(args, { env: { HOLDFAST_STORE: url(port), ...KEYS } });
        return { name, code, lines: stderr.trim().split("\n") };
      }),
    );

  it("run exits 125 and acquire 2 on every store, and neither says that the lock is not free", async () => {
    const runs = await onEvery("run", "k", "--timeout", "3", "--", "true");
    const acquires = await onEvery("acquire", "k", "--timeout", "3");
    for (const [ended, exit] of [
      [runs, 125],
      [acquires, 2],
    ] as const) {
      const table = ended.map(({ name, code, lines }) => [name, code, lines.at(-1)]);
      const right = STORES.map(([name]) => [name, exit, expect.not.stringMatching(/not acquired/)]);
      expect(table).toEqual(right);
    }
  });

  it("status and list exit 2 on every store, and say once what is wrong", async () => {
    for (const look of [["status", "k"], ["list"]]) {
      for (const { name, code, lines } of await onEvery(...look)) {
        // A silent server is asked again, and that is said. What is known at once is said once.
        const isSilent = fault.includes("silent");
        const last = lines.filter((line) => !isSilent || !/Trying again for 5s\.$/.test(line));
        expect({ name, code, last }).toEqual({ name, code: 2, last: [expect.any(String)] });
        // It says what to do, also where it is the only one.
        if (isSilent) expect(last[0]).toMatch(/: check host.* the firewall in between/);
        // How long it has been silent is no news.
        const words = lines.map((line) => line.replace(/\d+(?:ms|s)\b/g, ""));
        expect(new Set(words).size, lines.join("\n")).toBe(lines.length);
      }
    }
  });
});

describe.each([
  ["Redis", hasRedis, startRedis],
  ["PostgreSQL", hasPostgres, startPostgres],
] as const)("a wrong password on %s", (_, isInstalled, start) => {
  it.skipIf(!isInstalled)("run exits 125, acquire 2 and status 2", async () => {
    const engine = await start();
    try {
      const access = await engine.protect?.();
      const store = (await access?.fresh(false)) ?? "";
      const env = { HOLDFAST_STORE: store, HOLDFAST_TOKEN: "wrong" };
      const codes = [
        (await cli(["run", "k", "--timeout", "3", "--", "true"], { env })).code,
        (await cli(["acquire", "k", "--timeout", "3"], { env })).code,
        (await cli(["status", "k"], { env })).code,
      ];
      expect(codes).toEqual([125, 2, 2]);
    } finally {
      await engine.stop();
    }
  });
});

/** A server that says this to everybody, and then nothing. */
function speaking(words: string): Server {
  return createServer((socket) => {
    socket.on("error", () => {});
    socket.write(words);
  });
}
