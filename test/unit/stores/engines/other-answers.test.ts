import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { openDocumentStore } from "../../../../src/stores/document/store.ts";
import { openEtcdRegister } from "../../../../src/stores/engines/etcd/register.ts";
import { openRedisRegister } from "../../../../src/stores/engines/redis/register.ts";
import type { Register } from "../../../../src/stores/engines/register.ts";
import { openS3Register } from "../../../../src/stores/engines/s3/register.ts";
import { listen } from "../../../helpers/ports.ts";
import { FAST, KEY, request } from "../document/kit.ts";

/** Looks, claims and releases; whatever fails is a LockError, and none of them an internal one. */
async function useAll(register: Register, what: string): Promise<string[]> {
  const store = openDocumentStore(register, { timing: FAST });
  const codes: string[] = [];
  const told = async (act: () => Promise<unknown>) => {
    try {
      return await act();
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      expect(code, `${what}: ${message}`).toMatch(/^(?!INTERNAL)[A-Z_]+$/);
      codes.push(code as string);
      return undefined;
    }
  };
  await told(() => store.list({ all: true }));
  await told(() => store.inspect(KEY));
  await told(async () => {
    const holding = await store.claim(request("a", { deadAfter: 3_000 }), { timeout: 100 });
    await told(() => holding.renew());
    await told(() => store.verify(holding.lease));
    await told(() => holding.release());
  });
  await told(() => register.alive(["b"]));
  await told(() => register.session("b", 3_000).renew());
  await told(() => register.mayWrite?.() ?? Promise.resolve());
  await told(() => register.changed(KEY, null, { pause: 10 }));
  await told(() => store.break(KEY, { owner: "admin", reason: "garbage" }));
  await told(() => store.close());
  return codes;
}

describe("a server that speaks Redis' protocol and answers other types", () => {
  const STRANGE = {
    "a number": ":7\r\n",
    "no number": ":x\r\n",
    null: "_\r\n",
    "an old null": "*-1\r\n",
    "a text": "$2\r\nhi\r\n",
    "a status": "+HI\r\n",
    "a boolean": "#t\r\n",
    "a double": ",1.5\r\n",
    "an empty list": "*0\r\n",
    "nested lists": "*2\r\n*1\r\n*0\r\n*1\r\n:1\r\n",
    "a list of nulls": "*2\r\n_\r\n_\r\n",
    "a list of errors": "*2\r\n-ERR a\r\n-ERR b\r\n",
    "a map": "%1\r\n+a\r\n:1\r\n",
    "a set": "~1\r\n:1\r\n",
    "an error": "-ERR something else\r\n",
    "another error": "-WRONGTYPE of something\r\n",
    "a push": ">3\r\n+message\r\n+a\r\n:1\r\n",
  };
  const SOUND: Record<string, string> = {
    HELLO: "%2\r\n+mode\r\n+standalone\r\n+role\r\n+master\r\n",
    INFO: "$0\r\n\r\n",
    TIME: "*2\r\n$10\r\n1795032353\r\n$1\r\n0\r\n",
    GET: "_\r\n",
    SET: "+OK\r\n",
    DEL: ":1\r\n",
    EVAL: ":1\r\n",
    MGET: "*1\r\n_\r\n",
    SCAN: "*2\r\n$1\r\n0\r\n*1\r\n$24\r\nholdfast:lock:production\r\n",
    SUBSCRIBE: ">3\r\n+subscribe\r\n+c\r\n:1\r\n",
    UNSUBSCRIBE: ">3\r\n+unsubscribe\r\n+c\r\n:0\r\n",
  };

  async function serve(answers: Record<string, string>): Promise<number> {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", (bytes) => {
        // Every command begins with a list's head, and its name is in the third line.
        for (const command of bytes.toString("latin1").split(/(?=\*\d+\r\n\$\d+\r\n[A-Z]+\r\n)/)) {
          const name = /^\*\d+\r\n\$\d+\r\n([A-Z]+)\r\n/.exec(command)?.[1];
          if (name !== undefined) socket.write(answers[name] ?? "+OK\r\n");
        }
      });
    });
    onTestFinished(() => void server.close());
    return listen(server);
  }

  test.each(Object.keys(SOUND))(
    "to %s",
    async (command) => {
      for (const [kind, answer] of Object.entries(STRANGE)) {
        const port = await serve({ ...SOUND, [command]: answer });
        await useAll(openRedisRegister(`redis://127.0.0.1:${port}`, {}, {}), `${command}: ${kind}`);
      }
    },
    120_000,
  );

  test("is refused as another kind of server", async () => {
    const port = await serve({ ...SOUND, GET: ":7\r\n" });
    const register = openRedisRegister(`redis://127.0.0.1:${port}`, {}, {});
    await expect(register.read(KEY)).rejects.toMatchObject({
      code: "STORE_REFUSED",
      message: expect.stringContaining("does not answer GET as Redis does"),
    });
    await register.close();
  });
});

