/**
 * Makes dist/ from src/: tsc compiles, ncc bundles each entry by itself, so that a stage of the
 * action or a command loads only what it needs. dist/ is committed; CI fails where it is not fresh.
 */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { minify } from "terser";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const require = createRequire(import.meta.url);

/** Entry in src/ to folder in dist/. */
const ENTRIES: Record<string, string> = {
  "action/pre": "pre",
  "action/main": "main",
  "action/post": "post",
  "keeper/program/main": "keeper",
  "action/cache/program": "cache",
  "cli/main": "cli",
  "server/storage/worker": "storage",
  index: "lib",
};

/** A name that nobody can foresee, from the system's own source where it can be read as a file. */
const RANDOM_NAME = `const crypto = { randomUUID() {
  try {
    const bytes = Buffer.alloc(16);
    const source = fs.openSync("/dev/urandom", "r");
    try {
      if (fs.readSync(source, bytes) === bytes.length) return bytes.toString("hex");
    } finally {
      fs.closeSync(source);
    }
  } catch {}
  return process.getBuiltinModule("node:crypto").randomUUID();
} };`;

/** Written at once: a stream for a few lines would have to be loaded. */
const PLAIN_OUTPUT = `import { writeSync as writeToDescriptor } from 'fs';
function sayAtOnce(text) {
  let bytes = Buffer.from(text);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeToDescriptor(1, bytes));
    } catch (error) {
      // EAGAIN: whoever reads is behind. Anything else: nobody reads any more.
      if (error.code !== "EAGAIN") return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
`;

function run(script: string, ...args: string[]): void {
  // A compiler's findings go to stdout: show what it said where it failed.
  const result = spawnSync(process.execPath, [script, ...args], { cwd: root, encoding: "utf8" });
  if (result.status === 0) return;
  process.stderr.write(result.stdout + result.stderr);
  process.exit(1);
}

/**
 * 98 % of @actions/core is its HTTP client, for OpenID tokens, which the lock step never asks for.
 * The bundles are made with a stand-in for it that says so. And as a part of the sources, not of
 * node_modules: else ncc puts it into a file of its own, which takes a stage longer to load.
 */
function leaveOutHttpClient(): void {
  const core = join(root, "build/actions-core");
  cpSync(join(root, "node_modules/@actions/core/lib"), core, {
    recursive: true,
    dereference: true,
  });
  rewrite(join(root, "build/action/workflow.js"), '"@actions/core"', '"../actions-core/core.js"');
  // Node's crypto takes every stage milliseconds to load, for a few random bytes.
  rewrite(join(core, "file-command.js"), "import * as crypto from 'crypto';", RANDOM_NAME);
  for (const name of ["core.js", "command.js"]) {
    const file = join(core, name);
    rewrite(file, /process\.stdout\.write\(/g, "sayAtOnce(");
    rewrite(file, /^/, PLAIN_OUTPUT);
  }
  const absent = `throw new Error("not part of this bundle")`;
  // What no stage uses: OpenID tokens and what the machine is, the only parts that need the HTTP
  // client and exec, and the writer of summaries.
  const oidc = `export class OidcClient { static getIDToken() { ${absent}; } }\n`;
  rewrite(join(core, "oidc-utils.js"), /^[\s\S]*export class OidcClient[\s\S]*$/, oidc);
  const summary = "export const summary = {};\nexport const markdownSummary = summary;\n";
  rewrite(join(core, "summary.js"), /^[\s\S]*export const summary[\s\S]*$/, summary);
  rewrite(join(core, "platform.js"), /^[\s\S]*export function getDetails[\s\S]*$/, "export {};\n");
}

function rewrite(file: string, before: string | RegExp, after: string): void {
  const text = readFileSync(file, "utf8");
  const changed = text.replace(before, after);
  if (changed === text) throw new Error(`${file} has changed: look at leaveOutHttpClient`);
  writeFileSync(file, changed);
}

/**
 * ncc makes a `createRequire` for each module of Node's own, at a third of a millisecond each, and
 * leaves the parts that are loaded later as they were written, to be read whole by whoever loads them.
 */
async function slim(folder: string): Promise<void> {
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".js"))) {
    const file = join(folder, name);
    const direct = withoutUnused(
      readFileSync(file, "utf8").replace(
        /\b\w+\(import\.meta\.url\)\("(?:node:)?([\w/]+)"\)/g,
        'process.getBuiltinModule("node:$1")',
      ),
    );
    const { code } = await minify(direct, {
      module: true,
      ecma: 2020,
      // One character beyond Latin-1 would make the whole text take two bytes a character in memory.
      format: { ascii_only: true },
    });
    const head = name === "index.js" ? (/^#!.*\n/.exec(direct)?.[0] ?? "") : "";
    writeFileSync(file, code?.startsWith("#!") ? code : `${head}${code}`);
  }
}

/** What is then left over of ncc's own, and takes every process its time at the start. */
function withoutUnused(code: string): string {
  const maker = /import\{createRequire as (\w+)\}from"module";/.exec(code);
  const makes = maker !== null && new RegExp(`\\b${maker[1]}\\(import\\.meta`).test(code);
  const plain = maker === null || makes ? code : code.replace(maker[0], "");
  // The folder of assets, of which there are none.
  const base = /void 0!==(\w+)&&\(\1\.ab=decodeURIComponent\([^;]*?\+"\/"\)[,;]/.exec(plain);
  return base === null || plain.replace(base[0], "").includes(`${base[1]}.ab`)
    ? plain
    : plain.replace(base[0], "");
}

rmSync(join(root, "build"), { recursive: true, force: true });
run(
  join(dirname(require.resolve("typescript/package.json")), "bin/tsc"),
  "-p",
  "tsconfig.build.json",
);

leaveOutHttpClient();

// Made beside dist/ and put in its place at the end: a failed build leaves the old one alone.
const fresh = join(root, "build/dist");
for (const [entry, folder] of Object.entries(ENTRIES)) {
  const source = join("build", `${entry}.js`);
  if (!existsSync(join(root, source))) throw new Error(`${source} is not there`);
  run(
    require.resolve("@vercel/ncc/dist/ncc/cli.js"),
    "build",
    source,
    "-o",
    join(fresh, folder),
    "--target",
    "es2024",
    "--minify",
  );
}

for (const folder of Object.values(ENTRIES)) await slim(join(fresh, folder));

// The library's types: the declarations of everything that its entry can reach.
for (const name of readdirSync(join(root, "build"), { recursive: true, encoding: "utf8" })) {
  if (
    !name.endsWith(".d.ts") ||
    /^(cli|server|action|actions-core|keeper|dist|node_modules)\//.test(name)
  )
    continue;
  const target = join(fresh, "lib", name);
  mkdirSync(dirname(target), { recursive: true });
  cpSync(join(root, "build", name), target);
}

// The server's page, as it is: the server reads its files at the start.
cpSync(join(root, "src/server/page"), join(fresh, "page"), {
  recursive: true,
  filter: (name) => statSync(name).isDirectory() || /\.(html|css|js)$/.test(name),
});

rmSync(join(root, "dist"), { recursive: true, force: true });
renameSync(fresh, join(root, "dist"));

for (const folder of Object.values(ENTRIES)) {
  const size = statSync(join(root, "dist", folder, "index.js")).size;
  console.log(`dist/${folder}/index.js ${Math.round(size / 1024)} kB`);
}
