import type { DatabaseSync } from "node:sqlite";
import { Files } from "./files.ts";
import { Ledger } from "./ledger.ts";
import type { FileAnswer, FileRequest, Order } from "./messages.ts";
import { openDatabase, resultCode } from "./schema.ts";
import { Statements } from "./statements.ts";
import type { Found } from "./types.ts";

const DISK_BYTES_LIMIT = 2 ** 30;
const MEMORY_BYTES_LIMIT = 2 ** 28;
/** SQLITE_FULL. */
const FULL = 13;

/** The database, and the transactions on it. */
export class Archive {
  readonly #database: DatabaseSync;
  readonly #ledger: Ledger;
  readonly #files: Files;

  constructor({ file }: { file: string | null }) {
    this.#database = openDatabase(file);
    const statements = new Statements(this.#database);
    this.#ledger = new Ledger(statements);
    this.#files = new Files(statements, file === null ? MEMORY_BYTES_LIMIT : DISK_BYTES_LIMIT);
  }

  find(): Found {
    return this.#ledger.find();
  }

  /** All of it or nothing; throws where it was nothing. A file for which there is no room is no reason. */
  carryOut(orders: readonly Order[]): { id: number; answer: FileAnswer }[] {
    try {
      return this.#transaction(orders, (request) => this.#serve(request));
    } catch (error) {
      const writes = orders.some(({ files }) => files.some(({ kind }) => kind === "write"));
      if (resultCode(error) !== FULL || !writes) throw error;
      return this.#transaction(orders, (request) =>
        request.kind === "write" ? { outcome: "full" } : this.#serve(request),
      );
    }
  }

  /**
   * Closes the database, so that one file remains, which can be copied as it is. Where there is no
   * room for that, SQLite's log stays beside it, and the next start reads it: throws then.
   */
  close(): void {
    try {
      this.#database.exec("PRAGMA journal_mode = DELETE");
    } finally {
      this.#database.close();
    }
  }

  #transaction(
    orders: readonly Order[],
    serve: (request: FileRequest) => FileAnswer,
  ): { id: number; answer: FileAnswer }[] {
    const answers: { id: number; answer: FileAnswer }[] = [];
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      for (const { changes, files } of orders) {
        for (const change of changes) this.#ledger.apply(change);
        for (const request of files) answers.push({ id: request.id, answer: serve(request) });
      }
      this.#ledger.tidy();
      this.#database.exec("COMMIT");
      return answers;
    } catch (error) {
      // A full disk may have ended the transaction by itself.
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      this.#files.recount();
      throw error;
    }
  }

  #serve(request: FileRequest): FileAnswer {
    switch (request.kind) {
      case "read":
        return this.#files.read(request.path);
      case "stat":
        return this.#files.stat(request.path);
      case "write":
        return this.#files.write(request.path, request.file, request.conditions);
      case "delete":
        return this.#files.delete(request.path, request.conditions);
    }
  }
}
