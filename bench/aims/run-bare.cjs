/**
 * What `holdfast run` asks of the system, and nothing else: a guard by SQLite, a lock file that is
 * synced, linked and removed, the process that tells where a signal comes from, and the command.
 */
const { spawn } = require("node:child_process");
const { hash, randomBytes } = require("node:crypto");
const fs = require("node:fs");
const { join } = require("node:path");
const { DatabaseSync } = require("node:sqlite");

const [, , directory, command] = process.argv;
fs.mkdirSync(directory, { recursive: true });
const path = join(directory, "bare.lock");
const temporary = `${path}.tmp`;

function guarded(work) {
  const guard = new DatabaseSync(join(directory, "guard"), { timeout: 0 });
  guard.exec("BEGIN EXCLUSIVE");
  work();
  guard.exec("COMMIT");
  guard.close();
}

function writeSynced(file, text) {
  const handle = fs.openSync(file, "w", 0o600);
  fs.writeSync(handle, text);
  fs.fsyncSync(handle);
  fs.closeSync(handle);
}

guarded(() => {
  writeSynced(temporary, `pid=${process.pid}\ntag=${hash("sha256", randomBytes(16))}\n`);
  fs.linkSync(temporary, path);
  fs.unlinkSync(temporary);
});
const sentinel = spawn("/bin/cat", [], { stdio: ["pipe", "ignore", "ignore"] });
const child = spawn(command, [], { stdio: "inherit" });
child.on("exit", (code) => {
  sentinel.kill("SIGKILL");
  guarded(() => fs.unlinkSync(path));
  process.exitCode = code;
});
