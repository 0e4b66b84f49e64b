import { createServer as createHttpServer } from "node:http";
import { createServer, type Server } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { isLockError, type LockError } from "../../../../../src/lock/errors.ts";
import { parsePostgresAddress } from "../../../../../src/stores/engines/postgres/address.ts";
import { explainSql } from "../../../../../src/stores/engines/postgres/refusal.ts";
import { openPostgresRegister } from "../../../../../src/stores/engines/postgres/register.ts";
import {
  hasPostgres,
  PASSWORD,
  type Postgres,
  startPostgres,
  USER,
} from "../../../../helpers/engines/postgres.ts";
import { listen } from "../../../../helpers/ports.ts";

const ENCODED = encodeURIComponent(PASSWORD);
const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function open(url: string, options = {}, env = {}) {
  const register = openPostgresRegister(url, options, env);
  closers.push(() => register.close());
  return register;
}

/** What a read, and a swap where that succeeds, ends in. */
async function failure(url: string, options = {}, env = {}): Promise<LockError> {
  const register = open(url, options, env);
  try {
    await register.read("k");
    await register.swap("k", null, "{}");
  } catch (error) {
    if (!isLockError(error)) throw error;
    expect(error.message).not.toContain(PASSWORD);
    return error;
  }
  throw new Error("it succeeded");
}

async function succeeds(url: string, options = {}, env = {}): Promise<void> {
  const register = open(url, options, env);
  const { version } = await register.read("k", { strong: true });
  expect((await register.swap("k", version, "{}")).outcome).toBe("done");
}

it("tells a broken connection from an error of the server, though both have five letters", () => {
  const address = parsePostgresAddress("postgres://host/locks");
  const credentials = { user: null, password: null, secrets: [] };
  const pipe = Object.assign(new Error("write EPIPE"), { code: "EPIPE", errno: -32 });
  expect(explainSql(address, pipe, credentials).code).toBe("STORE_UNREACHABLE");
  const unknown = Object.assign(new Error("no such function"), { code: "42883" });
  expect(explainSql(address, unknown, credentials).code).toBe("STORE_REFUSED");
});

