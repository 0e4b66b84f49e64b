import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { allCommands } from "../src/cli/table.ts";
import { ERROR_CODES } from "../src/lock/errors.ts";
import { SCHEMES } from "../src/stores/open.ts";
import { type Mapping, readYaml } from "./e2e/runner/language/yaml.ts";
import { filesBelow, ROOT } from "./helpers/sources.ts";

const COMMANDS = await allCommands();

/** What the documents say must be so: links, error codes, inputs, outputs and commands. */

const DOCUMENTS = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "RELEASING.md",
  "SECURITY.md",
  ...filesBelow("docs")
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** What is not an example: a link in a block of code leads nowhere by right. */
function prose(path: string): string {
  return read(path).replace(/^```[\s\S]*?^```$/gm, "");
}

/** The anchors that GitHub gives the headings of a document. */
function anchorsOf(path: string): string[] {
  const seen = new Map<string, number>();
  return [...prose(path).matchAll(/^#{1,6} +(.*)$/gm)].map(([, heading = ""]) => {
    const slug = heading
      .trim()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, "")
      .replaceAll(" ", "-");
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  });
}

/** A file of this repository by its address, as a page or raw. */
const OWN_FILE =
  /^https:\/\/(?:github\.com\/holdfast-ci\/holdfast\/blob|raw\.githubusercontent\.com\/holdfast-ci\/holdfast)\/main\/(.*)$/;

