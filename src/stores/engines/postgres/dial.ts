import { connect, type Socket } from "node:net";
import { formatDuration } from "../../../lock/duration.ts";
import type { LockError } from "../../../lock/errors.ts";
import type { StoreOptions } from "../../options.ts";
import { endWith, happens, openTls } from "../socket.ts";
import { refused } from "../trouble.ts";
import type { PostgresAddress } from "./address.ts";

/** Asks for TLS: a length and a number that no version of the protocol has. */
const TLS_REQUEST = Buffer.of(0, 0, 0, 8, 4, 210, 22, 47);
const YES = 0x53;
const NO = 0x4e;
/** Authentication, an error, a notice or a hint about versions: how a server begins to answer. */
const FIRST_LETTERS = [..."RENv"].map((letter) => letter.charCodeAt(0));
const CONNECT_MS = 5_000;
const KEEP_ALIVE_MS = 15_000;

/**
 * Opens a connection to a PostgreSQL server, with TLS where it is wanted. It is done here and not by
 * the client library, since that tells neither another kind of server nor a bad certificate.
 * `patience`: milliseconds for the answer to a single letter.
 */
export async function dial(
  address: PostgresAddress,
  options: StoreOptions,
  patience: number,
  closing: AbortSignal,
): Promise<Socket> {
  const { host, port, tls } = address;
  const socket = connect({ host, port });
  endWith(socket, closing);
  try {
    await happens(address, socket, "connect", CONNECT_MS, late("connect", CONNECT_MS));
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    const opened = tls === "disable" ? socket : await negotiate(address, socket, options, patience);
    return guarded(address, opened);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function negotiate(
  address: PostgresAddress,
  socket: Socket,
  options: StoreOptions,
  patience: number,
): Promise<Socket> {
  socket.write(TLS_REQUEST);
  const [answer] = (await happens(
    address,
    socket,
    "data",
    patience,
    late("data", patience),
  )) as [Buffer];
  // More than the one letter would be the text of somebody in between.
  if (answer.length !== 1 || (answer[0] !== YES && answer[0] !== NO)) throw notPostgres(address);
  if (answer[0] === YES) return secured(address, socket, options);
  if (address.tls === "prefer") return socket;
  throw refused(
    address,
    `has no TLS, and sslmode=${address.tls} asks for it: set ssl = on there, or leave sslmode out`,
  );
}

async function secured(
  address: PostgresAddress,
  socket: Socket,
  options: StoreOptions,
): Promise<Socket> {
  const { host, tls: mode } = address;
  const isNamed = options.caFile !== undefined;
  // As in every client of PostgreSQL: `require` looks at the certificate where an authority is named.
  const verifies = mode.startsWith("verify-") || (mode === "require" && isNamed);
  const settings = {
    ...{ socket, host, rejectUnauthorized: verifies },
    ...(mode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
  };
  const secure = await openTls(settings, verifies ? options : null);
  await happens(address, secure, "secureConnect", CONNECT_MS, late("secureConnect", CONNECT_MS));
  return secure;
}

function late(event: string, patience: number): string {
  const what = event === "connect" ? "could not be connected to" : "did not answer";
  return `${what} within ${formatDuration(patience)}: check host and port, that it is PostgreSQL, and the firewall in between`;
}

/** Ends the connection where the first letter of the answer is none of PostgreSQL's. */
function guarded(address: PostgresAddress, socket: Socket): Socket {
  socket.once("data", (chunk: Buffer) => {
    if (!FIRST_LETTERS.includes(chunk[0] as number)) socket.destroy(notPostgres(address));
  });
  return socket;
}

function notPostgres(address: PostgresAddress): LockError {
  return refused(address, "does not answer as PostgreSQL does: check host and port");
}
