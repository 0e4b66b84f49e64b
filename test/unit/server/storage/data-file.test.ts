import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { APPLICATION_ID, MIGRATIONS, openDatabase } from "../../../../src/server/storage/schema.ts";
import { acquireRequest, releaseRequest } from "../../../../src/wire/request.ts";
import { fenceOf } from "../../../../src/wire/token.ts";
import { HttpClient } from "../../../helpers/server/http-client.ts";
import { adopt, openSession } from "../../../helpers/server/http-server.ts";
import { Restartable } from "../../../helpers/server/restartable.ts";
import { startProcess } from "../../../helpers/server/server.ts";
import { PATIENT } from "../../../helpers/waiting.ts";

let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "holdfast-data-"));
  file = join(directory, "locks.db");
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const digest = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");

function foreignDatabase(): void {
  const database = new DatabaseSync(file);
  database.exec("CREATE TABLE accounts (name TEXT); INSERT INTO accounts VALUES ('alice')");
  database.close();
}

/** A sound data file with enough in it to fill several pages. */
function soundFile(): void {
  const database = openDatabase(file);
  for (let index = 0; index < 500; index += 1) {
    const hold = JSON.stringify({ owner: `owner-${index}`, note: "x".repeat(100) });
    database.prepare("INSERT INTO holds (key, hold) VALUES (?, ?)").run(`key-${index}`, hold);
  }
  database.exec("PRAGMA journal_mode = DELETE");
  database.close();
}

