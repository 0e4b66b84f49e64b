/** The part of the expression language that action.yml and the tests' jobs use. */
export interface Context {
  readonly failed: boolean;
  readonly cancelled: boolean;
  /** github, strategy, matrix, env, steps… */
  readonly values: Readonly<Record<string, unknown>>;
}

type Value = string | number | boolean | null | object | undefined;

/** Replaces every `${{ … }}` of a text. */
export function interpolate(text: string, context: Context): string {
  return text.replace(/\$\{\{(.*?)\}\}/g, (_, expression: string) =>
    asText(evaluate(expression, context)),
  );
}

/** Whether a step's `if` holds. Without a status function, the runner adds `success()`. */
export function stepCondition(condition: string | undefined, context: Context): boolean {
  const bare = (condition ?? "").replace(/^\s*\$\{\{(.*)\}\}\s*$/, "$1").trim();
  if (bare === "") return holds("success()", context);
  const hasStatus = /\b(success|failure|always|cancelled)\s*\(/.test(bare);
  return holds(hasStatus ? bare : `success() && (${bare})`, context);
}

/** Whether a condition holds, with nothing added: so for pre-if and post-if. */
export function holds(condition: string, context: Context): boolean {
  return isTrue(evaluate(condition, context));
}

const TOKEN = /\s*(\|\||&&|[=!<>]=|[!()<>,]|'(?:[^']|'')*'|-?\d+(?:\.\d+)?|[A-Za-z_][\w.-]*)/y;

const COMPARISONS: Record<string, (left: Value, right: Value) => boolean> = {
  "==": (left, right) => asText(left) === asText(right),
  "!=": (left, right) => asText(left) !== asText(right),
  "<": (left, right) => Number(left) < Number(right),
  ">": (left, right) => Number(left) > Number(right),
  "<=": (left, right) => Number(left) <= Number(right),
  ">=": (left, right) => Number(left) >= Number(right),
};

function evaluate(expression: string, context: Context): Value {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  let place = 0;
  for (let match = TOKEN.exec(expression); match !== null; match = TOKEN.exec(expression)) {
    tokens.push(match[1] as string);
    place = TOKEN.lastIndex;
  }
  if (expression.slice(place).trim() !== "") throw new Error(`not an expression: ${expression}`);

  const take = (token: string) => tokens[0] === token && tokens.shift() !== undefined;
  const need = (token: string) => {
    if (!take(token)) throw new Error(`${token} is missing in: ${expression}`);
  };
  const either = (): Value => {
    let value = both();
    while (take("||")) {
      const other = both();
      if (!isTrue(value)) value = other;
    }
    return value;
  };
  const both = (): Value => {
    let value = compared();
    while (take("&&")) {
      const other = compared();
      if (isTrue(value)) value = other;
    }
    return value;
  };
  const compared = (): Value => {
    const value = unary();
    const name = tokens[0] ?? "";
    const comparison = COMPARISONS[name];
    if (comparison === undefined) return value;
    need(name);
    return comparison(value, unary());
  };
  const unary = (): Value => (take("!") ? !isTrue(unary()) : primary());
  const primary = (): Value => {
    const token = tokens.shift();
    if (token === undefined) throw new Error(`the expression ends too early: ${expression}`);
    if (token === "(") {
      const value = either();
      need(")");
      return value;
    }
    if (token.startsWith("'")) return token.slice(1, -1).replaceAll("''", "'");
    if (/^-?\d/.test(token)) return Number(token);
    if (!take("(")) return lookUp(token, context);
    const given: Value[] = [];
    while (!take(")")) {
      given.push(either());
      if (tokens[0] !== ")") need(",");
    }
    return call(token, given, context);
  };

  const value = either();
  if (tokens.length > 0) throw new Error(`not an expression: ${expression}`);
  return value;
}

function call(name: string, given: readonly Value[], context: Context): Value {
  switch (name.toLowerCase()) {
    case "success":
      return !context.failed && !context.cancelled;
    case "failure":
      return context.failed && !context.cancelled;
    case "cancelled":
      return context.cancelled;
    case "always":
      return true;
    case "tojson":
      return JSON.stringify(given[0] ?? null, null, 2);
    case "format":
      return asText(given[0]).replace(/\{(\d+)\}/g, (_, place) => asText(given[Number(place) + 1]));
    default:
      throw new Error(`unknown function: ${name}`);
  }
}

function lookUp(path: string, context: Context): Value {
  if (path === "true" || path === "false") return path === "true";
  if (path === "null") return null;
  let value: unknown = context.values;
  for (const name of path.split(".")) {
    value = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
  }
  return value as Value;
}

function isTrue(value: Value): boolean {
  return value !== undefined && value !== null && value !== false && value !== 0 && value !== "";
}

function asText(value: Value): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? "Object" : String(value);
}
