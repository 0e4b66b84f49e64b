/** Rebuilds dist/ and fails where the committed one differs: users run what is committed. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
execFileSync(process.execPath, [join(root, "scripts/build.ts")], { cwd: root, stdio: "inherit" });
const changes = execFileSync("git", ["status", "--porcelain", "--", "dist"], {
  cwd: root,
  encoding: "utf8",
});
if (changes !== "") {
  console.error(`dist/ is not fresh: run npm run bundle and commit it.\n${changes}`);
  process.exit(1);
}
console.log("dist/ is fresh");
