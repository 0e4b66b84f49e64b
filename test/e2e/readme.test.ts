import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../helpers/directories.ts";
import { commitAll } from "../helpers/git.ts";
import { start } from "../helpers/processes.ts";
import { ROOT } from "../helpers/sources.ts";

/** The README's own blocks, typed as a reader would type them. */

const README = readFileSync(join(ROOT, "README.md"), "utf8");

function blockWith(language: string, text: string): string {
  const blocks = [...README.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
  const found = blocks.filter(([, of, body]) => of === language && body?.includes(text));
  expect(found).toHaveLength(1);
  return found[0]?.[2] as string;
}

/** A reader's home: a shell in it finds the usual programs, and what the reader has installed. */
function openHome() {
  const directory = temporaryDirectory();
  const bin = join(directory, "bin");
  mkdirSync(bin);
  const env: Record<string, string> = {
    HOME: directory,
    PATH: [bin, process.env.PATH].join(delimiter),
    HOLDFAST_STORE: join(directory, "locks"),
    HOLDFAST_PORT: "0",
    RUNNER_TEMP: directory,
    // `npm link` and `npm install -g` put their programs into `bin`.
    npm_config_prefix: directory,
    npm_config_update_notifier: "false",
    npm_config_offline: "true",
  };
  const write = (path: string, text: string, mode = 0o755) => {
    writeFileSync(join(directory, path), text);
    chmodSync(join(directory, path), mode);
  };
  return {
    directory,
    write,
    /** Ends at the first line that fails, and prints each line before it runs it. */
    type: (lines: string, cwd = directory) => start("/bin/sh", ["-exc", lines], { cwd, env }),
    env,
  };
}

type Home = ReturnType<typeof openHome>;

/** The repository under its address, as it is here and not as it was committed. */
function publish(home: Home): void {
  const published = join(home.directory, "published");
  mkdirSync(published);
  for (const part of ["package.json", "package-lock.json", "action.yml", "README.md", "dist"])
    cpSync(join(ROOT, part), join(published, part), { recursive: true });
  commitAll(published);
  Object.assign(home.env, {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `url.${published}.insteadOf`,
    GIT_CONFIG_VALUE_0: "https://github.com/holdfast-ci/holdfast",
  });
  // Stands in for the registry alone: what it would bring is installed here already.
  home.write(
    "bin/npm",
    `#!/bin/sh
case $1 in
  install | ci) exec ln -s "${ROOT}/node_modules" node_modules ;;
esac
PATH=\${PATH#*${delimiter}} exec npm "$@"
`,
  );
}

describe("the README", () => {
  test("its quick start runs a command under a lock, and npm link brings the command", async () => {
    const home = openHome();
    publish(home);
    const quickStart = await home.type(blockWith("sh", "git clone")).ended;
    expect(quickStart).toMatchObject({ code: 0, stdout: "deploying, alone\n" });
    const linked = await home.type("npm link && holdfast --version", `${home.directory}/holdfast`)
      .ended;
    expect(linked.code, linked.stderr).toBe(0);
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect(linked.stdout).toContain(version);
  });

  test("its commands do what is said beside them, one after the other", async () => {
    const home = openHome();
    home.write(
      "bin/holdfast",
      `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, "dist/cli/index.js")}" "$@"\n`,
    );
    home.write("deploy.sh", "#!/bin/sh\necho deployed\n");
    home.write("switch-traffic.sh", "#!/bin/sh\necho switched\n");
    home.write("Makefile", "train:\n\t@echo trained\n", 0o644);
    home.write("old.lock", `pid=${process.pid}\ntimestamp=1\n`, 0o644);
    const commands = blockWith("sh", "holdfast run gpu");
    // Ports of its own: those of the README may be in use.
    const shell = home.type(commands.replace("--http-port 8080", "--http-port 0"));
    await shell.prints(/^listening http /m);
    const { stdout, stderr } = { stdout: shell.stdout(), stderr: shell.stderr() };
    for (const word of ["deployed", "trained", "switched"]) expect(stdout).toContain(`${word}\n`);
    // Every line was reached, since the shell ends at the first that fails.
    const lines = commands.trim().split("\n");
    expect(stderr.match(/^\+ (?:lease=)?holdfast \w+/gm)).toHaveLength(lines.length);
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
    const named = [...block.matchAll(/npm run ([\w:]+)|\b(bench:\w+)/g)];
    expect(named.length).toBeGreaterThan(5);
    for (const [, script, bench] of named)
      expect(scripts).toHaveProperty([(script ?? bench) as string]);
  });
});
