/**
 * Makes dist/ from src/ with rolldown, so that a stage of the action or a command loads only what it
 * needs. dist/ is committed; CI fails where it is not fresh.
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
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { rolldown } from "rolldown";

const root = join(import.meta.dirname, "..");
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
 * Likewise what the package holds. These share their code in dist/shared, since whoever installs
 * the package loads it over a network. A worker thread loads its file by itself.
 */
const PROGRAMS: Record<string, string> = {
  cli: "cli/main",
  keeper: "keeper/program/main",
  lib: "index",
};
const WORKERS: Record<string, string> = { storage: "server/storage/worker" };

/**
 * Bundles entries together. What they share or import dynamically becomes files in `chunks`, named
 * after the module.
 * @actions/core is declared free of side effects, which its package.json does not say: so its HTTP
 * client, 98 % of it, is left out of the stages, none of which asks for an OpenID token.
 */
async function bundle(entries: Record<string, string>, chunks: string): Promise<void> {
  const built = await rolldown({
    cwd: root,
    input: Object.fromEntries(
      Object.entries(entries).map(([folder, entry]) => [
        `${folder}/index`,
        join("src", `${entry}.ts`),
      ]),
    ),
    platform: "node",
    preserveEntrySignatures: "allow-extension",
    treeshake: { moduleSideEffects: (id) => !id.includes("/node_modules/@actions/core/") },
    transform: { target: "es2024" },
    // One entry may load later what another has from the start: that is no mistake.
    checks: { ineffectiveDynamicImport: false },
  });
  const chunkFileNames = `${chunks}/[name].js`;
  await built.write({ dir: fresh, format: "esm", minify: true, chunkFileNames });
  await built.close();
}

/** Writes the library's types: the declarations that its entry reaches, and no other. */
function declareTypes(folder: string): void {
  const typescript = createRequire(import.meta.url).resolve("typescript/package.json");
  const compiler = join(dirname(typescript), "bin/tsc");
  const all = join(root, "build/types");
  rmSync(all, { recursive: true, force: true });
  const args = [compiler, "-p", "tsconfig.build.json", "--outDir", all];
  const result = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  // A compiler's findings go to stdout.
  if (result.status !== 0) throw new Error(result.stdout + result.stderr);
  copyReached(all, folder, "index.d.ts", new Set());
}

/** Copies a file of declarations and those that it imports. */
function copyReached(from: string, to: string, file: string, reached: Set<string>): void {
  if (reached.has(file)) return;
  reached.add(file);
  const text = readFileSync(join(from, file), "utf8");
  mkdirSync(dirname(join(to, file)), { recursive: true });
  writeFileSync(join(to, file), text);
  for (const [, path] of text.matchAll(/(?:from |import\()"(\.[^"]+)\.[jt]s"/g))
    copyReached(from, to, join(dirname(file), `${path}.d.ts`), reached);
}

/** Copies the server's page, which a browser loads as it was written. */
function copyPage(folder: string): void {
  const page = join(root, "src/server/page");
  for (const file of globSync(join(page, "**/*.{html,css,js}"))) {
    const target = join(folder, relative(page, file));
    mkdirSync(dirname(target), { recursive: true });
    cpSync(file, target);
  }
}

rmSync(fresh, { recursive: true, force: true });
for (const [folder, entry] of Object.entries({ ...STAGES, ...WORKERS }))
  await bundle({ [folder]: entry }, folder);
await bundle(PROGRAMS, "shared");
chmodSync(join(fresh, "cli/index.js"), 0o755);
writeFileSync(join(fresh, "package.json"), `{ "type": "module" }\n`);
declareTypes(join(fresh, "lib"));
copyPage(join(fresh, "page"));

rmSync(join(root, "dist"), { recursive: true, force: true });
renameSync(fresh, join(root, "dist"));

for (const folder of Object.keys({ ...STAGES, ...PROGRAMS, ...WORKERS })) {
  const { size } = statSync(join(root, "dist", folder, "index.js"));
  console.log(`dist/${folder}/index.js ${Math.round(size / 1024)} kB`);
}
