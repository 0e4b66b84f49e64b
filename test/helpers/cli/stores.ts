import { onTestFinished } from "vitest";
import { temporaryDirectory } from "../directories.ts";
import { startGitServer } from "../git-server.ts";
import { startCli } from "./cli.ts";

/** Kinds of stores that know freezes, runs and the newest claim. */
export const KINDS = ["directory", "repository", "server"] as const;
export type Kind = (typeof KINDS)[number];

/** The URL of an empty store of that kind, which ends with the test. */
export async function storeOfKind(kind: Kind): Promise<string> {
  switch (kind) {
    case "directory":
      return `file:${temporaryDirectory()}`;
    case "repository": {
      const git = await startGitServer();
      onTestFinished(() => git.close());
      return git.url;
    }
    case "server": {
      const server = startCli(["serve", "--port", "0", "--http-port", "0"]);
      const [, port] = await server.prints(/listening http 127\.0\.0\.1:(\d+)/);
      return `http://127.0.0.1:${port}`;
    }
  }
}
