import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface SourceFile {
  /** Relative to src, or to the other folder, with slashes. */
  readonly path: string;
  /** The first folder below src; the library's entry is in none. */
  readonly folder: string;
  readonly text: string;
  /** As they are written, types and late imports included. */
  readonly imports: readonly string[];
  /** The sources among them, relative to src. */
  readonly targets: readonly string[];
}

const SPECIFIER =
  /(?:^|[\s;])(?:import|export)\s[^;"']*?from\s*["']([^"']+)["']|import\(\s*["']([^"']+)["']|^import\s*["']([^"']+)["']|getBuiltinModule\(\s*["']([^"']+)["']/gm;

/** Every file of src, or of another folder, with what it imports. */
export function readSources(root = "src"): SourceFile[] {
  return filesBelow(root)
    .filter((path) => /\.[cm]?[jt]s$/.test(path))
    .map((path) => {
      const text = readFileSync(join(ROOT, root, path), "utf8");
      const imports = [...text.matchAll(SPECIFIER)].map(
        ([, from, dynamic, bare, builtin]) => (from ?? dynamic ?? bare ?? builtin) as string,
      );
      const targets = imports
        .filter((specifier) => specifier.startsWith("."))
        .map((specifier) => posix.relative("src", posix.join(root, dirname(path), specifier)));
      return { path, folder: folderOf(path), text, imports, targets };
    });
}

/** The files below a folder of the repository, relative to it, with slashes. */
export function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(ROOT, folder).length + 1))
    .map((name) => name.split(sep).join("/"));
}

export function folderOf(path: string): string {
  return path.includes("/") ? (path.split("/")[0] as string) : "(library)";
}

/**
 * The groups of nodes that can all be reached from each other, alone or several: Tarjan's strongly
 * connected components, those of one node left out.
 */
export function cyclesOf(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const index = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const visit = (node: string): number => {
    const own = index.size;
    index.set(node, own);
    lowest.set(node, own);
    stack.push(node);
    for (const next of edges.get(node) ?? []) {
      if (!index.has(next)) visit(next);
      else if (!stack.includes(next)) continue;
      lowest.set(node, Math.min(lowest.get(node) as number, lowest.get(next) as number));
    }
    if (lowest.get(node) === own) {
      const group = stack.splice(stack.indexOf(node));
      if (group.length > 1 || edges.get(node)?.includes(node)) found.push(group.sort());
    }
    return own;
  };
  for (const node of edges.keys()) if (!index.has(node)) visit(node);
  return found;
}
