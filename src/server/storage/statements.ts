import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

export type Row = Record<string, unknown>;
/** What is written into the columns of a row. */
export type Values = Readonly<Record<string, SQLInputValue>>;

/** A database whose statements are compiled once each. There are few of them, all written in the code. */
export class Statements {
  readonly database: DatabaseSync;
  readonly #compiled = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  run(query: string, ...values: SQLInputValue[]): void {
    this.#of(query).run(...values);
  }

  /** Writes a row, in the place of one with the same key. */
  put(table: string, values: Values): void {
    const names = Object.keys(values);
    const marks = names.map(() => "?");
    const into = `${table} (${names.join(", ")})`;
    this.run(
      `INSERT OR REPLACE INTO ${into} VALUES (${marks.join(", ")})`,
      ...Object.values(values),
    );
  }

  row(query: string, ...values: SQLInputValue[]): Row | null {
    return (this.#of(query).get(...values) as Row | undefined) ?? null;
  }

  rows(query: string): Row[] {
    return this.#of(query).all() as Row[];
  }

  #of(query: string): StatementSync {
    let statement = this.#compiled.get(query);
    if (statement === undefined) {
      statement = this.database.prepare(query);
      this.#compiled.set(query, statement);
    }
    return statement;
  }
}
