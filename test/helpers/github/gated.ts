import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { APP_ID, type GitHubStandIn, WEBHOOK_SECRET } from "./stand-in.ts";

/** Writes the file of --github-app, and those that it names. Its path. */
export function writeGateFile(
  directory: string,
  github: Pick<GitHubStandIn, "privateKey">,
  port: number,
  environments: object,
): string {
  writeFileSync(join(directory, "app.pem"), github.privateKey, { mode: 0o600 });
  writeFileSync(join(directory, "webhook"), `${WEBHOOK_SECRET}\n`, { mode: 0o600 });
  const file = join(directory, "gate.json");
  const content = {
    appId: Number(APP_ID),
    privateKeyFile: "app.pem",
    webhookSecretFile: "webhook",
    api: `http://127.0.0.1:${port}`,
    environments,
  };
  writeFileSync(file, JSON.stringify(content, null, 2));
  return file;
}
