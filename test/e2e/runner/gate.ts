/**
 * A step that goes on until the test lets it: it says that it stands, waits for SIGUSR2, and ends
 * with the exit code that it was given. Any other signal meets it as it would meet a user's program.
 */
const code = Number(process.argv[2] ?? "0");
process.on("SIGUSR2", () => process.exit(code));
setInterval(() => {}, 1_000_000);
process.stdout.write("the gate is closed\n");
