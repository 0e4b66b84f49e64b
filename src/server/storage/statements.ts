import type { DatabaseSync, StatementSync } from "node:sqlite";

export type Row = Record<string, unknown>;

/** A database whose statements are compiled once each. There are few of them, all written in the code. */
export class Statements {
  readonly database: DatabaseSync;
  readonly #compiled = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  of(query: string): StatementSync {
    let statement = this.#compiled.get(query);
    if (statement === undefined) {
      statement = this.database.prepare(query);
      this.#compiled.set(query, statement);
    }
    return statement;
  }

  row(query: string, ...values: (string | number)[]): Row | null {
    return (this.of(query).get(...values) as Row | undefined) ?? null;
  }

  rows(query: string): Row[] {
    return this.of(query).all() as Row[];
  }
}
