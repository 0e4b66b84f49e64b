/**
 * Runs a command on a console of its own, and presses Ctrl-C there for each line of input. Node has no
 * call for either; `koffi` calls Windows itself. Exits as the command does.
 */
const { spawn } = require("node:child_process");
const { createInterface } = require("node:readline");

const kernel32 = require("koffi").load("kernel32.dll");
const freeConsole = kernel32.func("int __stdcall FreeConsole()");
const allocConsole = kernel32.func("int __stdcall AllocConsole()");
const setHandler = kernel32.func("int __stdcall SetConsoleCtrlHandler(void *handler, int add)");
const sendEvent = kernel32.func(
  "int __stdcall GenerateConsoleCtrlEvent(uint32_t event, uint32_t group)",
);
const CTRL_C = 0;
const EVERYBODY = 0;

freeConsole();
if (allocConsole() === 0) throw new Error("no console to be had");
// A process that was started in a group of its own ignores Ctrl-C, and so do those that it starts.
setHandler(null, 0);
const [file, ...args] = process.argv.slice(2);
const child = spawn(file, args, { stdio: ["ignore", "inherit", "inherit"] });
child.on("exit", (code) => process.exit(code));
// After the command was started, which would inherit it otherwise.
process.on("SIGINT", () => {});
createInterface({ input: process.stdin }).on("line", () => sendEvent(CTRL_C, EVERYBODY));
