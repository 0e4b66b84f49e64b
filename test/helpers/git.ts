import { spawnSync } from "node:child_process";

/** Makes a directory a repository with one commit of all that is in it. */
export function commitAll(directory: string): void {
  const git = (...args: string[]) => {
    const identity = ["-c", "user.name=e2e", "-c", "user.email=e2e@example.invalid"];
    const result = spawnSync("git", [...identity, ...args], { cwd: directory, encoding: "utf8" });
    if (result.status !== 0) throw new Error(`git ${args[0]} failed: ${result.stderr}`);
  };
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all", "--force");
  git("-c", "commit.gpgsign=false", "commit", "--quiet", "--message=e2e");
}