describe("a data file that is no good: the server does not start, and the file is untouched", () => {
  const cases: [string, () => void, RegExp][] = [
    ["text", () => writeFileSync(file, "hello\n".repeat(100)), /not a data file of Holdfast's/],
    ["a few bytes", () => writeFileSync(file, "x"), /not a data file of Holdfast's/],
    ["another program's database", foreignDatabase, /the database of another program/],
    [
      "a newer version",
      () => {
        soundFile();
        const database = new DatabaseSync(file);
        database.exec("PRAGMA user_version = 99");
        database.close();
      },
      /written by a newer Holdfast \(version 99/,
    ],
    [
      "damage in the middle",
      () => {
        soundFile();
        const bytes = readFileSync(file);
        bytes.fill(0x5a, 8_192, bytes.length - 4_096);
        writeFileSync(file, bytes);
      },
      /it is damaged/,
    ],
    [
      "only its first half",
      () => {
        soundFile();
        const bytes = readFileSync(file);
        writeFileSync(file, bytes.subarray(0, bytes.length / 2));
      },
      /it is damaged/,
    ],
  ];

  it.each(cases)("%s", async (_, make, sentence) => {
    make();
    const before = digest(file);
    const start = startProcess(["--data", file]);
    await expect(start).rejects.toThrow(
      /^exit 2: holdfast: The data file ".*locks\.db" cannot be used: /,
    );
    await expect(start).rejects.toThrow(sentence);
    expect(digest(file)).toBe(before);
  });

  it("a directory", async () => {
    mkdirSync(file);
    await expect(startProcess(["--data", file])).rejects.toThrow(/exit 2: .*no ordinary file/);
    expect(readdirSync(file)).toEqual([]);
  });

  it("in a directory that is not there", async () => {
    const start = startProcess(["--data", join(directory, "nowhere", "locks.db")]);
    await expect(start).rejects.toThrow(/exit 2: .*its directory is not there/);
    expect(readdirSync(directory)).toEqual([]);
  });

  it.skipIf(process.getuid?.() === 0)("that may not be written", async () => {
    soundFile();
    chmodSync(file, 0o400);
    await expect(startProcess(["--data", file])).rejects.toThrow(/exit 2: .*cannot be used/);
  });
});

it("can be read by its owner alone, like everything that lies beside it", async () => {
  await startProcess(["--data", file]);
  const names = readdirSync(directory);
  expect(names).toContain("locks.db");
  expect(names.map((name) => statSync(join(directory, name)).mode & 0o077)).toEqual(
    names.map(() => 0),
  );
});

it("serves one server at a time, and the next one after it was killed", async () => {
  const first = await startProcess(["--data", file]);
  await expect(startProcess(["--data", file])).rejects.toThrow(
    /exit 2: .*another server is running on it/,
  );
  first.child.kill("SIGKILL");
  await first.ended;
  await startProcess(["--data", file]);
});

it("starts on an empty file, such as mktemp makes", async () => {
  writeFileSync(file, "");
  const server = await startProcess(["--data", file]);
  server.child.kill("SIGTERM");
  expect(await server.ended).toEqual([0, null]);
  expect(readFileSync(file).readUInt32BE(68)).toBe(APPLICATION_ID);
});

it("is one file again after a stop in good order", async () => {
  const server = await startProcess(["--data", file]);
  server.child.kill("SIGTERM");
  await server.ended;
  expect(readdirSync(directory)).toEqual(["locks.db"]);
});

it("is brought to a newer version with all that is in it", () => {
  const first = openDatabase(file);
  first.prepare("INSERT INTO fences VALUES ('production', 7)").run();
  first.close();
  const next = [...MIGRATIONS, "ALTER TABLE fences ADD COLUMN seen INTEGER"];
  const second = openDatabase(file, next);
  expect(second.prepare("SELECT * FROM fences").all()).toEqual([
    { key: "production", fence: 7, seen: null },
  ]);
  second.close();
  expect(() => openDatabase(file)).toThrow(
    `written by a newer Holdfast (version ${MIGRATIONS.length + 1}`,
  );
});

it("of version 2, as a server of that time left it: everything is there, and the line is kept from now on", async () => {
  copyFileSync(new URL("./version-2.db", import.meta.url), file);
  const token = "01a1efcb997c7000a93cb9e3e5d8a412";
  const server = await Restartable.start(["--http-port", "0"], directory);
  const plain = adopt(new HttpClient(server.httpPort as number));
  const { json: held } = await plain.ask("/admin/locks/production");
  expect(held.holders).toMatchObject([{ owner: "deploy-1", fence: fenceOf(token) }]);
  const { json: frozen } = await plain.ask("/admin/locks/frozen");
  expect(frozen.frozen).toMatchObject({ by: "ann", reason: "incident" });
  expect((await (await openSession(plain)).ask("/file")).text).toBe("content");
  const acquire = acquireRequest({ key: "production", timeout: 60, lease: 60 });
  (await server.keeper("deploy-2", "two")).send(acquire);
  const waiting = async () => (await plain.ask("/admin/locks/production")).json.waiting;
  await expect.poll(waiting, PATIENT).toBe(1);
  await server.written();
  await server.restart();
  expect(await waiting()).toBe(1);
  const keeper = await server.keeper("deploy-1", "0123456789abcdef");
  expect(await keeper.ask(releaseRequest({ key: "production", token }))).toBe("ok");
  const back = await server.keeper("deploy-2", "two");
  expect(await back.ask(acquire)).toMatch(/^ok /);
});

it("of version 4, as a server of that time left it: all of it is of weight 1, ready and without names", async () => {
  copyFileSync(new URL("./version-4.db", import.meta.url), file);
  const server = await Restartable.start(["--http-port", "0"], directory);
  const plain = adopt(new HttpClient(server.httpPort as number));
  const { json: pool } = await plain.ask("/admin/locks/pool");
  const usual = { weight: 1, resources: null };
  expect(pool).toMatchObject({
    slots: 3,
    resources: null,
    frozenSlots: [],
    holders: [
      { owner: "deploy-1", slot: 0, slots: [0], fence: 1_795_036_011_033_000, ...usual },
      { owner: "deploy-2", slot: 1, slots: [1], fence: 1_795_036_011_092_000, ...usual },
    ],
  });
  const { json: line } = await plain.ask("/admin/locks/production");
  expect(line.waiters).toMatchObject([
    { owner: "deploy-3", weight: 1, priority: 0, ready: true },
    { owner: "deploy-4", weight: 1, priority: 0, ready: true },
  ]);
  expect((await plain.ask("/admin/locks/frozen")).json.frozen).toMatchObject({ by: "ann" });
  // They go on beside claims that know the new words.
  const heavy = await openSession(plain);
  expect((await heavy.acquire("/pool", "&slots=3&weight=2")).status).toBe(423);
  const id = "d8998dba6afd7fdfc41588fbf1dbfbfba835fae53a089009ccfbf9f3c898f31b";
  const holder = adopt(new HttpClient(plain.port, { authorization: `Bearer ${id}` }));
  expect((await holder.release("/pool")).status).toBe(200);
  expect((await heavy.acquire("/pool", "&slots=3&weight=2")).json.heldSlots).toEqual([0, 2]);
  const first = await server.keeper("deploy-3", "three");
  first.send(acquireRequest({ key: "production", timeout: 60, lease: 60 }));
  await plain.ask("/admin/locks/production?reason=test", { method: "DELETE" });
  expect(await first.line()).toMatch(/^ok /);
});

it("stays at its version when the step to the next one fails", () => {
  openDatabase(file).close();
  const broken = [...MIGRATIONS, "CREATE TABLE more (x); CREATE TABLE leases (x)"];
  expect(() => openDatabase(file, broken)).toThrow(/cannot be used/);
  const again = openDatabase(file);
  const names = again.prepare("SELECT name FROM sqlite_master WHERE name = 'more'").all();
  expect(names).toEqual([]);
  again.close();
});

it("does not survive a server that is told not to write: without --data nothing appears", async () => {
  const server = await startProcess(["--http-port", "0"], { TMPDIR: directory });
  expect(readdirSync(directory)).toEqual([]);
  server.child.kill("SIGTERM");
  expect(await server.ended).toEqual([0, null]);
  expect(readdirSync(directory)).toEqual([]);
});
