import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startProcess } from "../../../helpers/server/server.ts";

/** Files may grow to 160 KiB: the log of the second write fits, the data file with both does not. */
const BLOCKS = 320;
const FIRST = "x".repeat(100_000);
const SECOND = "y".repeat(60_000);

let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "holdfast-full-"));
  file = join(directory, "locks.db");
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function openSession(port: number) {
  const address = `http://127.0.0.1:${port}`;
  const response = await fetch(`${address}/auth/session`, { method: "POST" });
  const { sessionId } = (await response.json()) as { sessionId: string };
  return (path: string, options: RequestInit = {}) =>
    fetch(address + path, { ...options, headers: { authorization: `Bearer ${sessionId}` } });
}

it("a server that stops while its disk is full exits 0, says so, and loses nothing", async () => {
  const args = ["--data", file, "--http-port", "0"];
  const before = await startProcess(args);
  const put = await openSession(before.httpPort as number);
  expect((await put("/first", { method: "PUT", body: FIRST })).status).toBe(201);
  before.child.kill("SIGTERM");
  expect(await before.ended).toEqual([0, null]);

  const full = await startProcess(args, {}, { f: BLOCKS });
  const putMore = await openSession(full.httpPort as number);
  expect((await putMore("/second", { method: "PUT", body: SECOND })).status).toBe(201);
  full.child.kill("SIGTERM");
  expect(await full.ended).toEqual([0, null]);
  expect(full.stderr()).toContain("the data file cannot be written");
  // What is written is in the log beside the file, which the next start reads.
  expect(existsSync(`${file}-wal`)).toBe(true);

  const after = await startProcess(args);
  const get = await openSession(after.httpPort as number);
  expect(await (await get("/first")).text()).toBe(FIRST);
  expect(await (await get("/second")).text()).toBe(SECOND);
  after.child.kill("SIGTERM");
  expect(await after.ended).toEqual([0, null]);
  expect(existsSync(`${file}-wal`)).toBe(false);
});
