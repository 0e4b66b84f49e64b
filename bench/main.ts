/** Runs one benchmark by its name, or without a name the table of all that has an aim. */
const NAMES = ["file", "action", "server", "http", "engines", "git", "history"];

const name = process.argv[2] ?? "";
if (name === "" || name === "--write") await import("./aims.ts");
else if (NAMES.includes(name)) {
  process.argv.splice(2, 1);
  await import(`./${name}.ts`);
} else {
  process.stderr.write(
    `npm run bench [-- --write]: one table of all that has an aim, in at most 10 minutes\nnpm run bench NAME [-- options]: ${NAMES.join(", ")}\n`,
  );
  process.exitCode = name === "--help" ? 0 : 2;
}
