/**
 * Makes dist/ from src/: rolldown bundles each entry by itself, so that a stage of the action or a
 * command loads only what it needs. dist/ is committed; CI fails where it is not fresh.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
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

/**
 * Bundles one entry. What it imports dynamically becomes files beside it, named after the module.
 * @actions/core is declared free of side effects, which its package.json does not say: so its HTTP
 * client, 98 % of it, is left out of the stages, none of which asks for an OpenID token.
 */
async function bundle(entry: string, folder: string): Promise<void> {
  const built = await rolldown({
    cwd: root,
    input: { index: join("src", `${entry}.ts`) },
    platform: "node",
    preserveEntrySignatures: "allow-extension",
    treeshake: { moduleSideEffects: (id) => !id.includes("/node_modules/@actions/core/") },
    transform: { target: "es2024" },
    // One entry may load later what another has from the start: that is no mistake.
    checks: { ineffectiveDynamicImport: false },
  });
  await built.write({ dir: folder, format: "esm", minify: true, chunkFileNames: "[name].js" });
  await built.close();
}

/** Writes the library's types: the declarations of every module that its entry reaches. */
function declareTypes(folder: string): void {
  const typescript = createRequire(import.meta.url).resolve("typescript/package.json");
  const compiler = join(dirname(typescript), "bin/tsc");
  const args = [compiler, "-p", "tsconfig.build.json", "--outDir", folder];
  const result = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  // A compiler's findings go to stdout.
  if (result.status !== 0) throw new Error(result.stdout + result.stderr);
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
for (const [entry, folder] of Object.entries(ENTRIES)) await bundle(entry, join(fresh, folder));
chmodSync(join(fresh, "cli/index.js"), 0o755);
writeFileSync(join(fresh, "package.json"), `{ "type": "module" }\n`);
declareTypes(join(fresh, "lib"));
copyPage(join(fresh, "page"));

rmSync(join(root, "dist"), { recursive: true, force: true });
renameSync(fresh, join(root, "dist"));

for (const folder of Object.values(ENTRIES)) {
  const { size } = statSync(join(root, "dist", folder, "index.js"));
  console.log(`dist/${folder}/index.js ${Math.round(size / 1024)} kB`);
}
