import { createHash, timingSafeEqual } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { isIP } from "node:net";
import { LockError, messageOf, systemCode } from "../lock/errors.ts";
import { quote } from "../lock/text.ts";
import type { Clock } from "../lock/time.ts";
import { randomHex } from "../machine/random.ts";
import type { Identities } from "./identity/identities.ts";
import type { Logger } from "./log.ts";
import { checkSecret, type ServerOptions } from "./options.ts";

/** What guards the server: its secret, its policy and its certificate. */
export interface Access {
  readonly secret: Secret | null;
  /** With this one may look at locks and metrics, and change nothing. */
  readonly readSecret: Secret | null;
  /** Lets jobs in by their ID tokens; null: there is no policy. */
  readonly identities: Identities | null;
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | null;
}

/** Reads secret, policy and certificate. Throws BAD_OPTION where a file cannot be read, or where strangers could lock. */
export async function readAccess(
  options: ServerOptions,
  clock: Clock,
  log: Logger,
): Promise<Access> {
  const text = options.secret ?? (await readSecretFile("auth-token-file", options.secretFile, log));
  const readText = await readSecretFile("read-token-file", options.readSecretFile, log);
  if (text !== null && text === readText) {
    throw new LockError(
      "BAD_OPTION",
      "The tokens of --read-token-file and --auth-token-file are the same: make one of them anew.",
    );
  }
  const identities = await readIdentities(options, clock, log);
  // A policy alone opens no other way in: what asks for the server's token gets one that nobody has.
  const own = identities === null ? null : randomHex(32);
  const secret = text === null && own === null ? null : new Secret(text ?? own ?? "");
  refuseStrangers(options, secret);
  const readSecret = readText === null ? null : new Secret(readText);
  return { secret, readSecret, identities, tls: await readCertificate(options) };
}

/** Its code, and the library that checks tokens, are loaded only where there is a policy. */
async function readIdentities(
  { policyFile }: ServerOptions,
  clock: Clock,
  log: Logger,
): Promise<Identities | null> {
  if (policyFile === null) return null;
  const { Identities } = await import("./identity/identities.ts");
  return Identities.open(policyFile, clock, log);
}

async function readSecretFile(
  option: string,
  file: string | null,
  log: Logger,
): Promise<string | null> {
  if (file === null) return null;
  const text = (await readNamedFile(option, file)).toString("utf8");
  const { mode } = await stat(file);
  if (process.platform !== "win32" && (mode & 0o007) !== 0) {
    log.write("warn", "the token file can be read by every user of this machine: chmod 600", {
      file,
    });
  }
  return checkSecret(text, `--${option} ${quote(file)}`);
}

async function readCertificate({
  tls,
}: ServerOptions): Promise<{ cert: Buffer; key: Buffer } | null> {
  if (tls === null) return null;
  const cert = await readNamedFile("tls-cert", tls.certFile);
  return { cert, key: await readNamedFile("tls-key", tls.keyFile) };
}

async function readNamedFile(option: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const why = systemCode(error) === "ENOENT" ? "it is not there" : messageOf(error);
    const message = `The file ${quote(path)} of --${option} cannot be read: ${why}.`;
    throw new LockError("BAD_OPTION", message, { cause: error });
  }
}

function refuseStrangers({ host, insecure }: ServerOptions, secret: Secret | null): void {
  if (secret !== null || insecure || isLoopback(host)) return;
  throw new LockError(
    "BAD_OPTION",
    `The address ${quote(host)} can be reached from other machines, and anybody could claim or release locks: give --auth-token-file or --policy, or say --insecure.`,
  );
}

/** Whether only this machine can reach the address. A name other than localhost may lead anywhere. */
export function isLoopback(host: string): boolean {
  if (host === "localhost" || host === "::1") return true;
  const plain = host.toLowerCase().startsWith("::ffff:") ? host.slice(7) : host;
  return isIP(plain) === 4 && plain.startsWith("127.");
}

/**
 * The secret that clients must show. It is kept and compared as a digest: comparing takes the same
 * time whatever was sent, also where the lengths differ, and no dump of memory holds the text.
 */
export class Secret {
  readonly #digest: Buffer;

  constructor(text: string) {
    this.#digest = digestOf(text);
  }

  matches(text: string): boolean {
    return timingSafeEqual(this.#digest, digestOf(text));
  }
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}
