import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, posix } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isThere } from "../../helpers/needs.ts";
import { start } from "../../helpers/processes.ts";
import { ROOT } from "../../helpers/sources.ts";
import { gitlab } from "../../integrations/jobs.ts";

/** The package as a stranger gets it: packed, installed in an empty directory, and used. */

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

const SIZE_LIMIT = 350_000;
const home = mkdtempSync(join(tmpdir(), "holdfast-package-"));
const env = {
  HOME: home,
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  HOLDFAST_STORE: join(home, "locks"),
  // Nothing is fetched: the package needs no other.
  npm_config_offline: "true",
  npm_config_update_notifier: "false",
  npm_config_cache: join(home, "cache"),
};
let packed: Packed;

function npm(args: readonly string[], cwd = home): string {
  return execFileSync("npm", args, { cwd, env, encoding: "utf8" });
}

beforeAll(() => {
  const answer = JSON.parse(npm(["pack", "--json", "--pack-destination", home], ROOT));
  packed = (Array.isArray(answer) ? answer[0] : Object.values(answer)[0]) as Packed;
  npm(["init", "--yes"]);
  npm(["install", "--no-audit", "--no-fund", join(home, packed.filename)]);
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

const run = (file: string, args: readonly string[]) => start(file, args, { cwd: home, env });

describe("what is in it", () => {
  test("is what the command and the library need, in a size that a person can wait for", () => {
    const folders = new Set(packed.files.map(({ path }) => path.split("/").slice(0, 2).join("/")));
    for (const stage of ["pre", "main", "post", "cache"])
      expect(folders).not.toContain(`dist/${stage}`);
    for (const part of ["cli", "keeper", "lib", "page", "shared", "storage"])
      expect(folders).toContain(`dist/${part}`);
    console.log(`the package has ${packed.size} bytes in ${packed.files.length} files`);
    expect(packed.size).toBeLessThan(SIZE_LIMIT);
  });

  test("has no link that leads out of it, but to the repository's own files", () => {
    const paths = new Set(packed.files.map(({ path }) => path));
    const links = [...paths]
      .filter((path) => path.endsWith(".md"))
      .flatMap((path) => linksOf(path).map((link) => ({ path, link })));
    expect(links.length).toBeGreaterThan(20);
    const broken = links.filter(({ path, link }) => {
      const [file = ""] = link.split("#");
      if (file === "" || /^(https?|mailto):/.test(file)) return false;
      const target = posix.join(posix.dirname(path), file);
      return !paths.has(target) && ![...paths].some((other) => other.startsWith(`${target}/`));
    });
    expect(broken).toEqual([]);
  });
});

/** The links and pictures of a document; those in blocks of code are examples. */
function linksOf(path: string): string[] {
  const text = readFileSync(join(ROOT, path), "utf8")
    .replace(/^```[\s\S]*?^```$/gm, "")
    .replace(/`[^`\n]*`/g, "");
  const found = text.matchAll(/\]\(([^)\s]+)\)|(?:src|href|srcset)="([^"]+)"/g);
  return [...found].map(([, link, html]) => (link ?? html) as string);
}

describe("its command", () => {
  test("npx holdfast runs a command under a lock", async () => {
    const ended = await run("npx", ["holdfast", "run", "production", "--", "echo", "alone"]).ended;
    expect(ended).toMatchObject({ code: 0, stdout: "alone\n" });
  });

  test("its keeper holds a lock from acquire to release", async () => {
    const script = `
      lease=$(npx holdfast acquire production --until-pid $$)
      npx holdfast verify --lease "$lease"
      npx holdfast status production --exit-code && exit 9
      npx holdfast release --lease "$lease"
      npx holdfast status production --exit-code`;
    const ended = await run("/bin/sh", ["-ec", script]).ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toMatch(/: held[\s\S]*: free/);
  });

  test("its server has a data file and a page", async () => {
    const data = join(home, "locks.db");
    const options = ["--port", "0", "--http-port", "0", "--data", data];
    const server = run("npx", ["holdfast", "serve", ...options]);
    const [, address] = await server.prints(/^listening http (\S+)$/m);
    const page = await fetch(`http://${address}/`, { headers: { accept: "text/html" } });
    expect(await page.text()).toMatch(/<!doctype html>/i);
    expect(existsSync(data)).toBe(true);
  });

  test("its server stops with the npx that started it", async () => {
    const server = run("npx", ["holdfast", "serve", "--port", "0"]);
    await server.prints(/^listening tcp \S+$/m);
    server.kill("SIGTERM");
    // That is only over when nobody has its output any more, the server least of all.
    expect((await server.ended).stderr).toMatch(/ stopped/);
  });
});

