import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LOCK_WORDS } from "../../../../src/server/http/locks/query.ts";
import { ADMIN_AREAS } from "../../../../src/server/http/panel/admin.ts";
import { temporaryDirectory } from "../../../helpers/directories.ts";
import type { Answer, HttpClient, Question } from "../../../helpers/server/http-client.ts";
import { startHttp } from "../../../helpers/server/http-server.ts";
import { faultsOf, type Schema } from "../../../helpers/server/schema.ts";

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly schema: Schema }[];
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}

const METHODS = ["get", "head", "put", "post", "delete"] as const;
type Path = { readonly [M in (typeof METHODS)[number]]?: Operation };

const FILE = new URL("../../../../docs/openapi.json", import.meta.url);
const { paths, components } = JSON.parse(readFileSync(FILE, "utf8")) as {
  readonly paths: Readonly<Record<string, Path>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** The described path of an address. */
function pathOf(address: string): string {
  const path = address.split("?")[0] as string;
  if (path in paths) return path;
  const admin = /^\/admin\/(\w+)\/./.exec(path)?.[1];
  return admin === undefined ? "/{path}" : `/admin/${admin}/{key}`;
}

/** Every answer is held against the description; what was seen of it is noted. */
class Witness {
  readonly seen = new Set<string>();

  async ask(client: HttpClient, address: string, question: Question = {}): Promise<Answer> {
    const answer = await client.ask(address, question);
    const method = (question.method ?? "GET").toLowerCase() as keyof Path;
    const path = pathOf(address);
    const operation = paths[path]?.[method];
    const name = `${method} ${path} ${answer.status}`;
    const response = operation?.responses[String(answer.status)];
    expect(response, `${name} is not described: ${answer.text}`).toBeDefined();
    this.seen.add(name);
    const type = answer.headers["content-type"]?.split(";")[0] ?? "";
    if (method === "head" || answer.text === "") return answer;
    const content = response?.content ?? {};
    const isLock = type === "application/json" || content["*/*"] === undefined;
    expect(Object.keys(content), name).toContain(isLock ? type : "*/*");
    if (type !== "application/json") return answer;
    const schema = content[type]?.schema ?? {};
    const answered = schema.anyOf?.[0] ?? schema;
    const faults = faultsOf(answer.json, answered, components.schemas, name);
    expect(faults).toEqual([]);
    return answer;
  }
}

describe("docs/openapi.json", () => {
  it("describes every area and every operation that the server has, and no other", async () => {
    const areas = Object.keys(paths).flatMap((path) => /^\/admin\/(\w+)/.exec(path)?.[1] ?? []);
    expect([...new Set(areas)].sort()).toEqual(Object.values(ADMIN_AREAS).flat().sort());
    const lock = paths["/{path}"]?.get?.parameters?.find(({ name }) => name === "lock");
    expect(lock?.schema.enum?.toSorted()).toEqual(LOCK_WORDS.toSorted());
    const { session } = await startHttp();
    const one = await session();
    for (const [path, described] of Object.entries(paths)) {
      const address = path.replace("{key}", "k").replace("{path}", "k");
      const { status, headers } = await one.ask(address, { method: "PATCH" });
      expect(status, path).toBe(405);
      const allowed = (headers.allow ?? "").toLowerCase().split(", ").sort();
      expect(METHODS.filter((method) => described[method] !== undefined).sort(), path).toEqual(
        allowed,
      );
    }
  });

  it("is what the server answers: every path, method and status, with every field", async () => {
    const file = join(temporaryDirectory(), "read-token");
    writeFileSync(file, "for-looking", { mode: 0o600 });
    const flags = { "auth-token": "secret", "read-token-file": file, "max-body": "64" };
    const { plain: admin, session } = await startHttp(flags, { token: "secret" });
    const stranger = admin.with({ authorization: "Bearer wrong" });
    const reader = admin.with({ authorization: "Bearer for-looking" });
    const witness = new Witness();
    const ask = (client: HttpClient, address: string, method = "GET", more: Question = {}) =>
      witness.ask(client, address, { method, ...more });
    const metadata = { run_url: "https://ci.example/1" };
    const one = await session({ owner: "ci-1", note: "v1", metadata });
    const other = await session();

    await ask(admin, "/auth/session", "POST", { body: '{"ttl":60}' });
    await ask(admin, "/auth/session", "POST", { body: '{"tll":60}' });
    await ask(stranger, "/auth/session", "POST");
    await ask(reader, "/auth/session", "POST");
    await ask(one, "/auth/session");
    await ask(stranger, "/auth/session");
    await ask(stranger, "/auth/session", "DELETE");
    const third = await session();
    await ask(third, "/auth/session", "DELETE");

    await ask(one, "/k?lock=acquire");
    await ask(one, "/k?lock=refresh");
    await ask(one, "/k?lock=status");
    await ask(other, "/k?lock=acquire");
    await ask(other, "/k?lock=acquire&slots=2");
    await ask(other, "/k?lock=release");
    await ask(other, "/k?lock=jump");
    await ask(stranger, "/k?lock=status");
    const waits = ask(other, "/k?lock=acquire&wait=60&line=newest");
    await expect.poll(async () => (await one.status("/k")).json.waiting).toBe(1);
    await ask(one, "/k?lock=status");
    const newest = await session();
    const newer = ask(newest, "/k?lock=acquire&wait=60&line=newest");
    expect((await waits).status).toBe(409);
    await ask(admin, "/admin/locks");
    await ask(admin, "/admin/locks/k");
    await ask(one, "/k?lock=release");
    await newer;
    await ask(admin, "/admin/locks/k?reason=test&owner=ann", "DELETE");
    await ask(newest, "/k?lock=refresh");

    const run = "&run=r1&ttl=60000";
    const { fence, token } = (await ask(one, `/r?lock=acquire${run}`)).json;
    await ask(other, "/r?lock=refresh&run=r1");
    await ask(other, "/r?lock=release&run=r2");
    await ask(admin, "/admin/locks");
    await ask(admin, "/admin/locks/r?reason=test", "DELETE");
    await ask(one, `/r?lock=refresh&run=r1&fence=${fence}`);
    const again = (await ask(one, `/r?lock=acquire${run}`)).json;
    expect(again.token).not.toBe(token);
    await ask(other, "/r?lock=release", "GET", { headers: { "holdfast-token": again.token } });

    await ask(one, "/f", "PUT", { body: "x" });
    const { etag } = (await ask(one, "/f", "PUT", { body: "y" })).json;
    await ask(one, "/f");
    await ask(one, "/f", "GET", { headers: { "if-none-match": etag } });
    await ask(one, "/f", "GET", { headers: { "if-match": '"no"' } });
    await ask(one, "/f", "HEAD");
    await ask(one, "/none");
    await ask(one, "/none", "HEAD");
    await ask(stranger, "/f", "HEAD");
    await ask(one, "/f", "PUT", { body: "z", headers: { "if-match": '"no"' } });
    await ask(one, "/r", "PUT", { body: "z", headers: { "holdfast-fence": "1" } });
    await ask(one, "/f", "PUT", { body: "z", headers: { "content-range": "bytes 0-1/2" } });
    await ask(one, "/f", "PUT", { body: "z", headers: { "content-encoding": "gzip" } });
    await ask(one, "/f", "PUT", { body: "z".repeat(65) });
    await ask(stranger, "/f", "PUT", { body: "z" });
    await ask(one, "/s?lock=acquire&slots=3");
    await ask(other, "/s", "PUT", { body: "z" });
    await ask(one, "/f", "DELETE", { headers: { "if-match": '"no"' } });
    await ask(one, "/f?lock=acquire");
    await ask(other, "/f", "PUT", { body: "z" });
    await ask(other, "/f", "DELETE");
    await ask(one, "/f", "DELETE");
    await ask(one, "/f", "DELETE");
    await ask(stranger, "/f", "DELETE");

    const shared = "&slots=3&resources=x,y,z";
    await ask(one, `/p?lock=acquire${shared}&weight=2&priority=5`);
    const heavy = ask(other, `/p?lock=acquire${shared}&weight=all&wait=1`);
    await ask(newest, `/p?lock=acquire${shared}&ready=false&wait=0.5`);
    await ask(admin, "/admin/freezes/p?reason=broken&resource=z", "PUT");
    await ask(admin, "/admin/freezes/p?reason=broken&slot=7", "PUT");
    await ask(admin, "/admin/locks/p");
    await ask(one, "/p?lock=status");
    await ask(one, "/p?lock=release");
    await heavy;
    await ask(admin, "/admin/freezes/p?slot=7", "DELETE");
    await ask(admin, "/admin/freezes/p", "DELETE");
    await ask(admin, "/admin/history/p");

    const freeze = "/admin/freezes/k";
    await ask(admin, `${freeze}?reason=incident&owner=ann&for=60000`, "PUT");
    await ask(one, "/k?lock=acquire");
    await ask(one, "/k?lock=status");
    await ask(admin, "/admin/locks/k");
    await ask(admin, freeze, "PUT");
    for (const [method, address] of [
      ["PUT", `${freeze}?reason=x`],
      ["DELETE", freeze],
      ["DELETE", "/admin/locks/k?reason=x"],
    ] as const) {
      await ask(stranger, address, method);
      await ask(reader, address, method);
    }
    await ask(admin, freeze, "DELETE");
    await ask(admin, freeze, "DELETE");
    await ask(admin, "/admin/locks/k", "DELETE");
    await ask(admin, "/admin/locks/k?reason=x&fence=1", "DELETE");
    for (const path of ["history/k", "recent", "timeline", "locks", "locks/k"]) {
      const address = `/admin/${path}`;
      await ask(reader, address);
      await ask(stranger, address);
      await ask(admin, address, "HEAD");
    }
    await ask(admin, "/admin/locks?all=1");
    await ask(admin, "/admin/history/k?limit=0");
    await ask(admin, "/admin/recent?limit=x");
    await ask(admin, "/admin/timeline?minutes=0");
    await ask(stranger, "/admin/events");
    for (const address of ["/metrics", "/healthz", "/"]) {
      await ask(admin, address);
      await ask(admin, address, "HEAD");
    }
    await ask(stranger, "/metrics");
    await ask(admin, "/admin/events", "HEAD");

    const described = Object.entries(paths).flatMap(([path, methods]) =>
      METHODS.flatMap((method) =>
        Object.keys(methods[method]?.responses ?? {})
          .filter((status) => status !== "default")
          .map((status) => `${method} ${path} ${status}`),
      ),
    );
    // A stream has no end that could be waited for: events.test.ts reads it.
    const unseen = described.filter((name) => !witness.seen.has(name));
    expect(unseen).toEqual(["get /admin/events 200"]);
  });
});