/** A server whose answers a test chooses, by the request. */
async function serveHttp(
  answer: (request: IncomingMessage) => { status?: number; body: string; etag?: string },
): Promise<number> {
  const server = createHttpServer((request, response) => {
    request.resume().on("end", () => {
      const { status = 200, body, etag } = answer(request);
      response.writeHead(status, etag === undefined ? {} : { etag }).end(body);
    });
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return listen(server);
}

describe("a server that speaks HTTP and answers other things than etcd", () => {
  const NESTED = '{"kvs":[{"kvs":{}}],"responses":[null],"header":[],"result":{"header":7}}';
  const STRANGE = [
    ...["null", "7", '"text"', "[]", "[null]", "{}", "true", "", "<html>", NESTED],
    ...['{"kvs":7}', '{"kvs":[7]}', '{"kvs":[{}]}', '{"kvs":[{"key":7,"mod_revision":"1"}]}'],
    ...[
      '{"kvs":[{"key":"aw==","mod_revision":{}}]}',
      '{"header":null}',
      '{"header":{"revision":{}}}',
    ],
    ...['{"succeeded":7}', '{"succeeded":true}', '{"responses":{}}', '{"responses":[7]}'],
    ...['{"ID":7}', '{"ID":{}}', '{"result":7}', '{"result":{"TTL":[]}}', '{"token":{}}'],
    ...['{"result":{"events":7}}', '{"result":{"events":[null]}}', '{"error":7}', '{"code":"x"}'],
  ];
  const SOUND: Record<string, string> = {
    "/v3/kv/range": '{"header":{"revision":"1"}}',
    "/v3/kv/txn": '{"header":{"revision":"2"},"succeeded":true}',
    "/v3/lease/grant": '{"ID":"5","TTL":"5"}',
    "/v3/lease/keepalive": '{"result":{"ID":"5","TTL":"5"}}',
  };

  test.each([...Object.keys(SOUND), "/v3/watch", "/v3/kv/put", "/v3/lease/revoke"])(
    "to %s",
    async (path) => {
      const tried = STRANGE.map(async (body) => {
        const answers: Record<string, string> = { ...SOUND, [path]: body };
        const port = await serveHttp(({ url = "" }) => ({ body: answers[url] ?? "{}" }));
        await useAll(openEtcdRegister(`etcd://127.0.0.1:${port}`), `${path}: ${body}`);
      });
      await Promise.all(tried);
    },
    120_000,
  );
});

describe("a server that speaks HTTP and answers other things than S3", () => {
  const LIST = "<ListBucketResult><IsTruncated>true</IsTruncated>";
  const STRANGE = [
    ...["", "null", "7", "<html>", "<Error>", "<Error><Code>", "{}", "[]", "\0\u0001"],
    ...[LIST, `${LIST}<NextContinuationToken>a</NextContinuationToken></ListBucketResult>`],
    `${LIST}<Contents><Key>%&amp;&#x110000;</Key></Contents></ListBucketResult>`,
  ];
  const env = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" };

  test.each(["GET", "PUT", "DELETE"])(
    "to %s",
    async (method) => {
      for (const status of [200, 204, 304, 404, 409, 412, 418])
        for (const body of STRANGE) {
          const port = await serveHttp((asked) => {
            if (asked.method === method) return { status, body, etag: '"e"' };
            return asked.method === "GET"
              ? { status: 404, body: "<Error><Code>NoSuchKey</Code></Error>" }
              : { body: "", etag: `"${Math.random()}"` };
          });
          const url = `s3://bucket/p?endpoint=http://127.0.0.1:${port}&region=x`;
          await useAll(openS3Register(url, {}, { env }), `${method}: ${status} ${body}`);
        }
    },
    300_000,
  );
});
