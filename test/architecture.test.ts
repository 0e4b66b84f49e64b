import { describe, expect, test } from "vitest";
import { cyclesOf, filesBelow, folderOf, readSources } from "./helpers/sources.ts";

/** What each folder may know beside itself. */
const ARROWS: Record<string, readonly string[]> = {
  lock: [],
  forecast: ["lock"],
  machine: ["lock"],
  wire: ["lock"],
  ci: ["lock"],
  stores: ["wire", "forecast", "machine", "lock"],
  server: ["wire", "forecast", "machine", "lock"],
  keeper: ["stores", "wire", "forecast", "machine", "ci", "lock"],
  action: ["keeper", "stores", "forecast", "machine", "ci", "lock"],
  cli: ["keeper", "stores", "forecast", "machine", "ci", "lock", "server"],
  "(library)": ["stores", "forecast", "ci", "lock"],
};

const FILES = readSources();

test("the sources are found, and every folder has its arrows", () => {
  expect(FILES.length).toBeGreaterThan(50);
  const folders = [...new Set(FILES.map(({ folder }) => folder))];
  expect(folders.filter((folder) => ARROWS[folder] === undefined)).toEqual([]);
  // Were imports no longer recognised, every test below would pass for nothing.
  expect(FILES.filter(({ imports }) => imports.length > 0).length).toBeGreaterThan(50);
});

test.each(Object.entries(ARROWS))("%s imports only itself and: %s", (folder, allowed) => {
  const wrong = FILES.filter((file) => file.folder === folder).flatMap((file) =>
    file.targets
      .filter((target) => folderOf(target) !== folder && !allowed.includes(folderOf(target)))
      .map((target) => `${file.path} -> ${target}`),
  );
  expect(wrong).toEqual([]);
});

/** Inside the server: what these rooms must not know. A door knows the table, never the reverse. */
const DOORS = ["server/tcp/", "server/http/", "server/page/", "server/observers/"];
const WALLS: Record<string, readonly string[]> = {
  "server/table/": [...DOORS, "server/storage/", "server/memory/"],
  "server/memory/": DOORS,
  "server/storage/": [...DOORS, "server/memory/"],
  "server/observers/": ["server/tcp/", "server/http/panel/", "server/page/", "server/storage/"],
  // The page of a store is no lock server: what it shows has no table behind it.
  "server/store-page/": ["server/table/", "server/memory/", "server/storage/", "server/tcp/"],
};

test.each(Object.entries(WALLS))("%s does not know %s", (room, others) => {
  const own = FILES.filter(({ path }) => path.startsWith(room));
  expect(own.length).toBeGreaterThan(0);
  const wrong = own.flatMap(({ path, targets }) =>
    targets
      .filter((target) => others.some((other) => target.startsWith(other)))
      .map((target) => `${path} -> ${target}`),
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

test("only the commands serve, page and policy know the server, and doctor for an App", () => {
  const users = FILES.filter(
    ({ folder, imports }) => folder === "cli" && imports.some((name) => name.includes("/server/")),
  );
  const known = /serve|page|policy|doctor\/app/;
  expect(users.map(({ path }) => path).filter((path) => !known.test(path))).toEqual([]);
});

test("only the action, two registers, the check of ID tokens and the gate know packages beside Node's own", () => {
  const wrong = Object.keys(ARROWS)
    .flatMap(foreignImports)
    .filter((line) => !line.includes(" -> node:"))
    .filter((line) => !/^action\/.* -> @actions\//.test(line))
    .filter((line) => !/^stores\/engines\/postgres\/.* -> postgres$/.test(line))
    .filter((line) => !/^stores\/engines\/s3\/.* -> aws4fetch$/.test(line))
    .filter((line) => !/^server\/(identity|gate)\/.* -> jose$/.test(line));
  expect(wrong).toEqual([]);
});

test("no shell is ever involved", () => {
  const shells = /\bshell:\s*(?:true|["'`])|(?<!\.)\bexec(?:Sync)?\s*[(,}]/;
  const users = FILES.filter(({ imports }) => imports.includes("node:child_process"));
  expect(users.filter(({ text }) => shells.test(text)).map(({ path }) => path)).toEqual([]);
});

/** Values only: a type that stands in the signature of an export is part of it. */
test("no export is dead: another file uses it, or this one does and a test looks at it", () => {
  const outside = ["test", "bench", "scripts", "examples"].flatMap(readSources);
  const mentions = (text: string, name: string) =>
    text.match(new RegExp(`\\b${name}\\b`, "g")) ?? [];
  const exported = FILES.flatMap((file) =>
    [...file.text.matchAll(/^export (?:async )?(?:const|let|function\*?|class) (\w+)/gm)].map(
      ([, name]) => ({ file, name: name as string }),
    ),
  );
  expect(exported.length).toBeGreaterThan(500);
  const dead = exported.filter(({ file, name }) => {
    const isUsedIn = (files: typeof FILES) =>
      files.some(
        ({ targets, text }) => targets.includes(file.path) && mentions(text, name).length > 0,
      );
    if (file.folder === "(library)" || isUsedIn(FILES)) return false;
    return mentions(file.text, name).length === 1 || !isUsedIn(outside);
  });
  expect(dead.map(({ file, name }) => `${file.path}: ${name}`)).toEqual([]);
});

describe("files and folders", () => {
  // One idea a file is what is asked for. A number cannot see that; this one finds the worst.
  test("a file has at most 400 lines", () => {
    const long = FILES.map(({ path, text }) => ({ path, lines: text.split("\n").length - 1 }));
    expect(long.filter(({ lines }) => lines > 400)).toEqual([]);
  });

  test("a folder is one idea: at most 14 files", () => {
    const counts: Record<string, number> = {};
    for (const root of ["src", "test"]) {
      for (const path of filesBelow(root)) {
        const folder = [root, ...path.split("/").slice(0, -1)].join("/");
        counts[folder] = (counts[folder] ?? 0) + 1;
      }
    }
    expect(Object.keys(counts).length).toBeGreaterThan(20);
    const crowded = Object.keys(counts).filter((folder) => (counts[folder] as number) > 14);
    expect(crowded.sort()).toEqual([]);
  });
});

describe("import cycles, types included", () => {
  test("the search finds a cycle, and none where there is none", () => {
    const edges = { a: ["b"], b: ["c"], c: ["a", "d"], d: ["e"], e: [], f: ["f"] };
    expect(cyclesOf(new Map(Object.entries(edges)))).toEqual([["a", "b", "c"], ["f"]]);
    expect(cyclesOf(new Map(Object.entries({ a: ["b", "c"], b: ["c"], c: [] })))).toEqual([]);
  });

  test("there is none", () => {
    expect(cyclesOf(new Map(FILES.map(({ path, targets }) => [path, targets])))).toEqual([]);
  });
});
