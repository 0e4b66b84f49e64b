#!/usr/bin/env node
// An older Node reads this file too, before it can be told that it is too old. So nothing newer
// than dynamic import stands here, and everything else is loaded only once the version is known.

const OLDEST_NODE = 24;

function mainWithOlderNode(args: readonly string[]): void {
  const message = `Holdfast needs Node ${OLDEST_NODE} or later, and this is Node ${process.versions.node}: install a newer one, or put it first in the PATH.`;
  process.stderr.write(`holdfast: ${message}\n`);
  const end = args.indexOf("--");
  if ((end === -1 ? args : args.slice(0, end)).indexOf("--json") !== -1) {
    process.stdout.write(`${JSON.stringify({ error: { code: "NODE_TOO_OLD", message } })}\n`);
  }
  process.exitCode = args.find((argument) => !argument.startsWith("-")) === "run" ? 125 : 2;
}

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  mainWithOlderNode(process.argv.slice(2));
} else {
  import("./program.ts").then((program) => program.main());
}
