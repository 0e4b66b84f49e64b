import { isLockError, type LockError, messageOf, systemCode } from "../../../lock/errors.ts";
import { explainSocket, refused, saidBy, unreachable } from "../../remote/trouble.ts";
import { type Credentials, withoutSecrets } from "../credentials.ts";
import type { PostgresAddress } from "./address.ts";
import { createTable } from "./sql.ts";

/**
 * An error that the server answered has a code of five letters and digits, and a severity. At least one is a
 * digit, which tells the code from an EPIPE of the system.
 */
export interface ServerError {
  readonly code: string;
  readonly severity?: string;
  readonly message: string;
}

function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && /^(?=.*\d)[0-9A-Z]{5}$/.test(systemCode(error) ?? "");
}

/**
 * Whether a statement was certainly not carried out. What ends the connection may come after the commit, and a
 * pooler speaks of its own connection to the server in class 08.
 */
export function isCertain(error: unknown): boolean {
  return isServerError(error) && error.severity === "ERROR" && !/^(08|57P)/.test(error.code);
}

/** Others were first: a stricter isolation than the usual one reports that as an error. */
export function isConflict(error: unknown): boolean {
  return isServerError(error) && ["40001", "40P01"].includes(error.code);
}

/** Somebody else made the table at the same moment: `if not exists` does not see that. */
export function isMadeMeanwhile(error: unknown): boolean {
  return isServerError(error) && ["23505", "42P07", "42710"].includes(error.code);
}

export function isTableMissing(error: unknown): boolean {
  return isServerError(error) && error.code === "42P01";
}

/** Errors after which trying again may help, by the beginning of the code. */
const PASSING: readonly (readonly [string, string])[] = [
  [
    "25006",
    "takes no writes: it is a standby or read-only; name the primary, or a name that leads to it after a failover",
  ],
  ["57P03", "is starting or stopping: try again in a moment"],
  ["53300", "has as many connections as it takes: raise max_connections, or use a pooler"],
  ["08", "could not carry that out"],
  ["40", "could not carry that out, since others were in the way"],
  ["53", "has not enough of something"],
  ["55", "could not carry that out, since something is in use"],
  ["57", "was interrupted"],
  ["58", "has a problem with its machine"],
  ["XX", "has a problem of its own"],
];

const OTHER_TABLE =
  "is not the one of the locks: name another with ?table=, such as ?table=public.holdfast_locks";

/** What an error means, in one sentence. */
export function explainSql(
  address: PostgresAddress,
  error: unknown,
  credentials: Credentials,
): LockError {
  if (isLockError(error)) return error;
  const words = withoutSecrets(messageOf(error), credentials);
  const told = saidBy(words);
  if (!isServerError(error)) {
    const code = systemCode(error) ?? "";
    // The client's own words for a connection that is over.
    if (code.startsWith("CONNECT")) return explainSocket(address, { code: "ECONNRESET" });
    if (/^(SASL|AUTH)_/.test(code)) return refused(address, `cannot be logged in to (${told})`);
    return explainSocket(address, error);
  }
  const { code } = error;
  const isLogin = code.startsWith("28") || isPoolersRefusal(code, words);
  if (isLogin && credentials.password === null) {
    return refused(
      address,
      `asks for a password or another user: write it into the URL (percent-encoded), or give it in HOLDFAST_TOKEN or PGPASSWORD (${told})`,
    );
  }
  if (isLogin)
    return refused(address, `does not accept the user, the password or the database (${told})`);
  if (code === "3D000") return refused(address, `has no database of this name (${told})`);
  const name = `${address.table.schema}.${address.table.name}`;
  if (["42501", "3F000", "42P01"].includes(code)) {
    return refused(
      address,
      `does not let this user keep locks (${told}): ${whatToRun(address, credentials)}`,
    );
  }
  if (["42703", "42809", "42804", "42P10", "42883"].includes(code)) {
    return refused(address, `has a table ${name} that ${OTHER_TABLE} (${told})`);
  }
  const passing = PASSING.find(([start]) => code.startsWith(start))?.[1];
  if (passing !== undefined) return unreachable(address, `${passing} (${told})`, error);
  return refused(address, `answers with an error: ${told} (${code})`);
}

/** PgBouncer has one code for everything, from a wrong name to a server that is away. */
function isPoolersRefusal(code: string, words: string): boolean {
  return code === "08P01" && /no such (database|user)|auth|password|not allowed/i.test(words);
}

/** The SQL that somebody with more rights has to run, in one line each. */
function whatToRun({ table, user }: PostgresAddress, credentials: Credentials): string {
  const role = `"${(user ?? credentials.user ?? "the user").replaceAll('"', '""')}"`;
  return `let somebody who may create tables there run this:\n${createTable(table)};\ngrant usage on schema "${table.schema}" to ${role};\ngrant select, insert, update, delete on ${table.sql} to ${role};\n`.trimEnd();
}
