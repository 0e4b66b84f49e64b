import type { Annotation } from "../job.ts";

/** A line of a stage's output that speaks to the runner. */
export type Command =
  | { readonly kind: "annotation"; readonly annotation: Annotation }
  | { readonly kind: "mask"; readonly value: string }
  | { readonly kind: "other"; readonly name: string };

/** Null where the line is ordinary output. */
export function parseCommand(line: string): Command | null {
  const match = /^\s*::([\w-]+)(?:\s+([^:]*?(?:%3A[^:]*?)*))?::(.*)$/.exec(line);
  if (match === null) return null;
  const name = (match[1] as string).toLowerCase();
  const data = unescapeData(match[3] as string);
  switch (name) {
    case "error":
    case "warning":
    case "notice": {
      const properties = parseProperties(match[2] ?? "");
      return { kind: "annotation", annotation: { level: name, message: data, properties } };
    }
    case "add-mask":
      return { kind: "mask", value: data };
    default:
      return { kind: "other", name };
  }
}

function parseProperties(text: string): Record<string, string> {
  const properties: Record<string, string> = {};
  for (const part of text.split(",")) {
    const equals = part.indexOf("=");
    if (equals > 0)
      properties[part.slice(0, equals).trim()] = unescapeProperty(part.slice(equals + 1));
  }
  return properties;
}

function unescapeData(text: string): string {
  return text.replaceAll("%0D", "\r").replaceAll("%0A", "\n").replaceAll("%25", "%");
}

function unescapeProperty(text: string): string {
  return unescapeData(text.replaceAll("%3A", ":").replaceAll("%2C", ","));
}

/** What the log shows: secrets that a stage has named are hidden, each of their lines by itself. */
export class Masks {
  readonly #values: string[] = [];

  add(value: string): void {
    this.#values.push(...[value, ...value.split("\n")].filter((part) => part.trim() !== ""));
    this.#values.sort((a, b) => b.length - a.length);
  }

  apply(text: string): string {
    return this.#values.reduce((shown, value) => shown.replaceAll(value, "***"), text);
  }
}
