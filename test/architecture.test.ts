import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { ERROR_CODES } from "../src/lock/errors.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SOURCE = join(ROOT, "src");

interface SourceFile {
  /** Relative to src, with slashes. */
  readonly path: string;
  readonly folder: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const SPECIFIER =
  /(?:^|[\s;])(?:import|export)\s[^;"']*?from\s*["']([^"']+)["']|import\(\s*["']([^"']+)["']|^import\s*["']([^"']+)["']|getBuiltinModule\(\s*["']([^"']+)["']/gm;

function sources(): SourceFile[] {
  const names = readdirSync(SOURCE, { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => name.endsWith(".ts"))
    .map((name) => {
      const path = name.split(sep).join("/");
      const text = readFileSync(join(SOURCE, name), "utf8");
      const imports = [...text.matchAll(SPECIFIER)].map(
        ([, from, dynamic, bare, builtin]) => (from ?? dynamic ?? bare ?? builtin) as string,
      );
      return { path, folder: folderOf(path), text, imports };
    });
}

/** The first folder below src; the library's entry is in none. */
function folderOf(path: string): string {
  return path.includes("/") ? (path.split("/")[0] as string) : "(library)";
}

/** What each folder may know beside itself. */
const ARROWS: Record<string, readonly string[]> = {
  lock: [],
  forecast: ["lock"],
  machine: ["lock"],
  wire: ["lock"],
  ci: ["lock"],
  stores: ["wire", "forecast", "machine", "lock"],
  server: ["wire", "machine", "lock"],
  keeper: ["stores", "wire", "forecast", "machine", "lock"],
  action: ["keeper", "stores", "forecast", "machine", "ci", "lock"],
  cli: ["keeper", "stores", "forecast", "machine", "ci", "lock", "server"],
  "(library)": ["stores", "forecast", "ci", "lock"],
};

const FILES = sources();

test("the sources are found, and every folder has its arrows", () => {
  expect(FILES.length).toBeGreaterThan(50);
  const folders = [...new Set(FILES.map(({ folder }) => folder))];
  expect(folders.filter((folder) => ARROWS[folder] === undefined)).toEqual([]);
  // Were imports no longer recognised, every test below would pass for nothing.
  expect(FILES.filter(({ imports }) => imports.length > 0).length).toBeGreaterThan(50);
});

test.each(Object.entries(ARROWS))("%s imports only itself and: %s", (folder, allowed) => {
  const wrong = FILES.filter((file) => file.folder === folder).flatMap((file) =>
    file.imports
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => relative(SOURCE, join(SOURCE, dirname(file.path), specifier)))
      .map((target) => folderOf(target.split(sep).join("/")))
      .filter((target) => target !== folder && !allowed.includes(target))
      .map((target) => `${file.path} -> ${target}`),
  );
  expect(wrong).toEqual([]);
});

/** Which modules beside the sources a folder may use; the others may use what Node has. */
function foreignImports(folder: string): string[] {
  return FILES.filter((file) => file.folder === folder).flatMap((file) =>
    file.imports
      .filter((specifier) => !specifier.startsWith("."))
      .map((specifier) => `${file.path} -> ${specifier}`),
  );
}

test("the domain does no I/O", () => {
  const pure = / -> node:(crypto|util)$/;
  expect(foreignImports("lock").filter((line) => !pure.test(line))).toEqual([]);
});

test("the wire knows no sockets and no files", () => {
  const effects = / -> node:(net|tls|http|https|http2|dgram|dns|fs|child_process)\b/;
  expect(foreignImports("wire").filter((line) => effects.test(line))).toEqual([]);
});

test("only cli/serve knows the server", () => {
  const users = FILES.filter(
    ({ folder, imports }) => folder === "cli" && imports.some((name) => name.includes("/server/")),
  );
  expect(users.map(({ path }) => path).filter((path) => !path.includes("serve"))).toEqual([]);
});

test("only the action knows packages beside Node's own", () => {
  const wrong = Object.keys(ARROWS)
    .flatMap(foreignImports)
    .filter((line) => !line.includes(" -> node:"))
    .filter((line) => !/^action\/.* -> @actions\//.test(line));
  expect(wrong).toEqual([]);
});

test("no shell is ever involved", () => {
  const shells = /\bshell:\s*(?:true|["'`])|(?<!\.)\bexec(?:Sync)?\s*[(,}]/;
  const users = FILES.filter(({ imports }) => imports.includes("node:child_process"));
  expect(users.filter(({ text }) => shells.test(text)).map(({ path }) => path)).toEqual([]);
});

test("a file is one idea: at most 300 lines", () => {
  const long = FILES.map(({ path, text }) => ({ path, lines: text.split("\n").length - 1 }));
  expect(long.filter(({ lines }) => lines > 300)).toEqual([]);
});

describe("docs/errors.md", () => {
  const rows = readFileSync(join(ROOT, "docs", "errors.md"), "utf8")
    .split("\n")
    .flatMap((line) => {
      const cells = line.split("|").map((cell) => cell.trim());
      const code = /^`([A-Z_]+)`$/.exec(cells[1] ?? "")?.[1];
      return code === undefined ? [] : [{ code, meaning: cells[2], advice: cells[3] }];
    });

  test("lists every code once, and no other", () => {
    expect(rows.map(({ code }) => code).sort()).toEqual([...ERROR_CODES].sort());
  });

  test("says of each what it means and what to do", () => {
    expect(rows.filter(({ meaning, advice }) => !meaning || !advice)).toEqual([]);
  });
});
