#!/usr/bin/env node
// An older Node reads this file too, before it can be told that it is too old. So nothing newer
// than dynamic import stands here, and everything else is loaded only once the version is known.

const OLDEST_NODE = 24;

/** `near`: the folder of a newer node in this installation, which `npm ci` brings along; empty: none. */
function mainWithOlderNode(args: readonly string[], near: string): void {
  const where = near === "" ? "" : `; there is one in ${near}`;
  const message = `Holdfast needs Node ${OLDEST_NODE} or later, and this is Node ${process.versions.node}: install a newer one, or put it first in the PATH${where}.`;
  process.stderr.write(`holdfast: ${message}\n`);
  const end = args.indexOf("--");
  if ((end === -1 ? args : args.slice(0, end)).indexOf("--json") !== -1) {
    process.stdout.write(`${JSON.stringify({ error: { code: "NODE_TOO_OLD", message } })}\n`);
  }
  process.exitCode = args.find((argument) => !argument.startsWith("-")) === "run" ? 125 : 2;
}

/**
 * Lets Node keep what it compiles, which saves a tenth of `status`: in a directory that belongs to this
 * user alone, since what stands in it is executed. Not in CI, where a job could leave something for
 * the next one, and not for root in another user's home.
 */
function keepCompiled(): void {
  const { CI, HOME, NODE_COMPILE_CACHE, XDG_CACHE_HOME } = process.env;
  const home = XDG_CACHE_HOME || HOME || "";
  if (CI || NODE_COMPILE_CACHE || !process.getuid || !home.startsWith("/")) return;
  const directory = `${home}${XDG_CACHE_HOME ? "" : "/.cache"}/holdfast`;
  try {
    const fs = process.getBuiltinModule("node:fs");
    // In another user's home root must not even leave a directory.
    if (fs.statSync(home).uid !== process.getuid()) return;
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    const { uid, mode } = fs.lstatSync(directory);
    if (uid !== process.getuid() || (mode & 0o077) !== 0) return;
    process.getBuiltinModule("node:module").enableCompileCache(directory);
  } catch (_) {
    // It only takes longer.
  }
}

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  Promise.all([import("node:fs"), import("node:url")]).then(([fs, url]) => {
    const near = url.fileURLToPath(new URL("../../node_modules/node/bin", import.meta.url));
    mainWithOlderNode(process.argv.slice(2), fs.existsSync(near) ? near : "");
  });
} else {
  keepCompiled();
  import("./program.ts").then((program) => program.main());
}
