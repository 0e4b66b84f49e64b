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

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const require = createRequire(import.meta.url);

/** Entry in src/ to folder in dist/. */
const ENTRIES: Record<string, string> = {
  "action/pre": "pre",
  "action/main": "main",
  "action/post": "post",
  "keeper/main": "keeper",
  "cli/main": "cli",
  index: "lib",
};

function run(script: string, ...args: string[]): void {
  // A compiler's findings go to stdout: show what it said where it failed.
  const result = spawnSync(process.execPath, [script, ...args], { cwd: root, encoding: "utf8" });
  if (result.status === 0) return;
  process.stderr.write(result.stdout + result.stderr);
  process.exit(1);
}

/**
 * 98 % of @actions/core is its HTTP client, for OpenID tokens, which the lock step never asks for.
 * The bundles are made with a stand-in for it that says so.
 */
function leaveOutHttpClient(): void {
  const scope = join(root, "build/node_modules/@actions");
  cpSync(join(root, "node_modules/@actions/core"), join(scope, "core"), { recursive: true });
  // It needs crypto only to write a state or an output; loading it takes every stage milliseconds.
  const writer = join(scope, "core/lib/file-command.js");
  const eager = "import * as crypto from 'crypto';";
  const text = readFileSync(writer, "utf8");
  if (!text.includes(eager)) throw new Error(`${writer} has changed: look at leaveOutHttpClient`);
  const lazy = `const crypto = { randomUUID: () => process.getBuiltinModule("node:crypto").randomUUID() };`;
  writeFileSync(writer, text.replace(eager, lazy));
  const absent = `throw new Error("not part of this bundle")`;
  const standIns: Record<string, Record<string, string>> = {
    "http-client": {
      "index.js": `export class HttpClient { constructor() { ${absent}; } }\n`,
      "lib/auth.js": `export class BearerCredentialHandler { constructor() { ${absent}; } }\n`,
    },
    exec: {
      "index.js": `export function exec() { ${absent}; }\nexport function getExecOutput() { ${absent}; }\n`,
    },
  };
  for (const [name, files] of Object.entries(standIns)) {
    mkdirSync(join(scope, name, "lib"), { recursive: true });
    writeFileSync(
      join(scope, name, "package.json"),
      `{ "name": "@actions/${name}", "type": "module", "main": "index.js" }\n`,
    );
    for (const [file, text] of Object.entries(files)) writeFileSync(join(scope, name, file), text);
  }
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

// The library's types: the declarations of everything that its entry can reach.
for (const name of readdirSync(join(root, "build"), { recursive: true, encoding: "utf8" })) {
  if (!name.endsWith(".d.ts") || /^(cli|server|action|keeper|dist|node_modules)\//.test(name))
    continue;
  const target = join(fresh, "lib", name);
  mkdirSync(dirname(target), { recursive: true });
  cpSync(join(root, "build", name), target);
}

rmSync(join(root, "dist"), { recursive: true, force: true });
renameSync(fresh, join(root, "dist"));

for (const folder of Object.values(ENTRIES)) {
  const size = statSync(join(root, "dist", folder, "index.js")).size;
  console.log(`dist/${folder}/index.js ${Math.round(size / 1024)} kB`);
}
