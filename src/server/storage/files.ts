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
    this.#statements
      .of(
        `INSERT INTO files (path, content, size, type, etag, modified_at, fence)
         VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (path) DO UPDATE SET content = excluded.content, size = excluded.size,
           type = excluded.type, etag = excluded.etag, modified_at = excluded.modified_at,
           fence = excluded.fence`,
      )
      .run(path, file.content, file.content.length, file.type, etag, file.modifiedAt, fence);
    this.#bytes = bytes;
    if (fence !== null) raiseFence(this.#statements, path, fence);
    const { type, modifiedAt } = file;
    return {
      outcome: before === null ? "created" : "updated",
      info: { size: file.content.length, type, etag, modifiedAt, fence },
    };
  }

  delete(path: string, conditions: FileConditions): FileResult {
    const before = this.stat(path);
    const refused = this.#check(path, before, conditions);
    if (refused !== null) return refused;
    if (before === null) return { outcome: "missing" };
    this.#statements.of("DELETE FROM files WHERE path = ?").run(path);
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
  statements
    .of(
      `INSERT INTO fences (key, fence) VALUES (?, ?)
       ON CONFLICT (key) DO UPDATE SET fence = max(fence, excluded.fence)`,
    )
    .run(key, fence);
}

function fenceOfKey(statements: Statements, key: string): number | null {
  const row = statements.row("SELECT fence FROM fences WHERE key = ?", key);
  return row === null ? null : Number(row.fence);
}
