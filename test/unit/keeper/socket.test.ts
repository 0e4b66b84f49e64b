import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type KeptLease, readLeaseFile } from "../../../src/keeper/lease-file.ts";
import { cli } from "../../helpers/cli/cli.ts";
import { temporaryDirectory } from "../../helpers/directories.ts";
import { isAlive } from "../../helpers/processes.ts";
import { until } from "../../helpers/waiting.ts";

/** The socket of a real keeper, and a step of the job that does not mean well. */

const opened: Socket[] = [];
const keepers: number[] = [];

afterEach(async () => {
  for (const socket of opened.splice(0)) socket.destroy();
  for (const pid of keepers.splice(0)) {
    if (isAlive(pid)) process.kill(pid, "SIGKILL");
    await until(() => !isAlive(pid));
  }
});

async function acquire() {
  const directory = temporaryDirectory();
  const env = { HOLDFAST_STORE: join(directory, "locks"), RUNNER_TEMP: directory };
  const acquired = await cli(["acquire", "k", "--until-pid", String(process.pid)], { env });
  const path = acquired.stdout.trim();
  const lease = readLeaseFile(path) as KeptLease;
  keepers.push(lease.keeper.pid);
  return { env, path, lease };
}

/** A connection that sends what is given and then is silent. Resolves when that is on its way. */
function hold(path: string, bytes: Buffer): Promise<{ closed: Promise<void> }> {
  return new Promise((resolve) => {
    const socket = connect(path);
    opened.push(socket);
    const closed = new Promise<void>((done) => socket.on("close", () => done()));
    const sent = () => resolve({ closed });
    socket.on("error", sent);
    socket.on("close", sent);
    socket.write(bytes, sent);
  });
}

/** Megabytes of memory that a process has. */
function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

test("2,000 connections with 200 kB each cost little, and release is answered all the same", async () => {
  const { env, path, lease } = await acquire();
  const before = memoryOf(lease.keeper.pid);
  const bytes = Buffer.alloc(200_000, "x");
  for (let count = 0; count < 2_000; count += 100) {
    await Promise.all(Array.from({ length: 100 }, () => hold(lease.socket, bytes)));
  }
  expect(memoryOf(lease.keeper.pid) - before).toBeLessThan(60);
  const released = await cli(["release", "--lease", path], { env });
  expect(released).toMatchObject({ code: 0, stderr: 'holdfast: "k" was released.\n' });
});

test("a step that takes every place again as soon as it loses it does not keep release out", async () => {
  const { env, path, lease } = await acquire();
  let taken = 0;
  let isOver = false;
  const take = (): void => {
    const socket = connect(lease.socket);
    opened.push(socket);
    socket.on("error", () => {});
    socket.on("close", () => isOver || setImmediate(take));
    socket.write("{");
    taken++;
  };
  for (let count = 0; count < 100; count++) take();
  await until(() => taken > 300);
  const released = await cli(["release", "--lease", path], { env });
  isOver = true;
  expect(released).toMatchObject({ code: 0, stderr: 'holdfast: "k" was released.\n' });
});

test("a silent connection is closed though no other comes", async () => {
  const { lease } = await acquire();
  const { closed } = await hold(lease.socket, Buffer.from("{"));
  await closed;
  expect(isAlive(lease.keeper.pid)).toBe(true);
});

test("one connection asks one thing", async () => {
  const { lease } = await acquire();
  const request = `${JSON.stringify({ op: "status", token: lease.token })}\n`;
  const socket = connect(lease.socket);
  opened.push(socket);
  let text = "";
  socket.on("data", (chunk) => (text += chunk));
  socket.write(request.repeat(50));
  await new Promise((resolve) => socket.on("close", resolve).on("error", () => {}));
  // The keeper closes with the rest unread, and the system may then drop its answer as well.
  expect(["", '{"state":"held"}']).toContain(text.trim());
});
