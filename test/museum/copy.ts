import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect } from "vitest";
import type { Change } from "./exhibits.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PARTS = ["src", "test", "scripts", "package.json", "vitest.config.ts", "tsconfig.json"];

/** A copy of what is needed to run the code and its tests, for a test file's time. Returns its path. */
export function copyOfTheRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), "holdfast-museum-"));
  beforeAll(() => {
    for (const part of PARTS) cpSync(join(ROOT, part), join(copy, part), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));
  return copy;
}

/** Puts a bug into the copy. The answer takes it out again. */
export function putIn(copy: string, changes: readonly Change[]): () => void {
  const before = new Map<string, string>();
  for (const { file, from, to } of changes) {
    const path = join(copy, file);
    const text = readFileSync(path, "utf8");
    if (!before.has(path)) before.set(path, text);
    expect(text.split(from).length - 1, `${file} has this once: ${from}`).toBe(1);
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
  }
  return () => {
    for (const [path, text] of before) writeFileSync(path, text);
  };
}
