import type { NewFile } from "./files.ts";
import type { Change, FileConditions, FileInfo, FileResult, Found, StoredFile } from "./types.ts";

/** What the server's thread and that of its storage say to each other. */
export type FileRequest =
  | { readonly kind: "read"; readonly id: number; readonly path: string }
  | { readonly kind: "stat"; readonly id: number; readonly path: string }
  | {
      readonly kind: "write";
      readonly id: number;
      readonly path: string;
      readonly file: NewFile;
      readonly conditions: FileConditions;
    }
  | {
      readonly kind: "delete";
      readonly id: number;
      readonly path: string;
      readonly conditions: FileConditions;
    };

export type FileAnswer = StoredFile | FileInfo | FileResult | null;

/** In order: all of it is applied before what comes in a later order. */
export interface Order {
  /** Counts up; told back when the order is on the disk. */
  readonly number: number;
  readonly changes: readonly Change[];
  readonly files: readonly FileRequest[];
  /** The last order: the database is closed after it. */
  readonly close?: true;
}

export type Notice =
  | { readonly kind: "opened"; readonly found: Found }
  | { readonly kind: "refused"; readonly code: string; readonly message: string }
  | {
      readonly kind: "settled";
      readonly number: number;
      readonly answers: readonly { readonly id: number; readonly answer: FileAnswer }[];
    }
  | { readonly kind: "trouble"; readonly message: string | null }
  | { readonly kind: "closed" };
