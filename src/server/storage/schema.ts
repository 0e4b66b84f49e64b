import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { LockError, messageOf, systemCode } from "../../lock/errors.ts";
import { cleanText, quote } from "../../lock/text.ts";

/** Marks a database as Holdfast's: the letters HOLD. */
export const APPLICATION_ID = 0x484f4c44;

/** Each brings a data file from the version before to its own; the first from nothing. Never changed, only added to. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE leases (
     key TEXT NOT NULL, fence INTEGER NOT NULL, slots INTEGER NOT NULL, slot INTEGER NOT NULL,
     token TEXT NOT NULL, since INTEGER NOT NULL, waited INTEGER NOT NULL, lease INTEGER NOT NULL,
     expires_at INTEGER NOT NULL, session TEXT, introduction TEXT,
     PRIMARY KEY (key, fence)) WITHOUT ROWID;
   CREATE TABLE sessions (
     digest TEXT PRIMARY KEY, name TEXT NOT NULL, ttl INTEGER NOT NULL, created_at INTEGER NOT NULL,
     last_used INTEGER NOT NULL, introduction TEXT) WITHOUT ROWID;
   CREATE TABLE files (
     path TEXT PRIMARY KEY, content BLOB NOT NULL, size INTEGER NOT NULL, type TEXT NOT NULL,
     etag TEXT NOT NULL, modified_at INTEGER NOT NULL, fence INTEGER);
   CREATE TABLE fences (key TEXT PRIMARY KEY, fence INTEGER NOT NULL) WITHOUT ROWID;
   CREATE INDEX fences_by_age ON fences (fence);
   CREATE TABLE holds (id INTEGER PRIMARY KEY, key TEXT NOT NULL, hold TEXT NOT NULL);`,
  `ALTER TABLE leases ADD COLUMN run TEXT;
   ALTER TABLE leases ADD COLUMN newest INTEGER NOT NULL DEFAULT 0;
   CREATE TABLE freezes (key TEXT PRIMARY KEY, freeze TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE past_freezes (id INTEGER PRIMARY KEY, key TEXT NOT NULL, freeze TEXT NOT NULL);`,
  `CREATE TABLE line (
     place INTEGER PRIMARY KEY, key TEXT NOT NULL, slots INTEGER NOT NULL, lease INTEGER NOT NULL,
     since INTEGER NOT NULL, asked INTEGER NOT NULL, session TEXT, introduction TEXT, run TEXT,
     newest INTEGER NOT NULL, missed INTEGER NOT NULL DEFAULT 0);`,
  `ALTER TABLE sessions ADD COLUMN identity TEXT;`,
  `CREATE TABLE tokens (digest TEXT PRIMARY KEY, over INTEGER NOT NULL) WITHOUT ROWID;
   CREATE TABLE tokens_since (second INTEGER NOT NULL);
   INSERT INTO tokens_since VALUES (unixepoch());`,
  `ALTER TABLE leases ADD COLUMN several TEXT;
   ALTER TABLE leases ADD COLUMN resources TEXT;
   ALTER TABLE line ADD COLUMN resources TEXT;
   ALTER TABLE line ADD COLUMN weight INTEGER NOT NULL DEFAULT 1;
   ALTER TABLE line ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE line ADD COLUMN passed INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE line ADD COLUMN ready INTEGER NOT NULL DEFAULT 1;
   CREATE TABLE slot_freezes (
     key TEXT NOT NULL, slot INTEGER NOT NULL, slots INTEGER NOT NULL, resources TEXT,
     freeze TEXT NOT NULL, PRIMARY KEY (key, slot)) WITHOUT ROWID;`,
  `CREATE TABLE gate (id TEXT PRIMARY KEY, record TEXT NOT NULL) WITHOUT ROWID;`,
];

/** SQLITE_BUSY: another process has the file. */
const BUSY = 5;

/**
 * Opens the data file for this server alone, makes it where it is missing, and brings it up to date.
 * What is not a sound data file of Holdfast's is refused with BAD_OPTION before a byte of it changes.
 * Null: a database in memory.
 */
export function openDatabase(
  file: string | null,
  migrations: readonly string[] = MIGRATIONS,
): DatabaseSync {
  if (file === null) return migrate(new DatabaseSync(":memory:"), 0, migrations);
  try {
    const version = examine(file, migrations.length);
    // Tokens and files are private; SQLite's own files get the same mode.
    if (version === 0) closeSync(openSync(file, "a", 0o600));
    const database = new DatabaseSync(file, { timeout: 0 });
    try {
      // Exclusive: a second server on this file cannot even read it. A new file is made complete
      // before it becomes a write-ahead log, so that its head can always be told by a plain look.
      database.exec("PRAGMA locking_mode = EXCLUSIVE");
      if (version < migrations.length) migrate(database, version, migrations);
      database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
      database.exec("BEGIN EXCLUSIVE; COMMIT");
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    throw refusal(file, error);
  }
}

function migrate(
  database: DatabaseSync,
  from: number,
  migrations: readonly string[],
): DatabaseSync {
  database.exec("BEGIN EXCLUSIVE");
  for (const step of migrations.slice(from)) database.exec(step);
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  database.exec(`PRAGMA user_version = ${migrations.length}`);
  database.exec("COMMIT");
  return database;
}

/** Reads the version of a sound data file; 0: there is none yet. Changes nothing. */
function examine(file: string, newest: number): number {
  if (!existsSync(file)) {
    if (existsSync(dirname(file))) return 0;
    throw new Refusal("its directory is not there: make it first");
  }
  const stat = statSync(file);
  if (!stat.isFile()) throw new Refusal("it is no ordinary file: name a file");
  if (stat.size === 0) return 0;
  const head = readHead(file);
  if (head.toString("latin1", 0, 16) !== "SQLite format 3\0") {
    throw new Refusal("it is not a data file of Holdfast's: name another file");
  }
  if (head.readUInt32BE(68) !== APPLICATION_ID) {
    throw new Refusal("it is the database of another program: name another file");
  }
  const version = head.readUInt32BE(60);
  if (version > newest) {
    throw new Refusal(
      `it was written by a newer Holdfast (version ${version} of the file, this one knows ${newest}): use that one`,
    );
  }
  const database = new DatabaseSync(file, { readOnly: true, timeout: 0 });
  try {
    const [row] = database.prepare("PRAGMA quick_check(1)").all();
    const found = Object.values(row ?? {})[0];
    if (found !== "ok") throw new Refusal(damaged(String(found)));
  } finally {
    database.close();
  }
  return version;
}

function readHead(file: string): Buffer {
  const head = Buffer.alloc(100);
  const descriptor = openSync(file, "r");
  try {
    readSync(descriptor, head, 0, head.length, 0);
  } finally {
    closeSync(descriptor);
  }
  return head;
}

/** The end of a sentence that says why the file cannot be used, and what to do. */
class Refusal extends Error {}

function refusal(file: string, error: unknown): LockError {
  return new LockError(
    "BAD_OPTION",
    `The data file ${quote(file)} cannot be used: ${reason(error)}.`,
    { cause: error },
  );
}

function reason(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  if (resultCode(error) === BUSY) return "another server is running on it";
  if (resultCode(error) > 0) return damaged(messageOf(error));
  if (systemCode(error) === "EACCES") return "this user may not read and write it";
  return messageOf(error);
}

function damaged(how: string): string {
  return `it is damaged (${cleanText(how)}): restore a backup, or name a new file`;
}

/** SQLite's result code without its details; 0: the error is not SQLite's. */
export function resultCode(error: unknown): number {
  return Number((error as { errcode?: unknown }).errcode ?? 0) & 0xff;
}
