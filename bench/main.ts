/** Runs one benchmark by its name, or without a name the table of all that has an aim. */
const NAMES = ["file", "action", "server", "http", "engines", "git", "history"];
const HELP = `npm run bench [-- --write]: all that has an aim in one table, in some minutes
npm run bench NAME [-- options]
NAME: ${NAMES.join(", ")}
`;

const name = process.argv[2] ?? "";
if (name === "" || name === "--write") await import("./aims.ts");
else if (NAMES.includes(name)) {
  process.argv.splice(2, 1);
  await import(`./${name}.ts`);
} else {
  const asked = name === "--help";
  (asked ? process.stdout : process.stderr).write(HELP);
  process.exitCode = asked ? 0 : 2;
}
