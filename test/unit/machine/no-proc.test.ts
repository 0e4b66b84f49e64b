import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ProcessMark } from "../../../src/machine/processes.ts";
import { CLI, cli, environment } from "../../helpers/cli/cli.ts";
import { temporaryDirectory } from "../../helpers/directories.ts";
import { bystander, deadPid, holder } from "../../helpers/file/support.ts";
import { canPlayMac, isMac, linkedTmp, type PlayedMac, playMac } from "../../helpers/mac.ts";
import { describeWhere, testWhere } from "../../helpers/platform.ts";
import { isAlive, start } from "../../helpers/processes.ts";
import { ROOT } from "../../helpers/sources.ts";

/** What a module says there, as JSON. `zone`: the time zone that it is asked in. */
function ask(mac: PlayedMac, zone: string, script: string, ...args: string[]) {
  const words = ["env", `TZ=${zone}`, "LC_ALL=de_DE.UTF-8", process.execPath];
  const [file = "", ...rest] = [...mac.launcher, ...words];
  const run = spawnSync(file, [...rest, "--input-type=module", "-e", script, "--", ...args], {
    encoding: "utf8",
  });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout);
}

const PROCESSES = `
  const { openProcesses } = await import(${JSON.stringify(`${ROOT}/src/machine/processes.ts`)});
  const processes = openProcesses({ sharedFilesystem: false });
  const [value] = process.argv.slice(1).map((text) => JSON.parse(text));
`;
const MARK = `${PROCESSES} console.log(JSON.stringify(processes.mark(value)));`;
const ALIVE = `${PROCESSES} console.log(JSON.stringify(processes.alive(value)));`;

const CLAIM = `
  const { openStore } = await import(${JSON.stringify(`${ROOT}/src/stores/open.ts`)});
  const store = await openStore(process.argv[1], { fsync: false });
  const answer = await store
    .claim({ key: "k", owner: { id: "claimant", metadata: {} } }, { timeout: 1_000 })
    .then((holding) => holding.release(), (error) => error.code);
  console.log(JSON.stringify(answer));
  await store.close();
`;

