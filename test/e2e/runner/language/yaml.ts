/**
 * As much YAML as action.yml and the workflows of the documents are written in: nested mappings and
 * lists of scalars. Anything else is an error.
 */
export type Yaml = string | Mapping | readonly Yaml[];
export type Mapping = { [name: string]: Yaml };

interface Line {
  readonly number: number;
  readonly indent: number;
  readonly text: string;
  /** As it was written, for blocks of text. */
  readonly raw: string;
}

export function readYaml(text: string): Mapping {
  const lines = text.split("\n").map((line, index) => ({
    number: index + 1,
    indent: line.length - line.trimStart().length,
    text: line.trim(),
    raw: line,
  }));
  const [mapping, rest] = readMapping(lines, 0);
  if (rest < lines.length) throw unreadable(lines[rest]);
  return mapping;
}

const isBlank = (line: Line) => line.text === "" || line.text.startsWith("#");

/** The mapping that starts at a line, and the first line after it. */
function readMapping(lines: readonly Line[], from: number): [Mapping, number] {
  const mapping: Mapping = {};
  let indent: number | null = null;
  let index = from;
  while (index < lines.length) {
    const line = lines[index] as Line;
    if (isBlank(line)) {
      index++;
      continue;
    }
    indent ??= line.indent;
    if (line.indent < indent) break;
    const match = /^([A-Za-z_][\w-]*):(?:\s+(.*))?$/.exec(line.text);
    if (line.indent > indent || match === null) throw unreadable(line);
    const name = match[1] as string;
    const value = (match[2] ?? "").trim();
    const [read, next] = readValue(lines, index, value);
    mapping[name] = read;
    index = next;
  }
  return [mapping, index];
}

function readValue(lines: readonly Line[], index: number, value: string): [Yaml, number] {
  const line = lines[index] as Line;
  if (/^[|>][+-]?$/.test(value)) return readBlock(lines, index, value);
  if (value !== "" && !value.startsWith("#")) return [scalar(value, line), index + 1];
  const next = lines.findIndex((other, place) => place > index && !isBlank(other));
  if (next === -1 || (lines[next] as Line).indent <= line.indent) return ["", index + 1];
  return isItem(lines[next] as Line) ? readList(lines, next) : readMapping(lines, next);
}

const isItem = (line: Line) => /^-(\s|$)/.test(line.text);

/** The list that starts at a line. What stands after a dash is read as if the dash were a space. */
function readList(lines: readonly Line[], from: number): [Yaml[], number] {
  const list: Yaml[] = [];
  const { indent } = lines[from] as Line;
  let index = from;
  while (index < lines.length) {
    const line = lines[index] as Line;
    if (isBlank(line)) {
      index++;
      continue;
    }
    if (line.indent !== indent || !isItem(line)) break;
    const text = line.text.slice(1).trimStart();
    const item = { ...line, text, indent: indent + line.text.length - text.length };
    if (!/^[A-Za-z_][\w-]*:(\s|$)/.test(text)) {
      list.push(scalar(text, line));
      index++;
      continue;
    }
    const [mapping, next] = readMapping(lines.with(index, item), index);
    list.push(mapping);
    index = next;
  }
  return [list, index];
}

function readBlock(lines: readonly Line[], index: number, style: string): [string, number] {
  const { indent } = lines[index] as Line;
  let next = index + 1;
  const found: string[] = [];
  for (; next < lines.length; next++) {
    const line = lines[next] as Line;
    if (line.text !== "" && line.indent <= indent) break;
    found.push(line.raw);
  }
  const margin = Math.min(...found.filter(Boolean).map((line) => line.search(/\S|$/)));
  const text = found
    .map((line) => line.slice(margin).trimEnd())
    .join(style.startsWith(">") ? " " : "\n")
    .trimEnd();
  return [style.endsWith("-") ? text : `${text}\n`, next];
}

function scalar(value: string, line: Line): Yaml {
  const flow = /^\[([^[\]"']*)\]\s*(?:#.*)?$/.exec(value);
  if (flow !== null) return (flow[1] ?? "").split(",").map((item) => item.trim());
  const quoted = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/.exec(value);
  if (quoted !== null) return JSON.parse(`"${quoted[1]}"`) as string;
  const single = /^'((?:[^']|'')*)'\s*(?:#.*)?$/.exec(value);
  if (single !== null) return (single[1] as string).replaceAll("''", "'");
  const plain = value.replace(/\s+#.*$/, "");
  if (/^["'[{&*!|>%@`]|:\s|:$/.test(plain)) throw unreadable(line);
  return plain;
}

function unreadable(line: Line | undefined): Error {
  return new Error(`line ${line?.number} is beyond this reader: ${line?.text}`);
}

/** A value as a mapping, a list or a text; empty where it is something else. */
export function mapping(value: Yaml | undefined): Mapping {
  return typeof value === "object" && !isList(value) ? value : {};
}

export function list(value: Yaml | undefined): readonly Yaml[] {
  return value !== undefined && isList(value) ? value : [];
}

export function text(value: Yaml | undefined): string {
  return typeof value === "string" ? value : "";
}

function isList(value: Yaml): value is readonly Yaml[] {
  return Array.isArray(value);
}
