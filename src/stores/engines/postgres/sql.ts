import { sha256 } from "../../../lock/text.ts";
import type { Table } from "./address.ts";

/**
 * The statements, as text. Each is one round trip and needs nothing that a session would have to keep, so it
 * goes through a pooler in transaction mode. Values stand in dollar quotes, which no setting of the server
 * changes; parameters would cost a second round trip without prepared statements.
 */
export function literal(text: string): string {
  if (text.includes("\0")) throw new Error("a text for PostgreSQL holds a NUL character");
  let tag = "h";
  while (text.includes(`$${tag}`)) tag += "h";
  return ` $${tag}$${text}$${tag}$ `;
}

export function createTable({ sql }: Table): string {
  return `create table if not exists ${sql} (kind text not null, name text not null, version text not null default '', document text, until timestamptz, primary key (kind, name))`;
}

export function readLock({ sql }: Table, key: string): string {
  return `select version, document, ${TIME} from (select) as one left join ${sql} on kind = 'lock' and name =${literal(key)}`;
}

/** The server's clock, in milliseconds. */
const TIME = "(extract(epoch from clock_timestamp()) * 1000)::bigint::text as time";

export const ASK_TIME = `select ${TIME}`;

export function readVersion({ sql }: Table, key: string): string {
  return `select version from ${sql} where kind = 'lock' and name =${literal(key)}`;
}

export function listLocks({ sql }: Table): string {
  return `select name from ${sql} where kind = 'lock'`;
}

export interface NewState {
  readonly key: string;
  /** Null: the row must not be there. */
  readonly version: string | null;
  readonly made: string;
  readonly document: string;
  /** The channels that are told of the change. */
  readonly channels: readonly string[];
  /** A session that begins with the swap, even if somebody else was first. */
  readonly begins: { readonly id: string; readonly deadAfter: number } | null;
  /** A session that ends if the swap stands. */
  readonly ended: string | null;
  /** Sessions that have to live, or the swap does not stand. */
  readonly needs: readonly string[];
}

/** Gives a row for each channel if the swap stands, and none if somebody else was first. */
export function swapLock(table: Table, state: NewState): string {
  const { key, version, made, document, channels, begins, ended, needs } = state;
  const [name, next, text] = [key, made, document].map(literal);
  const live =
    needs.length === 0
      ? "true"
      : `(select count(*) from (${aliveSessions(table, needs)}) as living) = ${new Set(needs).size}`;
  const change =
    version === null
      ? `insert into ${table.sql} (kind, name, version, document) select 'lock',${name},${next},${text} where ${live} on conflict do nothing`
      : `update ${table.sql} set version =${next}, document =${text} where kind = 'lock' and name =${name} and version =${literal(version)} and ${live}`;
  const told = `unnest(array[${channels.map((each) => `'${each}'`).join()}]) as channel`;
  const begun = begins === null ? "" : `begun as (${renewSession(table, begins)}), `;
  const out =
    ended === null ? "" : `, out as (${endSession(table, ended)} and exists (select from put))`;
  return `with ${begun}put as (${change} returning 1)${out} select pg_notify(channel,${next}) from put, ${told}`;
}

/** The channel of a key, which tells all of its changes. It is a digest, since names have 63 bytes. */
export function channelOf({ sql }: Table, key: string): string {
  return `holdfast_${sha256(`${sql} key ${key}`).slice(0, 32)}`;
}

/** The channel of a session, which tells its claim what concerns it. */
export function channelOfSession({ sql }: Table, id: string): string {
  return `holdfast_${sha256(`${sql} beacon ${id}`).slice(0, 32)}`;
}

export function listen(channel: string): string {
  return `listen ${channel}`;
}

export function unlisten(channel: string): string {
  return `unlisten ${channel}`;
}

/**
 * Renews a session, by the server's own clock at the moment of renewing, not at the begin of a transaction. The
 * kind is the word of the versions before 1.0.0: under another one their holders would count as dead.
 */
export function renewSession(
  { sql }: Table,
  { id, deadAfter }: { readonly id: string; readonly deadAfter: number },
): string {
  const until = `clock_timestamp() + interval '${Math.ceil(deadAfter)} milliseconds'`;
  return `insert into ${sql} (kind, name, until) values ('beacon',${literal(id)}, ${until}) on conflict (kind, name) do update set until = excluded.until`;
}

/** Removes what killed processes left behind. Rows that others are removing now are left to them. */
export function sweepSessions({ sql }: Table): string {
  const old = `select name from ${sql} where kind = 'beacon' and until < clock_timestamp() - interval '1 hour' limit 100 for update skip locked`;
  return `delete from ${sql} where kind = 'beacon' and name in (${old})`;
}

export function endSession({ sql }: Table, id: string): string {
  return `delete from ${sql} where kind = 'beacon' and name =${literal(id)}`;
}

export function aliveSessions({ sql }: Table, ids: readonly string[]): string {
  const names = ids.map(literal).join(",");
  return `select name from ${sql} where kind = 'beacon' and until > clock_timestamp() and name in (${names})`;
}

/** Needs all the rights that a swap needs, and changes nothing. */
export function mayWrite({ sql }: Table): string {
  return `insert into ${sql} (kind, name) select '', '' where false; update ${sql} set version = '' where false; delete from ${sql} where false`;
}

/** Whether the table could be made. */
export function mayCreate({ schema }: Table): string {
  return `select has_schema_privilege('${schema}', 'create')::text as may`;
}

/** Which process answers. Through a pooler its number differs from the number that the greeting told. */
export const WHO_ANSWERS =
  "select pg_backend_pid()::text as pid, pg_is_in_recovery()::text as standby";
