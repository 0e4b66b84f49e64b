import { LockError } from "../../../lock/errors.ts";
import { hasControl, quote } from "../../../lock/text.ts";
import { badStore } from "../../remote/errors.ts";
import type { Named } from "../../remote/trouble.ts";
import { parseEngineUrl, withoutUserinfo } from "../address.ts";

/** A PostgreSQL database: `postgres://user:password@host:5432/database?sslmode=verify-full`. */
export interface PostgresAddress extends Named {
  /** As the user would write it, without a password: shown, saved and exported. */
  readonly shown: string;
  readonly port: number;
  readonly user: string | null;
  readonly password: string | null;
  readonly database: string;
  readonly tls: TlsMode;
  readonly table: Table;
}

/** The table of the locks. Its schema is always named: two users may have two search paths. */
export interface Table {
  readonly schema: string;
  readonly name: string;
  /** Both, as SQL writes them. */
  readonly sql: string;
}

/** As every client of PostgreSQL calls them. */
const TLS_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
export type TlsMode = (typeof TLS_MODES)[number];

const DEFAULT_PORT = 5432;
const DEFAULT_TABLE = "public.holdfast";

export function parsePostgresAddress(store: string): PostgresAddress {
  const { host, port, authority, user, password, path, query } = parseEngineUrl(store, {
    example: "postgres://host/database",
    defaultPort: DEFAULT_PORT,
    options: ["sslmode", "table"],
    oneServer: "name the primary alone, or a name or proxy that always leads to it",
  });
  // If none is named, clients take the one that is called like the user: two users, two places.
  if (path === "" || path.includes("/") || hasControl(path)) {
    throw badStore(
      withoutUserinfo(store.trim()),
      path === "" ? "names no database" : `has ${quote(path)} as its database`,
      "write it as postgres://host/database",
    );
  }
  const tls = tlsOf(query.get("sslmode"));
  const table = tableOf(query.get("table"));
  const named = user === null ? "" : `${encodeURIComponent(user)}@`;
  const options = [
    ...(tls === "prefer" ? [] : [`sslmode=${tls}`]),
    ...(`${table.schema}.${table.name}` === DEFAULT_TABLE
      ? []
      : [`table=${table.schema}.${table.name}`]),
  ];
  const suffix = options.length === 0 ? "" : `?${options.join("&")}`;
  const shown = `postgres://${named}${authority}/${encodeURIComponent(path)}${suffix}`;
  return {
    shown,
    called: `The PostgreSQL server ${shown}`,
    withoutTls: "?sslmode=disable",
    host,
    port,
    user,
    password,
    database: path,
    tls,
    table,
  };
}

function tlsOf(given = "prefer"): TlsMode {
  const mode = TLS_MODES.find((each) => each === given);
  if (mode !== undefined) return mode;
  throw new LockError(
    "BAD_STORE",
    `The store's sslmode ${quote(given)} is not known: use one of ${TLS_MODES.join(", ")}.`,
  );
}

function tableOf(given = DEFAULT_TABLE): Table {
  const [, schema = "public", name = ""] =
    /^(?:([a-z_][a-z0-9_]{0,62})\.)?([a-z_][a-z0-9_]{0,62})$/.exec(given) ?? [];
  if (name === "") {
    throw new LockError(
      "BAD_STORE",
      `The store's table ${quote(given)} is not acceptable: use small letters, digits and _, with a schema before a dot, such as ${DEFAULT_TABLE}.`,
    );
  }
  return { schema, name, sql: `"${schema}"."${name}"` };
}