function linksOf(path: string): string[] {
  const text = prose(path).replace(/`[^`\n]*`/g, "");
  return [
    ...text.matchAll(/\]\(([^)\s]+)\)|<(?:img|a|source)[^>]*(?:src|href|srcset)="([^"]+)"/g),
  ].map(([, link, html]) => (link ?? html) as string);
}

test("links are found, and so are anchors", () => {
  expect(DOCUMENTS.flatMap(linksOf).length).toBeGreaterThan(20);
  expect(anchorsOf("docs/troubleshooting.md")).toContain("several-users-one-lock");
});

test.each(DOCUMENTS)("no link of %s leads nowhere", (path) => {
  const dead = linksOf(path).filter((link) => {
    // The package has not all files of the repository: links to the others are whole addresses.
    const own = OWN_FILE.exec(link)?.[1];
    if (own === undefined && /^(https?|mailto):/.test(link)) return false;
    const [file = "", anchor] = (own ?? link).split("#");
    const folder = own === undefined ? dirname(path) : "";
    const target = file === "" ? path : join(folder, decodeURIComponent(file));
    if (!existsSync(join(ROOT, target))) return true;
    return anchor !== undefined && !anchorsOf(target).includes(anchor);
  });
  expect(dead).toEqual([]);
});

/** The files and folders of the repository that a document names; a bare name is beside the last one. */
function pathsIn(text: string): string[] {
  const named = text.matchAll(
    /`((?:src|test|bench|scripts|examples|deploy|docs)\/[^`\s]*|[\w-]+\.ts)`/g,
  );
  let folder = "";
  return [...named].map(([, path = ""]) => {
    if (!path.includes("/")) return join(folder, path);
    folder = dirname(path);
    return path;
  });
}

test.each(DOCUMENTS)("every path that %s names is there", (path) => {
  const commands = [...read(path).matchAll(/(?:vitest run|node) ((?:(?:src|test)\/\S+ ?)+)/g)];
  const named = [
    ...pathsIn(prose(path)),
    ...commands.flatMap(([, paths = ""]) => paths.replaceAll("`", "").trim().split(" ")),
  ];
  expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

test("CONTRIBUTING.md meets each file of a tour once", () => {
  const text = prose("CONTRIBUTING.md");
  const tours =
    text.slice(text.indexOf("## Follow a claim")).split("## ")[1]?.split(/^\*\*/m) ?? [];
  expect(tours).toHaveLength(5);
  for (const tour of tours.slice(1)) {
    const files = pathsIn(tour);
    expect(files.length).toBeGreaterThan(7);
    expect([...new Set(files)]).toEqual(files);
  }
});

test("every document names the repository by its one address", () => {
  const { repository } = JSON.parse(read("package.json"));
  expect(repository.url).toBe("git+https://github.com/holdfast-ci/holdfast.git");
  const named = DOCUMENTS.flatMap((path) =>
    [...read(path).matchAll(/[\w.-]+\/holdfast(?=[@#]v1|\/archive| && )/g)].map(
      ([name]) => `${path}: ${name}`,
    ),
  );
  expect(named.length).toBeGreaterThan(2);
  expect(named.filter((line) => !line.endsWith(" holdfast-ci/holdfast"))).toEqual([]);
});

test("the changelog has a dated section for the version of package.json", () => {
  const { version } = JSON.parse(read("package.json"));
  const sections = [...read("CHANGELOG.md").matchAll(/^## (.*)$/gm)].map(([, title]) => title);
  expect(sections[0]).toBe("Unreleased");
  expect(sections[1]).toMatch(/^\S+ \(20\d\d-\d\d-\d\d\)$/);
  expect(sections[1]?.split(" ")[0]).toBe(version);
});

/** The rows of the tables of a document whose first cell is names in code, by those names. */
function rowsOf(path: string, heading: RegExp): { names: string[]; cells: string[] }[] {
  const tables = [...read(path).matchAll(/(?:^\|.*\n)+/gm)].map(([table]) => table);
  return tables
    .filter((table) => heading.test(table))
    .flatMap((table) => table.trimEnd().split("\n").slice(2))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
    .map((cells) => ({
      names: [...(cells[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => name as string),
      cells: cells.slice(2, -1),
    }));
}

describe("docs/errors.md", () => {
  const rows = rowsOf("docs/errors.md", /^\| code +\|/);

  test("lists every code once, and no other", () => {
    expect(rows.flatMap(({ names }) => names).sort()).toEqual([...ERROR_CODES].sort());
  });

  test("says of each what it means and what to do", () => {
    expect(rows.filter(({ cells: [meaning, advice] }) => !meaning || !advice)).toEqual([]);
  });
});

describe("the action's inputs and outputs in the README", () => {
  const manifest = readYaml(read("action.yml"));
  const rows = rowsOf("README.md", /^\| input \|/);

  /** What the action hands to itself is nobody's to set. */
  const isInternal = (description: unknown) => /^Internal\./.test(String(description));
  const inputs = Object.entries(manifest.inputs as Mapping)
    .filter(([, input]) => !isInternal((input as Mapping).description))
    .map(([name, input]) => ({ name, given: (input as Mapping).default as string }));

  test("every input of action.yml is there once, and no other", () => {
    const documented = rows.map(({ names }) => names[0] as string);
    expect(documented.sort()).toEqual(inputs.map(({ name }) => name).sort());
  });

  test.each(inputs)("$name has the default that action.yml gives it", ({ name, given }) => {
    const row = rows.find(({ names }) => names[0] === name);
    // An expression, or nothing, is said in words.
    if (given !== "" && !given.startsWith("${{")) expect(row?.cells[0]).toBe(`\`${given}\``);
    else expect(row).toBeDefined();
  });

  test("every output of action.yml is there once, and no other", () => {
    const documented = rowsOf("README.md", /^\| output \|/).flatMap(({ names }) => names);
    expect(documented.sort()).toEqual(Object.keys(manifest.outputs as Mapping).sort());
  });
});

test("every kind of store is in the README's table, and no other", () => {
  const rows = rowsOf("README.md", /^\| store \|/);
  const schemes = rows.flatMap(({ names }) => names.map((name) => name.split(":")[0] as string));
  expect([...new Set(schemes)].sort()).toEqual([...SCHEMES].sort());
  expect(rows.filter(({ cells }) => cells.length !== 4 || cells.includes(""))).toEqual([]);
});

describe("the commands", () => {
  const names = COMMANDS.map(({ name }) => name).filter((name) => name !== "help");

  test.each(names)("holdfast %s is in the README's list of commands", (name) => {
    const blocks = [...read("README.md").matchAll(/^```sh\n([\s\S]*?)^```$/gm)].join("\n");
    expect(blocks).toMatch(new RegExp(`\\bholdfast ${name}\\b`));
  });

  test("no document names a command that is not there", () => {
    const known = new Set<string>(COMMANDS.map(({ name }) => name));
    const called = DOCUMENTS.flatMap((path) =>
      [...read(path).matchAll(/(?:`|\$\(|^|&& |then |npx )holdfast ([a-z]+)\b/gm)].map(
        ([, name]) => `${path}: ${name}`,
      ),
    );
    expect(called.length).toBeGreaterThan(50);
    expect(called.filter((line) => !known.has(line.split(": ")[1] as string))).toEqual([]);
  });
});

describe("what is not there yet", () => {
  const { version } = JSON.parse(read("package.json")) as { version: string };
  const isCandidate = version.includes("-");
  const [, first = ""] = /^```yaml\n[\s\S]*?^```\n\n(.*)$/m.exec(read("README.md")) ?? [];

  test("is said below the README's first workflow", () => {
    expect(first).toContain("Not yet tried on GitHub itself");
    expect(/The tag `v1` comes with version 1\.0\.0/.test(first)).toBe(isCandidate);
  });

  test.runIf(isCandidate)(
    "is not what a reader is told to install: a candidate is no version 1, and no registry has it",
    () => {
      const told = DOCUMENTS.filter((path) => !/^(?:CHANGELOG|RELEASING)/.test(path)).flatMap(
        (path) =>
          [
            ...read(path).matchAll(
              /\bnpm (?:i|install)(?: -\S+)* holdfast\b|\bholdfast@(?:\d|latest)\S*/gm,
            ),
          ].map(([words]) => `${path}: ${words}`),
      );
      expect(told).toEqual([]);
    },
  );
});

test("the table of a morning is what its script prints", () => {
  const printed = execFileSync(process.execPath, [join(ROOT, "scripts/morning.ts")], {
    encoding: "utf8",
  });
  expect(printed.split("\n").length).toBeGreaterThan(8);
  expect(read("docs/recipes.md")).toContain(printed);
});
