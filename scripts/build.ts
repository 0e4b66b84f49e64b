/**
 * Makes dist/ from src/, so that a stage of the action or a command loads only what it needs: tsc
 * emits JavaScript, ncc bundles the stages of it, and rolldown the package's programs. All of it is
 * CommonJS, which Node loads faster than ES modules: `holdfast status` takes a fifth less time. dist/
 * is committed; CI fails where it is not fresh.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import ncc from "@vercel/ncc";
import { rolldown } from "rolldown";
import { minify } from "rolldown/utils";

const root = join(import.meta.dirname, "..");
const emitted = join(root, "build/emitted");
/** dist/ is made here and put in its place at the end: a failed build leaves the old one alone. */
const fresh = join(root, "build/dist");

/** Folder in dist/ to entry in src/: what GitHub's runner starts, each a bundle by itself. */
const STAGES: Record<string, string> = {
  pre: "action/pre",
  main: "action/main",
  post: "action/post",
  cache: "action/cache/program",
};

/**
 * Likewise what the package holds. These share their code in dist/shared, which ncc cannot do: the
 * package would be 453 kB instead of 264 kB for whoever installs it. A worker thread loads its file
 * by itself.
 */
const PROGRAMS: Record<string, string> = {
  cli: "cli/main",
  keeper: "keeper/program/main",
  lib: "index",
};
/** Loaded together, these are one file: Node takes a quarter of a millisecond for each. */
const CHUNKS = [
  {
    name: "program",
    priority: 2,
    test: /emitted\/(cli\/(?!main|context|find)[a-z-]+|lock\/(errors|key|text|people\/suggest))\.js$/,
  },
  {
    name: "claim",
    priority: 1,
    test: /emitted\/((ci|forecast|lock|machine|stores\/file)\/|(keeper|stores)\/[a-z-]+\.js$)/,
  },
  { name: "document", test: /emitted\/stores\/(document\/|engines\/[a-z-]+\.js$)/ },
];
const WORKERS: Record<string, string> = { storage: "server/storage/worker" };

function emit(): void {
  rmSync(emitted, { recursive: true, force: true });
  const typescript = createRequire(import.meta.url).resolve("typescript/package.json");
  const args = [join(dirname(typescript), "bin/tsc"), "-p", "tsconfig.build.json"];
  const result = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  // A compiler's findings go to stdout.
  if (result.status !== 0) throw new Error(result.stdout + result.stderr);
}

/**
 * Bundles a stage. What it imports dynamically becomes files beside its index.js. @actions/core has
 * stand-ins for what no stage uses of it: see overrides in package.json.
 */
async function bundleStage(folder: string, entry: string): Promise<void> {
  const options = { cache: false, esm: false, quiet: true };
  const { code, assets } = await ncc(join(emitted, `${entry}.js`), options);
  const files = Object.entries(assets).map(([name, { source }]) => [name, `${source}`] as const);
  mkdirSync(join(fresh, folder), { recursive: true });
  for (const [name, text] of [["index.js", code] as const, ...files]) {
    // dist/ has one package.json for all.
    if (name === "package.json") continue;
    // ncc itself minifies the entry alone.
    const small = await minify(name, text);
    if (small.errors[0] !== undefined) throw new Error(`${name}: ${small.errors[0].message}`);
    writeFileSync(join(fresh, folder, name), small.code);
  }
}

/** Bundles programs together. What they share or import dynamically becomes files in `chunks`. */
async function bundlePrograms(entries: Record<string, string>, chunks: string): Promise<void> {
  const input = Object.entries(entries).map(([folder, entry]) => [
    `${folder}/index`,
    join(emitted, `${entry}.js`),
  ]);
  const built = await rolldown({
    cwd: root,
    input: Object.fromEntries(input),
    platform: "node",
    preserveEntrySignatures: "allow-extension",
    // One entry may load later what another has from the start: that is no mistake.
    checks: { ineffectiveDynamicImport: false },
  });
  await built.write({
    dir: fresh,
    format: "cjs",
    // Else Node would make an ES module of what is imported: of node:http in 25 ms, not in 2.
    dynamicImportInCjs: false,
    minify: true,
    chunkFileNames: `${chunks}/[name].js`,
    codeSplitting: { groups: CHUNKS },
  });
  await built.close();
}

/** Copies a file of the library's declarations and those that it imports. */
function copyTypes(file: string, reached = new Set<string>()): void {
  if (reached.has(file)) return;
  reached.add(file);
  const text = readFileSync(join(emitted, file), "utf8");
  mkdirSync(dirname(join(fresh, "lib", file)), { recursive: true });
  writeFileSync(join(fresh, "lib", file), text);
  for (const [, path] of text.matchAll(/(?:from |import\()"(\.[^"]+)\.[jt]s"/g))
    copyTypes(join(dirname(file), `${path}.d.ts`), reached);
}

/** Copies the server's page, which a browser loads as it was written. */
function copyPage(): void {
  const page = join(root, "src/server/page");
  for (const file of globSync(join(page, "**/*.{html,css,js}"))) {
    const target = join(fresh, "page", relative(page, file));
    mkdirSync(dirname(target), { recursive: true });
    cpSync(file, target);
  }
  cpSync(join(root, "src/lock/people/duration.js"), join(fresh, "page/scripts/duration.js"));
}

rmSync(fresh, { recursive: true, force: true });
emit();
for (const [folder, entry] of Object.entries(STAGES)) await bundleStage(folder, entry);
await bundlePrograms(WORKERS, "storage");
await bundlePrograms(PROGRAMS, "shared");
chmodSync(join(fresh, "cli/index.js"), 0o755);
writeFileSync(join(fresh, "package.json"), `{ "type": "commonjs" }\n`);
copyTypes("index.d.ts");
copyPage();

rmSync(join(root, "dist"), { recursive: true, force: true });
renameSync(fresh, join(root, "dist"));
