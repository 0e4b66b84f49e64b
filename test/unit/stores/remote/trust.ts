import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../../helpers/directories.ts";
import type { TestCertificate } from "../../../helpers/server/certificate.ts";

/** A server's flags with which it shows that certificate. */
export function showing({ cert, key }: TestCertificate): Record<string, string> {
  const directory = temporaryDirectory();
  const files = { cert: join(directory, "cert.pem"), key: join(directory, "key.pem") };
  writeFileSync(files.cert, cert);
  writeFileSync(files.key, key);
  return { "tls-cert": files.cert, "tls-key": files.key };
}

/** A client's options with which it trusts what that certificate has signed. */
export function trusting({ cert }: Pick<TestCertificate, "cert">): {
  caFile: string;
  workingDirectory: string;
} {
  const workingDirectory = temporaryDirectory();
  writeFileSync(join(workingDirectory, "ca.pem"), cert);
  return { caFile: "ca.pem", workingDirectory };
}