describe.skipIf(!hasPostgres)("a PostgreSQL server", () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await startPostgres({ settings: ["max_connections=12"] });
  });
  afterAll(() => server?.stop());

  function at(userinfo: string, rest = "/locks"): string {
    return `postgres://${userinfo}127.0.0.1:${server.port}${rest}`;
  }

  it("takes the password from the URL, the token or PGPASSWORD, and refuses others", async () => {
    const wanted = await failure(at(`${USER}@`));
    expect(wanted.code).toBe("STORE_REFUSED");
    expect(wanted.message).toMatch(/asks for a password or another user: write it into the URL/);
    for (const wrong of [`${USER}:wrong@`, "nobody:wrong@"]) {
      const { code, message } = await failure(at(wrong));
      expect(code).toBe("STORE_REFUSED");
      expect(message).toMatch(/does not accept the user, the password or the database/);
      expect(message).not.toContain("wrong");
    }
    await succeeds(at(`${USER}:${ENCODED}@`));
    await succeeds(at(`${USER}@`), { token: PASSWORD });
    await succeeds(at(""), { token: `${USER}:${PASSWORD}` });
    await succeeds(at(`${USER}@`), {}, { PGPASSWORD: PASSWORD });
    await succeeds(at(""), {}, { PGPASSWORD: PASSWORD, PGUSER: USER });
  });

  it("has no such database", async () => {
    const { code, message } = await failure(at(`${USER}:${ENCODED}@`, "/nothing"));
    expect(code).toBe("STORE_REFUSED");
    expect(message).toMatch(/has no database of this name/);
  });

  it("does not let a user create the table: the SQL that is told makes it work", async () => {
    await server.sql(`create role poor login password '${PASSWORD}'`, "create schema closed");
    const url = at(`poor:${ENCODED}@`, "/locks?table=closed.locks");
    const register = open(url);
    // A schema that is closed to the user says so to who only looks as well.
    expect(await register.read("k").catch((error) => error.code)).toBe("STORE_REFUSED");
    const { code, message } = await failure(url);
    expect(code).toBe("STORE_REFUSED");
    await expect(register.mayWrite?.()).rejects.toMatchObject({ code: "STORE_REFUSED" });
    const [, ...statements] = message.replace(/\.$/, "").split("\n");
    expect(statements).toHaveLength(3);
    await server.sql(...statements);
    await register.mayWrite?.();
    await succeeds(url);
    await register.session("b", 1_000).renew();
    expect(await register.keys()).toEqual(["k"]);
    const missing = await failure(at(`${USER}:${ENCODED}@`, "/locks?table=nowhere.locks"));
    expect(missing.code).toBe("STORE_REFUSED");
  });

  it("makes the table once, however many come first", async () => {
    const url = await server.fresh();
    const registers = Array.from({ length: 6 }, () => open(url));
    await registers[0]?.mayWrite?.();
    const [, table = ""] = url.split("table=");
    expect(await server.sql(`select to_regclass('${table}') is null`)).toBe("t\n");
    const swaps = await Promise.all(registers.map((each, at) => each.swap(`k${at}`, null, "{}")));
    expect(swaps.map(({ outcome }) => outcome)).toEqual(registers.map(() => "done"));
    expect(await registers[0]?.keys()).toHaveLength(6);
  });

  it("has another table of this name", async () => {
    await server.sql("create table other (id int)", `grant all on other to ${USER}`);
    const { code, message } = await failure(at(`${USER}:${ENCODED}@`, "/locks?table=other"));
    expect(code).toBe("STORE_REFUSED");
    expect(message).toMatch(/has a table public.other that is not the one of the locks/);
  });

  it("takes no writes: a standby or a read-only one may be the primary later", async () => {
    await server.sql(`create role still login password '${PASSWORD}'`);
    await server.sql("grant create on schema public to still");
    await server.sql("alter role still set default_transaction_read_only = on");
    const { code, message } = await failure(at(`still:${ENCODED}@`, "/locks?table=t_still"));
    expect(code).toBe("STORE_UNREACHABLE");
    expect(message).toMatch(/takes no writes: it is a standby or read-only/);
  });

  it("is full: that passes", async () => {
    const url = await server.fresh();
    const registers = Array.from({ length: 12 }, () => open(url));
    const results = await Promise.allSettled(registers.map((each) => each.read("k")));
    const codes = results.flatMap((each) => (each.status === "rejected" ? each.reason.code : []));
    expect([...new Set(codes)]).toEqual(["STORE_UNREACHABLE"]);
  });

  it("loses a swap's statement with the connection: not known, and then found out", async () => {
    const register = open(await server.fresh());
    expect((await register.swap("k", null, '{"n":1}')).outcome).toBe("done");
    const { version } = await register.read("k");
    const [, table = ""] = register.url.split("table=public.");
    // Somebody's transaction is in the way, and the statement waits for it when its session is ended.
    const blocker = server.sql(
      `begin; update ${table} set version = version; select pg_sleep(0.5); select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'holdfast' and wait_event_type = 'Lock'; commit`,
    );
    await expect
      .poll(() => server.sql("select count(*) from pg_stat_activity where query like 'begin;%'"))
      .not.toBe("0\n");
    const swap = await register.swap("k", version, '{"n":2}');
    await blocker;
    expect(["unknown", "done"]).toContain(swap.outcome);
    const text = swap.outcome === "unknown" ? '{"n":1}' : '{"n":2}';
    expect((await register.read("k")).text).toBe(text);
  });
});

describe("a server that is no PostgreSQL", () => {
  async function fake(server: Server): Promise<string> {
    const port = await listen(server);
    closers.push(() => server.close());
    return `postgres://u:${ENCODED}@127.0.0.1:${port}/locks`;
  }

  it.each(["", "?sslmode=disable"])("speaks HTTP, or first, or SSH%s", async (rest) => {
    for (const server of [
      createHttpServer(),
      createServer((socket) => socket.on("error", () => {}).write("J\0\0\0\n5.7.1\0")),
      createServer((socket) => socket.on("error", () => {}).write("SSH-2.0-x\r\n")),
    ]) {
      const { code, message } = await failure((await fake(server)) + rest);
      expect(code).toBe("STORE_REFUSED");
      expect(message).toMatch(/does not answer as PostgreSQL does|answers with an error/);
    }
  });

  it("hangs up, or is not there", async () => {
    const url = await fake(createServer((socket) => socket.end()));
    expect((await failure(url)).message).toMatch(/closed the connection/);
    await closers.splice(0)[0]?.();
    const { code, message } = await failure(url);
    expect(code).toBe("STORE_UNREACHABLE");
    expect(message).toMatch(/cannot be reached|closed the connection/);
  });
});
