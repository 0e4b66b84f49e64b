import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import type { ProcessMark } from "../../../src/machine/processes.ts";
import { openProcesses } from "../../../src/machine/processes.ts";
import { bystander, deadPid, isLinux } from "../../helpers/file/support.ts";
import { linuxTest, unixTest } from "../../helpers/platform.ts";

const processes = openProcesses({ sharedFilesystem: false });

describe("a process that is followed", () => {
  unixTest("signals")("lives until it is killed", async () => {
    const child = await bystander();
    const followed = processes.follow(processes.mark(child.pid) as ProcessMark);
    expect(followed.alive()).toBe(true);
    await child.kill("SIGSTOP");
    expect(followed.alive()).toBe(true);
    await child.kill("SIGKILL");
    expect(followed.alive()).toBe(false);
    followed.close();
  });

  linuxTest("has ended when nobody has collected it yet", async () => {
    // The shell collects nobody while it sleeps.
    const script = "sleep 0.2 & echo $!; exec sleep 60";
    const shell = spawn("sh", ["-c", script], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await once(shell.stdout, "data")) as [Buffer];
    const followed = processes.follow(processes.mark(Number(String(line))) as ProcessMark);
    expect(followed.alive()).toBe(true);
    await expect.poll(() => followed.alive(), { timeout: 20_000 }).toBe(false);
    followed.close();
    shell.kill("SIGKILL");
  });

  test("one that ended before, or another with its pid, is dead from the start", async () => {
    const gone = { ...processes.self, pid: await deadPid(), start: "1" };
    expect(processes.follow(gone).alive()).toBe(false);
    const child = await bystander();
    const earlier = { ...(processes.mark(child.pid) as ProcessMark), start: "1" };
    expect(processes.follow(earlier).alive()).toBe(!isLinux);
  });

  test("elsewhere it cannot be known", () => {
    const elsewhere = { ...processes.self, boot: "another", host: "another" };
    expect(processes.follow(elsewhere).alive()).toBeNull();
  });

  test("on another host it cannot be known, also where nothing but the pid was written down", async () => {
    // As Windows has no boot id and no namespaces; an earlier version wrote no start time either.
    const pid = await deadPid();
    for (const start of [null, "@1795020495296"]) {
      const mark = { pid, start, boot: null, namespace: null, host: "another" };
      expect([start, processes.alive(mark)]).toEqual([start, null]);
    }
  });
});
