import { isLockError, LockError } from "../../../lock/errors.ts";
import { jsonText, quote, showable } from "../../../lock/text.ts";
import type { Command } from "../../command.ts";
import { whoCalls } from "../../context.ts";
import { say } from "../../output.ts";

export const migrateCommand: Command = {
  name: "migrate",
  summary: "Converts lock files from one format to the other",
  usage: "PATH… [--to json|sema]",
  about: [
    "A lock that a living Holdfast process holds is left alone, and so is a file that is no lock file; each with a sentence.",
  ],
  takes: "paths",
  options: [
    {
      name: "to",
      value: "FORMAT",
      says: "json, or sema (pid=, timestamp=, tag= lines)",
      default: "json",
      choices: ["json", "sema"],
    },
  ],
  examples: [
    { line: "holdfast migrate /var/lock/deploy.lock", says: "from lines to JSON" },
    { line: "holdfast migrate locks/*.lock --to sema", says: "so that the sema tools see them" },
  ],
  exitCodes: [
    ["0", "every file is in that format now"],
    ["2", "bad input, or a file was left alone"],
  ],
  async act(input, io) {
    const to = input.text("to") ?? "json";
    if (to !== "json" && to !== "sema") {
      throw new LockError("BAD_FORMAT", `The format ${quote(to)} is not known: use json or sema.`);
    }
    const { owner, user } = whoCalls(io);
    const { migrateLockFile } = await import("../../../stores/file/migrate.ts");
    const workingDirectory = io.workingDirectory();
    const options = { to, owner: owner.id, user, workingDirectory } as const;
    const results = [];
    for (const path of input.words) {
      // One bad file must not keep the others from being converted.
      results.push(
        await migrateLockFile(path, options).catch((error: unknown) => {
          if (!isLockError(error)) throw error;
          return { path, outcome: "failed" as const, message: error.message };
        }),
      );
    }
    let code = 0;
    for (const { outcome, message } of results) {
      const done = outcome === "migrated" || outcome === "already";
      if (!done) {
        say(io, message);
        code = 2;
      } else if (!input.quiet && !input.json) io.stdout.write(`${showable(message)}\n`);
    }
    if (input.json) io.stdout.write(`${jsonText({ files: results })}\n`);
    return code;
  },
};
