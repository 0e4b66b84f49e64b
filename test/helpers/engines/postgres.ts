import { execFile, execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { isThere } from "../needs.ts";
import { until } from "../waiting.ts";
import { type Engine, EngineProcess, isInstalled, type Protected } from "./engine.ts";

const run = promisify(execFile);

/** Debian puts the server's programs beside the PATH, one folder a version. */
const [folder = ""] = globSync("/usr/lib/postgresql/*/bin").sort().reverse();
const BIN = folder === "" ? "" : `${folder}/`;

export const hasPostgres = isThere(
  "PostgreSQL",
  ["postgres", "initdb"].every((name) => isInstalled(BIN + name)),
);
export const hasPgBouncer = hasPostgres && isThere("PgBouncer", isInstalled("pgbouncer"));

/**
 * A user who may create its table, and a password with all that has a meaning in URLs, which nothing
 * else on the machine has on its command line.
 */
export const USER = "ci";
export const PASSWORD = `p/a@s%s:w?o#r d ${randomBytes(6).toString("hex")}`;

export interface Postgres extends Engine {
  readonly directory: string;
  protect(): Promise<Protected>;
  /** Runs SQL in the database of the locks as its superuser, with psql; answers what it printed. */
  sql(...statements: string[]): Promise<string>;
  /** A PgBouncer before it, in transaction mode. */
  pooler(): Promise<EngineProcess>;
}

export interface PostgresOptions {
  /** As in postgresql.conf, such as `max_connections=20`. */
  readonly settings?: readonly string[];
  /** Files in its directory that it may read. */
  readonly files?: Readonly<Record<string, string>>;
}

/** PostgreSQL does not run as root. */
function ordinaryUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ["postgres", "nobody"]) {
    const [uid, gid] = ["-u", "-g"].map((which) => spawnSync("id", [which, name]).stdout);
    if (String(uid).trim() !== "") return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error("there is no ordinary user to run PostgreSQL as");
}

let places = 0;

/** A PostgreSQL with a database of the locks in which `USER` may create a table. */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const user = ordinaryUser();
  const psql = async (port: number, database: string, statements: readonly string[]) => {
    const place = ["-h", "127.0.0.1", "-p", String(port), "-U", "admin", "-d", database];
    const args = [...place, "-v", "ON_ERROR_STOP=1", "-qAtX"];
    const { stdout } = await run("psql", [...args, ...statements.flatMap((each) => ["-c", each])], {
      env: { ...process.env, PGPASSWORD: "superuser" },
    });
    return stdout;
  };
  const server = await EngineProcess.start({
    file: `${BIN}postgres`,
    ...(user === undefined ? {} : { user }),
    prepare(directory) {
      if (user !== undefined) chownSync(directory, user.uid, user.gid);
      for (const [name, text] of Object.entries({ ...options.files, password: "superuser\n" }))
        writeFor(user, join(directory, name), text);
      const passwords = join(directory, "password");
      const login = ["-U", "admin", `--pwfile=${passwords}`, "-A", "scram-sha-256"];
      const data = ["-D", join(directory, "data"), "--no-sync", "--locale=C", "--encoding=UTF8"];
      const stdio = ["ignore", "ignore", "inherit"] as const;
      execFileSync(`${BIN}initdb`, [...data, ...login], {
        ...user,
        cwd: directory,
        stdio: [...stdio],
      });
    },
    args: (port, directory) => [
      ...["-D", join(directory, "data"), "-p", String(port)],
      ...[
        "listen_addresses=127.0.0.1",
        `unix_socket_directories=${directory}`,
        // What a killed process has written is with the kernel: no test switches the machine off.
        "fsync=off",
        ...(options.settings ?? []).map((each) => each.replaceAll("DIRECTORY", directory)),
      ].flatMap((each) => ["-c", each]),
    ],
    isReady: async (port) => (await psql(port, "postgres", ["select 1"])) === "1\n",
  });
  await psql(server.port, "postgres", [
    `create role ${USER} login password '${PASSWORD}'`,
    `create database locks`,
  ]);
  await psql(server.port, "locks", [`grant create on schema public to ${USER}`]);
  return {
    name: "PostgreSQL",
    directory: server.directory,
    get port() {
      return server.port;
    },
    get pid() {
      return server.pid;
    },
    fresh: async (port = server.port) => urlOf(port, true),
    // It asks for one from the beginning.
    protect: async () => ({
      password: PASSWORD,
      fresh: async (inUrl) => urlOf(server.port, inUrl),
    }),
    kill: () => killed(server),
    startAgain: () => server.startAgain(),
    async stop() {
      await killed(server);
      await server.stop();
    },
    sql: (...statements) => psql(server.port, "locks", statements),
    pooler: () => startPooler(server, user),
  };
}

function urlOf(port: number, withPassword: boolean): string {
  const user = withPassword ? `${USER}:${encodeURIComponent(PASSWORD)}` : USER;
  return `postgres://${user}@127.0.0.1:${port}/locks?table=t${++places}`;
}

function writeFor(
  user: { uid: number; gid: number } | undefined,
  path: string,
  text: string,
): void {
  writeFileSync(path, text, { mode: 0o600 });
  if (user !== undefined) chownSync(path, user.uid, user.gid);
}

/** kill -9. Its other processes see that it is gone and end; before, it cannot be started again. */
async function killed(server: EngineProcess): Promise<void> {
  const others = server.pid === 0 ? [] : childrenOf(server.pid);
  await server.end("SIGKILL");
  await until(() => !others.some((pid) => parentOf(pid) !== null));
}

function childrenOf(pid: number): number[] {
  const all = globSync("/proc/[0-9]*").map((path) => Number(path.slice("/proc/".length)));
  return all.filter((each) => parentOf(each) === pid);
}

/** Null: it is gone. */
function parentOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" ? null : Number(parent);
  } catch {
    return null;
  }
}

async function startPooler(
  server: EngineProcess,
  user: { uid: number; gid: number } | undefined,
): Promise<EngineProcess> {
  const config = (port: number) => [
    "[databases]",
    `locks = host=127.0.0.1 port=${server.port} dbname=locks`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = scram-sha-256",
    `auth_file = ${join(server.directory, "users.txt")}`,
    "pool_mode = transaction",
    "default_pool_size = 3",
  ];
  writeFor(user, join(server.directory, "users.txt"), `"${USER}" "${PASSWORD}"\n`);
  return EngineProcess.start({
    file: "pgbouncer",
    ...(user === undefined ? {} : { user }),
    prepare(directory) {
      if (user !== undefined) chownSync(directory, user.uid, user.gid);
    },
    args(port, directory) {
      const path = join(directory, "pgbouncer.ini");
      writeFor(user, path, `${config(port).join("\n")}\n`);
      return [path];
    },
    async isReady(port) {
      const args = [
        "-h",
        "127.0.0.1",
        "-p",
        String(port),
        "-U",
        USER,
        "-d",
        "locks",
        "-c",
        "select 1",
      ];
      await run("psql", args, { env: { ...process.env, PGPASSWORD: PASSWORD } });
      return true;
    },
  });
}