describeWhere(canPlayMac, "a mount namespace")("where there is no /proc, as on macOS", () => {
  test("a living holder is not robbed from another time zone, and a dead one is followed at once", async () => {
    const mac = playMac();
    const directory = temporaryDirectory();
    const launcher = [...mac.launcher, "env", "TZ=UTC"];
    const held = await holder(directory, { key: "k" }, { launcher });
    expect(ask(mac, "Asia/Tokyo", CLAIM, directory)).toBe("TIMEOUT");
    await held.kill("SIGKILL");
    expect(ask(mac, "Asia/Tokyo", CLAIM, directory)).toBe("released");
  });

  test("a process is known by pid and start time, whatever the time zone", async () => {
    const mac = playMac();
    const { pid } = await bystander();
    const mark: ProcessMark = ask(mac, "America/New_York", MARK, String(pid));
    expect(mark).toMatchObject({ pid, boot: expect.stringMatching(/^[0-9A-F-]{36}$/) });
    expect(ask(mac, "Asia/Tokyo", ALIVE, JSON.stringify(mark))).toBe(true);
    // A process that was there long before this one was created: the pid is used again.
    const earlier = { ...mark, start: `@${Number(mark.start?.slice(1)) - 60_000}` };
    expect(ask(mac, "UTC", ALIVE, JSON.stringify(earlier))).toBe(false);
    // By just an hour, which may be that of summer time.
    const summer = { ...mark, start: `@${Number(mark.start?.slice(1)) - 3_600_000}` };
    expect(ask(mac, "UTC", ALIVE, JSON.stringify(summer))).toBe(true);
    // As an earlier version wrote it, in a time zone of its own: not comparable, so it lives.
    const worded = { ...mark, start: "Mon Nov 16 12:56:03 2026" };
    expect(ask(mac, "UTC", ALIVE, JSON.stringify(worded))).toBe(true);
    expect(ask(mac, "UTC", ALIVE, JSON.stringify({ ...mark, pid: await deadPid() }))).toBe(false);
    // A list that cannot be read says nothing: there is a process with that pid.
    const bin = temporaryDirectory();
    writeFileSync(join(bin, "ps"), "#!/bin/sh\necho unreadable\n", { mode: 0o755 });
    const unreadable = [...mac.launcher, "env", `PATH=${bin}:${mac.env.PATH ?? process.env.PATH}`];
    expect(ask({ ...mac, launcher: unreadable }, "UTC", ALIVE, JSON.stringify(mark))).toBe(true);
  });

  test("a mark of another boot is not known: another machine may have the same name", async () => {
    const mac = playMac();
    const mark: ProcessMark = ask(mac, "UTC", MARK, String((await bystander()).pid));
    const other = { ...mark, pid: await deadPid(), boot: "another" };
    expect(ask(mac, "UTC", ALIVE, JSON.stringify(other))).toBeNull();
  });

  // macOS itself always names its boot.
  testWhere(!isMac, "a boot without a name")(
    "without boot ids, a pid that is used again on a share says nothing: two machines may have one name",
    async () => {
      const mac = playMac();
      const nameless = { ...mac, launcher: [...mac.launcher, "env", "BOOT_UUID= "] };
      const mark: ProcessMark = ask(nameless, "UTC", MARK, String((await bystander()).pid));
      const earlier = { ...mark, start: `@${Number(mark.start?.slice(1)) - 60_000}` };
      expect(earlier.boot).toBeNull();
      const shared = ALIVE.replace("sharedFilesystem: false", "sharedFilesystem: true");
      expect(ask(nameless, "UTC", shared, JSON.stringify(mark))).toBe(true);
      expect(ask(nameless, "UTC", shared, JSON.stringify(earlier))).toBeNull();
      expect(ask(nameless, "UTC", ALIVE, JSON.stringify(earlier))).toBe(false);
    },
  );

  test("M2: a lost lock ends also what has lost its parent, and nobody else's", async () => {
    const mac = playMac();
    const directory = temporaryDirectory();
    const idle = `"${process.execPath}" -e "setInterval(() => {}, 1000)" & echo`;
    // The environment of the first is visible, and that of the system's own `sleep` is hidden.
    const command = `sh -c '${idle} orphan $!'; sh -c 'sleep 1000 & echo hidden $!'; sleep 1000`;
    const words = [
      process.execPath,
      CLI,
      "run",
      "k",
      "--grace",
      "200ms",
      "--",
      "sh",
      "-c",
      command,
    ];
    // In the same process group, which the script around them has.
    const stranger = `sh -c 'read line <&3; ${idle} stranger $!'`;
    const script = `exec 3<&0; ${stranger} & exec "$@" 3<&- </dev/null`;
    const [file = "", ...rest] = [...mac.launcher, "sh", "-c", script, "sh", ...words];
    const run = start(file, rest, { env: environment({ HOLDFAST_STORE: directory }) });
    const [, orphan] = await run.prints(/orphan (\d+)\n/);
    const [, hidden] = await run.prints(/hidden (\d+)\n/);
    run.write("go\n");
    const [, other] = await run.prints(/stranger (\d+)\n/);
    const exited = once(run.process, "exit");
    await cli(["break", "k", "--reason", "test"], { env: { HOLDFAST_STORE: directory } });
    expect((await exited)[0]).toBe(123);
    expect([orphan, hidden, other].map((pid) => isAlive(Number(pid)))).toEqual([
      false,
      false,
      true,
    ]);
    run.killGroup("SIGKILL");
  });

  test("what a killed run leaves behind keeps the lock held until it ends", async () => {
    const mac = playMac();
    const directory = temporaryDirectory();
    const idle = `console.log("ready", process.pid); setInterval(() => {}, 1000);`;
    const words = [process.execPath, CLI, "run", "k", "--", process.execPath, "-e", idle];
    const [file = "", ...rest] = [...mac.launcher, ...words];
    const run = start(file, rest, { env: environment({ HOLDFAST_STORE: directory }) });
    const [, pid] = await run.prints(/ready (\d+)/);
    const exited = once(run.process, "exit");
    run.kill("SIGKILL");
    await exited;
    expect(ask(mac, "Asia/Tokyo", CLAIM, directory)).toBe("TIMEOUT");
    process.kill(Number(pid), "SIGKILL");
    expect(ask(mac, "Asia/Tokyo", CLAIM, directory)).toBe("released");
  });

  test("acquire holds for the shell that called it, which is not given the lock twice", async () => {
    const mac = playMac();
    const directory = temporaryDirectory();
    const holdfast = `"${process.execPath}" "${CLI}"`;
    const script = `${holdfast} acquire k && (${holdfast} run k -- true; echo "then $?") && cat`;
    const [file = "", ...rest] = [...mac.launcher, "sh", "-c", script];
    const shell = start(file, rest, { env: environment({ HOLDFAST_STORE: directory }) });
    await shell.prints(/then 125/);
    expect(ask(mac, "Asia/Tokyo", CLAIM, directory)).toBe("TIMEOUT");
    shell.kill("SIGKILL");
    await expect.poll(() => ask(mac, "Asia/Tokyo", CLAIM, directory)).toBe("released");
  });

  test("a command with a process group of its own still gets the signal of ours", async () => {
    const mac = playMac();
    const script = `process.on("SIGTERM", () => process.exit(40)); setInterval(() => {}, 1000); console.log("ready");`;
    const own = ["perl", "-e", "setpgrp(0, 0); exec @ARGV", process.execPath, "-e", script];
    const words = [process.execPath, CLI, "run", "k", "--", ...own];
    const [file = "", ...rest] = [...mac.launcher, ...words];
    const run = start(file, rest, { env: environment({ HOLDFAST_STORE: temporaryDirectory() }) });
    await run.prints(/ready/);
    run.killGroup("SIGTERM");
    expect((await run.ended).code).toBe(40);
  });

  test("M3: the default directory has one name, whichever way /tmp is written", () => {
    const script = `
      const { openStore } = await import(${JSON.stringify(`${ROOT}/src/stores/open.ts`)});
      const names = ["file:", "/tmp/holdfast", "/private/tmp/holdfast"];
      const stores = await Promise.all(names.map((name) => openStore(name, { fsync: false })));
      console.log(JSON.stringify(stores.map((store) => store.url)));
    `;
    const url = "file:/private/tmp/holdfast";
    expect(ask({ launcher: linkedTmp(), env: {} }, "UTC", script)).toEqual([url, url, url]);
  });
});
