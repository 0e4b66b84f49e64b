import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

// biome-ignore lint/suspicious/noExplicitAny: a schema is any JSON.
type Schema = any;

const FILE = createRequire(import.meta.url).resolve("@octokit/webhooks-schemas/schema.json");

/** The published schemas of GitHub's webhooks. */
export const SCHEMAS: Schema = JSON.parse(readFileSync(FILE, "utf8"));

const FORMATS: Readonly<Record<string, string>> = {
  uri: "https://github.example/x",
  "uri-template": "https://github.example/x{/y}",
  "date-time": "2026-01-05T09:00:00Z",
  email: "a@b.example",
};

/** The smallest value that a schema allows: all that it requires, and nothing else. */
function least(schema: Schema): unknown {
  if (schema.$ref !== undefined) return least(SCHEMAS.definitions[schema.$ref.split("/").at(-1)]);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.allOf !== undefined) return Object.assign({}, ...schema.allOf.map(least));
  const choice = schema.oneOf ?? schema.anyOf;
  if (choice !== undefined) {
    return least(choice.find((each: Schema) => each.type === "null") ?? choice[0]);
  }
  const type = Array.isArray(schema.type) ? schema.type.at(-1) : schema.type;
  switch (type) {
    case "object": {
      const names: string[] = schema.required ?? [];
      return Object.fromEntries(names.map((name) => [name, least(schema.properties[name])]));
    }
    case "array":
      return Array.from({ length: schema.minItems ?? 0 }, () => least(schema.items));
    case "string":
      return FORMATS[schema.format] ?? "x";
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return false;
    default:
      return null;
  }
}

const made = new Map<string, string>();

/** The smallest sound payload of an event, such as `workflow_job$queued`, or a part, such as `deployment`. */
// biome-ignore lint/suspicious/noExplicitAny: a payload is any JSON.
export function leastOf(name: string): any {
  let text = made.get(name);
  if (text === undefined) {
    text = JSON.stringify(least(SCHEMAS.definitions[name]));
    made.set(name, text);
  }
  return JSON.parse(text);
}