describe("the component for GitLab", () => {
  test("installs the package where the command is missing, and holds the lock", async () => {
    const prefix = join(home, "global");
    const settings = gitlab.settings({ key: "component", timeout: "1m" });
    const script = gitlab.script(home, "command -v holdfast && holdfast verify");
    const ended = await start("/bin/bash", ["-c", script], {
      cwd: home,
      env: {
        ...env,
        ...gitlab.env(1),
        ...settings,
        HOLDFAST_LOCK_PACKAGE: join(home, packed.filename),
        npm_config_prefix: prefix,
        PATH: [join(prefix, "bin"), env.PATH].join(delimiter),
      },
    }).ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toContain(join(prefix, "bin", "holdfast"));
    expect(ended.stderr).toContain('"component" is held.');
  });
});

describe("its library", () => {
  const program = `
    const store = await openStore("./locks");
    const holding = await store.claim({ key: "library", owner: { id: "me", metadata: {} } });
    console.log(holding.lease.key, (await store.inspect("library")).holders[0]?.owner);
    await holding.release();
    await store.close();`;

  test.each([
    ["import", "main.mjs", `import { openStore } from "holdfast";${program}`],
    [
      "require",
      "main.cjs",
      `const { openStore } = require("holdfast"); (async () => {${program}})();`,
    ],
  ])("can be used with %s", async (_, file, text) => {
    writeFileSync(join(home, file), text);
    const ended = await run(process.execPath, [file]).ended;
    expect(ended).toMatchObject({ code: 0, stdout: "library me\n", stderr: "" });
  });

  test("has types, for both kinds of modules, that a strict compiler takes", () => {
    const folder = join(home, "typed");
    mkdirSync(folder, { recursive: true });
    for (const name of ["main.mts", "main.cts"])
      writeFileSync(
        join(folder, name),
        `import { openStore, type Lease, isLockError } from "holdfast";
export async function take(key: string): Promise<Lease> {
  const store = await openStore("./locks");
  const holding = await store.claim({ key, owner: { id: "me", metadata: {} } });
  const text: string = holding.lease.key;
  await holding.release();
  return { ...holding.lease, key: isLockError(text) ? "" : text };
}
`,
      );
    writeFileSync(join(folder, "wrong.mts"), `import { openStor } from "holdfast"; openStor();\n`);
    const nodeTypes = dirname(createRequire(import.meta.url).resolve("@types/node/package.json"));
    const typescript = createRequire(import.meta.url).resolve("typescript/package.json");
    const compiler = join(dirname(typescript), "bin/tsc");
    const compile = (...files: string[]) =>
      spawnSync(
        process.execPath,
        [
          compiler,
          ...["--noEmit", "--strict", "--skipLibCheck", "false", "--module", "nodenext"],
          ...["--target", "es2024", "--lib", "es2025,esnext.disposable"],
          ...["--typeRoots", dirname(nodeTypes), "--types", "node", ...files],
        ],
        { cwd: folder, encoding: "utf8" },
      );
    const right = compile("main.mts", "main.cts");
    expect(right.stdout).toBe("");
    expect(right.status).toBe(0);
    expect(compile("wrong.mts").stdout).toContain("openStor");
  });
});

/** A Node that is too old, where this machine has one. */
const OLDER = [
  process.env.HOLDFAST_OLDER_NODE ?? "node20",
  "/usr/bin/node",
  "/usr/local/bin/node",
].find((path) => {
  const { stdout, status } = spawnSync(path, ["--version"], { encoding: "utf8" });
  return status === 0 && Number.parseInt(stdout.slice(1), 10) < 24;
});
const title = `with an older Node${OLDER === undefined ? " (none here; HOLDFAST_OLDER_NODE names one)" : ""}`;

describe.skipIf(!isThere("an older Node", OLDER !== undefined))(title, () => {
  const older = (...args: string[]) => run(OLDER as string, args).ended;

  test.each([
    [`import("holdfast").then((holdfast) => holdfast.openStore("./locks"))`],
    [`(async () => require("holdfast").openStore("./locks"))()`],
  ])("the library says which one it needs: %s", async (text) => {
    const report = `${text}.catch(({ code, message }) => console.log(code, message))`;
    expect(await older("-e", report)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^NODE_TOO_OLD Holdfast needs Node 24 or later/),
    });
  });

  test("and so does the command", async () => {
    const cli = join(home, "node_modules/holdfast/dist/cli/index.js");
    const ended = await older(cli, "run", "production", "--", "echo", "ran");
    expect(ended).toMatchObject({ code: 125, stdout: "" });
    expect(ended.stderr).toMatch(/^holdfast: Holdfast needs Node 24 or later/);
  });
});
