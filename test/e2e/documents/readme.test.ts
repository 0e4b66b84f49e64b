import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { start } from "../../helpers/processes.ts";
import { ROOT } from "../../helpers/sources.ts";
import * as documents from "./home.ts";
import { openHome, publish } from "./home.ts";

/** The README's own blocks, typed as a reader would type them. */

const blockWith = (language: string, words: string) =>
  documents.blockWith("README.md", language, words);

describe("the README", () => {
  test("its quick start runs a command under a lock, and leaves one that the next block calls", async () => {
    const home = openHome();
    publish(home);
    const quickStart = await home.type(blockWith("sh", "git clone")).ended;
    expect(quickStart.code, quickStart.stderr).toBe(0);
    expect(quickStart.stdout).toMatch(/^deploying, alone\n/);
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect((await home.type("holdfast --version").ended).stdout).toContain(version);

    home.scripts("deploy.sh", "migrate.sh", "switch-traffic.sh");
    home.write("Makefile", "train:\n\t@echo trained\n", 0o644);
    home.write("old.lock", `pid=${process.pid}\ntimestamp=1\n`, 0o644);
    home.write("policy.json", documents.blockWith("docs/identity.md", "json", "issuers"), 0o644);
    const commands = blockWith("sh", "holdfast run gpu");
    // Ports of its own: those of the README may be in use.
    const shell = home.type(
      commands
        .replace("--http-port 8080", "--http-port 0")
        // It goes on until it is told to end, as the server after it.
        .replace(/^holdfast page(?= )/m, "holdfast page &"),
    );
    await shell.prints(/^listening http:\/\/127\.0\.0\.1:\d+\/#token=/m);
    await shell.prints(/^listening http /m);
    // Every line was reached, since the shell ends at the first that fails. Its two pipes are read apart.
    const lines = commands.trim().split("\n");
    // What runs in the background is traced by a shell of its own, between the signs of the other.
    const reached = () => shell.stderr().match(/^(?:\+ )*(?:lease=)?holdfast \w+/gm)?.length;
    await expect.poll(reached).toBe(lines.length);
    const { stdout, stderr } = { stdout: shell.stdout(), stderr: shell.stderr() };
    for (const words of ["deploy.sh ran", "trained", "migrate.sh ran", "switch-traffic.sh ran"])
      expect(stdout).toContain(`${words}\n`);
    expect(stderr).toContain("+ ./switch-traffic.sh");
    expect(readFileSync(join(home.directory, "old.lock"), "utf8")).toMatch(/^\{/);
    shell.killGroup("SIGTERM");
    await shell.ended;
  });

  test("its program claims, shows and releases", async () => {
    const home = openHome();
    const program = blockWith("ts", "openStore").replace(
      "/var/lib/locks",
      `${home.directory}/locks`,
    );
    // Where the name of the package leads to the package.
    const file = join(ROOT, "build", `readme-${process.pid}.ts`);
    mkdirSync(join(ROOT, "build"), { recursive: true });
    onTestFinished(() => rmSync(file, { force: true }));
    writeFileSync(file, program);
    const ended = await start(process.execPath, [file], { env: home.env }).ended;
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toMatch(/^\d{16} \{/);
    expect(ended.stdout).toContain("owner: 'me'");
  });

  test("its development commands are there", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const block = blockWith("sh", "npm cit");
    const named = [...block.matchAll(/npm run ([\w:]+)/g)].map(([, script]) => script as string);
    expect(named.length).toBeGreaterThan(4);
    for (const script of named) expect(scripts).toHaveProperty([script]);
    const bench = spawnSync(process.execPath, [join(ROOT, "bench/main.ts"), "--help"], {
      encoding: "utf8",
    });
    const [, benches = ""] = /npm run bench (\w.+)/.exec(block) ?? [];
    const names = benches.match(/\b(?!or\b)[a-z]+/g) ?? [];
    expect(names.length).toBeGreaterThan(5);
    expect(new Set(names)).toEqual(new Set(/NAME: (.+)/.exec(bench.stdout)?.[1]?.split(", ")));
  });
});
