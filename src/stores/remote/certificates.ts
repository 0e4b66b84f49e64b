import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { getCACertificates } from "node:tls";
import { LockError, messageOf, systemCode } from "../../lock/errors.ts";
import { quote } from "../../lock/text.ts";
import type { StoreOptions } from "../options.ts";

/** Whom to trust, if the user named a file; undefined: whom the system trusts. */
export async function readTrusted({
  caFile,
  workingDirectory = ".",
}: StoreOptions): Promise<readonly string[] | undefined> {
  return caFile === undefined ? undefined : readCertificates(resolve(workingDirectory, caFile));
}

/** Besides those of the system: a file for one server must not make the others untrusted. */
async function readCertificates(path: string): Promise<readonly string[]> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    const why = systemCode(error) === "ENOENT" ? "it is not there" : messageOf(error);
    throw new LockError(
      "BAD_OPTION",
      `The file of certificates ${quote(path, 200)} cannot be read: ${why}.`,
      { cause: error },
    );
  }
  try {
    // Node would ignore what it cannot read, and the server would seem untrusted.
    new X509Certificate(text);
  } catch (error) {
    throw new LockError(
      "BAD_OPTION",
      `The file ${quote(path, 200)} holds no certificate: name a PEM file of the authority.`,
      { cause: error },
    );
  }
  return [...getCACertificates("default"), text];
}
