/** Runs one benchmark by its name. */
const NAMES = ["file", "action", "server", "http", "engines", "git", "history"];

const [name = ""] = process.argv.splice(2, 1);
if (NAMES.includes(name)) await import(`./${name}.ts`);
else {
  const help = `npm run bench NAME [-- options]\nNAME: ${NAMES.join(", ")}\n`;
  (name === "" ? process.stdout : process.stderr).write(help);
  process.exitCode = name === "" ? 0 : 2;
}
