import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { parseAst } from "rolldown/parseAst";
import type { Checker, check } from "../checker.ts";

/** One small change of the checker's code. */
export interface Mutant {
  readonly file: string;
  /** The line of code that it is in. */
  readonly context: string;
  /** What stood there, and what stands there now, each in one line. */
  readonly was: string;
  readonly is: string;
  readonly judge: Judge;
}

/** The checker, as it is or with a change. */
export interface Judge {
  readonly check: typeof check;
  readonly Checker: typeof Checker;
}

/** In the order in which they need each other. */
const FILES = ["claims.ts", "grants.ts", "exclusion.ts", "order.ts", "checker.ts"];

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [name: string]: unknown;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const OPERATORS: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "+": "-",
  "-": "+",
  "*": "+",
  "&&": "||",
  "||": "&&",
  "??": "&&",
  "??=": "=",
  "||=": "=",
  "++": "--",
};
const NAMES: Readonly<Record<string, string>> = { max: "min", min: "max" };
const DROPPED = ["ExpressionStatement", "ReturnStatement", "ContinueStatement", "BreakStatement"];

/** Every mutant of the checker, by mechanical rules over its syntax. */
export function mutants(): Mutant[] {
  const sources = FILES.map((file) => {
    const text = readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
    // Types become blanks, so that every place stays where it was.
    return { file, code: stripTypeScriptTypes(text, { mode: "strip" }) };
  });
  const plain = sources.map(({ code }) => withoutModules(code));
  return sources.flatMap(({ file, code }, at) =>
    editsOf(parseAst(code) as unknown as Node, code).map(({ start, end, text }) => {
      const changed = `${code.slice(0, start)}${text}${code.slice(end)}`;
      const all = plain.with(at, withoutModules(changed)).join("\n");
      const oneLine = (words: string) => words.replace(/\s+/g, " ").trim();
      return {
        file,
        context: oneLine(lineAt(code, start)),
        was: oneLine(code.slice(start, end)),
        is: oneLine(text),
        judge: new Function(`${all}\nreturn { check, Checker };`)() as Judge,
      };
    }),
  );
}

function lineAt(code: string, at: number): string {
  const end = code.indexOf("\n", at);
  return code.slice(code.lastIndexOf("\n", at - 1) + 1, end);
}

/** The files of the checker use no name twice: without imports and exports they are one program. */
function withoutModules(code: string): string {
  return code.replace(/^import [^;]*;$/gm, "").replace(/^export /gm, "");
}

function editsOf(node: Node, code: string): Edit[] {
  if (node.type === "ImportDeclaration") return [];
  return [...ownEdits(node, code), ...childrenOf(node).flatMap((child) => editsOf(child, code))];
}

function ownEdits(node: Node, code: string): Edit[] {
  const { start, end } = node;
  const edits: Edit[] = [];
  const swap = (left: Node, right: Node, operator: string) => {
    const next = OPERATORS[operator];
    const at = code.indexOf(operator, left.end);
    if (next !== undefined && at < right.start)
      edits.push({ start: at, end: at + operator.length, text: next });
  };
  if (DROPPED.includes(node.type)) edits.push({ start, end, text: ";" });
  if (node.type === "BinaryExpression" || node.type === "LogicalExpression")
    swap(node.left as Node, node.right as Node, node.operator as string);
  if (node.type === "AssignmentExpression")
    swap(node.left as Node, node.right as Node, node.operator as string);
  if (node.type === "UpdateExpression")
    edits.push({ start: end - 2, end, text: OPERATORS[node.operator as string] ?? "++" });
  if (node.type === "IfStatement" || node.type === "ConditionalExpression") {
    const test = node.test as Node;
    const text = `!(${code.slice(test.start, test.end)})`;
    edits.push({ start: test.start, end: test.end, text });
  }
  if (node.type === "Literal" && typeof node.value === "boolean")
    edits.push({ start, end, text: String(!node.value) });
  if (node.type === "Literal" && typeof node.value === "number")
    edits.push({ start, end, text: String(node.value + 1) });
  if (node.type === "MemberExpression" && code.slice(start, end).startsWith("Math.")) {
    const property = node.property as Node;
    const text = NAMES[String(property.name)];
    if (text !== undefined) edits.push({ start: property.start, end: property.end, text });
  }
  if (node.type === "UnaryExpression" && node.operator === "!")
    edits.push({ start, end: start + 1, text: "" });
  return edits;
}

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter((child): child is Node => typeof (child as Node | null)?.type === "string");
}
