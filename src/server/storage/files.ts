import { createHash } from "node:crypto";
import type { Row, Statements } from "./statements.ts";
import type { FileConditions, FileInfo, FileResult, StoredFile } from "./types.ts";

export interface NewFile {
  readonly content: Uint8Array;
  readonly type: string;
  readonly modifiedAt: number;
}

/** Files and the fences that guard them. Works inside the transaction of its caller. */
export class Files {
  readonly #statements: Statements;
  readonly #bytesLimit: number;
  #bytes: number;

  constructor(statements: Statements, bytesLimit: number) {
    this.#statements = statements;
    this.#bytesLimit = bytesLimit;
    this.#bytes = 0;
    this.recount();
  }

  /** After a transaction that did not happen. */
  recount(): void {
    const row = this.#statements.row("SELECT total(size) AS bytes FROM files");
    this.#bytes = Number(row?.bytes);
  }

  read(path: string): StoredFile | null {
    const row = this.#find(path, "content,");
    return row === null ? null : { ...describe(row), content: row.content as Uint8Array };
  }

  stat(path: string): FileInfo | null {
    const row = this.#find(path, "");
    return row === null ? null : describe(row);
  }

  write(path: string, file: NewFile, conditions: FileConditions): FileResult {
    const before = this.stat(path);
    const refused = this.#check(path, before, conditions);
    if (refused !== null) return refused;
    const bytes = this.#bytes - (before?.size ?? 0) + file.content.length;
    if (bytes > this.#bytesLimit) return { outcome: "full" };
    const fence = conditions.fence ?? null;
    const digest = createHash("sha256").update(file.content).digest("hex");
    const etag = `"${digest.slice(0, 32)}"`;
    const { content, type, modifiedAt } = file;
    const told = { size: content.length, type, etag, fence };
    this.#statements.put("files", { path, content, modified_at: modifiedAt, ...told });
    this.#bytes = bytes;
    if (fence !== null) raiseFence(this.#statements, path, fence);
    return { outcome: before === null ? "created" : "updated", info: { ...told, modifiedAt } };
  }

  delete(path: string, conditions: FileConditions): FileResult {
    const before = this.stat(path);
    const refused = this.#check(path, before, conditions);
    if (refused !== null) return refused;
    if (before === null) return { outcome: "missing" };
    this.#statements.run("DELETE FROM files WHERE path = ?", path);
    this.#bytes -= before.size;
    return { outcome: "deleted" };
  }

  #check(path: string, before: FileInfo | null, conditions: FileConditions): FileResult | null {
    const { match, noneMatch, fence } = conditions;
    if (match !== undefined && !matches(before, match)) return { outcome: "precondition" };
    if (noneMatch !== undefined && matches(before, noneMatch)) return { outcome: "precondition" };
    if (fence === undefined) return null;
    const highest = fenceOfKey(this.#statements, path);
    return highest !== null && fence < highest ? { outcome: "precondition", fence: highest } : null;
  }

  #find(path: string, columns: string): Row | null {
    const query = `SELECT ${columns} size, type, etag, modified_at, fence FROM files WHERE path = ?`;
    return this.#statements.row(query, path);
  }
}

function matches(file: FileInfo | null, etags: readonly string[] | "*"): boolean {
  return file !== null && (etags === "*" || etags.includes(file.etag));
}

function describe(row: Row): FileInfo {
  return {
    size: Number(row.size),
    type: String(row.type),
    etag: String(row.etag),
    modifiedAt: Number(row.modified_at),
    fence: row.fence === null ? null : Number(row.fence),
  };
}

export function raiseFence(statements: Statements, key: string, fence: number): void {
  const raise = "ON CONFLICT (key) DO UPDATE SET fence = max(fence, excluded.fence)";
  statements.run(`INSERT INTO fences (key, fence) VALUES (?, ?) ${raise}`, key, fence);
}

function fenceOfKey(statements: Statements, key: string): number | null {
  const row = statements.row("SELECT fence FROM fences WHERE key = ?", key);
  return row === null ? null : Number(row.fence);
}
