/** What of JSON Schema docs/openapi.json uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  /** Of what is a lock's answer or a file's own content: the first is what a lock answers. */
  readonly anyOf?: readonly Schema[];
}

/** Everything in which a value differs from its schema, each with its place. */
export function faultsOf(
  value: unknown,
  schema: Schema,
  schemas: Readonly<Record<string, Schema>>,
  at = "",
): string[] {
  if (schema.$ref !== undefined) {
    const named = schemas[schema.$ref.replace("#/components/schemas/", "")];
    return named === undefined
      ? [`${schema.$ref} is missing`]
      : faultsOf(value, named, schemas, at);
  }
  if (schema.oneOf !== undefined) {
    const tried = schema.oneOf.map((one) => faultsOf(value, one, schemas, at));
    const fitting = tried.filter((faults) => faults.length === 0).length;
    return fitting === 1 ? [] : [`${at} fits ${fitting} of ${tried.length}`, ...tried.flat()];
  }
  const types = [schema.type ?? []].flat();
  if (types.length > 0 && !types.some((type) => isOf(value, type))) {
    return [`${at} is ${JSON.stringify(value)}, not ${types.join(" or ")}`];
  }
  if ("const" in schema && value !== schema.const) return [`${at} is ${value}`];
  if (schema.enum !== undefined && !schema.enum.includes(value)) return [`${at} is ${value}`];
  if (typeof value === "string") return textFaults(value, schema, at);
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined
      ? []
      : value.flatMap((one, index) => faultsOf(one, items, schemas, `${at}[${index}]`));
  }
  return typeof value === "object" && value !== null
    ? fieldFaults(value as Record<string, unknown>, schema, schemas, at)
    : [];
}

function textFaults(text: string, { pattern, format }: Schema, at: string): string[] {
  if (pattern !== undefined && !new RegExp(pattern).test(text)) return [`${at} is ${text}`];
  const isTime = format !== "date-time" || new Date(text).toISOString() === text;
  return isTime ? [] : [`${at} is no time: ${text}`];
}

function fieldFaults(
  fields: Readonly<Record<string, unknown>>,
  { required = [], properties = {}, additionalProperties = true }: Schema,
  schemas: Readonly<Record<string, Schema>>,
  at: string,
): string[] {
  const faults = required.filter((name) => !(name in fields)).map((name) => `${at}.${name} lacks`);
  for (const [name, value] of Object.entries(fields)) {
    const known = properties[name];
    if (known !== undefined) faults.push(...faultsOf(value, known, schemas, `${at}.${name}`));
    else if (additionalProperties === false) faults.push(`${at}.${name} is not described`);
    else if (additionalProperties !== true)
      faults.push(...faultsOf(value, additionalProperties, schemas, `${at}.${name}`));
  }
  return faults;
}

function isOf(value: unknown, type: string): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    default:
      return typeof value === type;
  }
}
