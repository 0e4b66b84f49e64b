/** As much YAML as action.yml is written in: nested mappings of scalars. Anything else is an error. */
export type Mapping = { [name: string]: string | Mapping };

interface Line {
  readonly number: number;
  readonly indent: number;
  readonly text: string;
}

export function readYaml(text: string): Mapping {
  const lines = text.split("\n").map((line, index) => ({
    number: index + 1,
    indent: line.length - line.trimStart().length,
    text: line.trim(),
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

function readValue(
  lines: readonly Line[],
  index: number,
  value: string,
): [string | Mapping, number] {
  const line = lines[index] as Line;
  if (/^[|>][+-]?$/.test(value)) return readBlock(lines, index, value);
  if (value !== "" && !value.startsWith("#")) return [scalar(value, line), index + 1];
  const next = lines.findIndex((other, place) => place > index && !isBlank(other));
  if (next === -1 || (lines[next] as Line).indent <= line.indent) return ["", index + 1];
  return readMapping(lines, next);
}

function readBlock(lines: readonly Line[], index: number, style: string): [string, number] {
  const { indent } = lines[index] as Line;
  let next = index + 1;
  const found: string[] = [];
  for (; next < lines.length; next++) {
    const line = lines[next] as Line;
    if (line.text !== "" && line.indent <= indent) break;
    found.push(line.text);
  }
  const text = found.join(style.startsWith(">") ? " " : "\n").trimEnd();
  return [style.endsWith("-") ? text : `${text}\n`, next];
}

function scalar(value: string, line: Line): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/.exec(value);
  if (quoted !== null) return JSON.parse(`"${quoted[1]}"`) as string;
  const single = /^'((?:[^']|'')*)'\s*(?:#.*)?$/.exec(value);
  if (single !== null) return (single[1] as string).replaceAll("''", "'");
  if (/^["'[{&*!|>%@`]|:\s|:$/.test(value)) throw unreadable(line);
  return value.replace(/\s+#.*$/, "");
}

function unreadable(line: Line | undefined): Error {
  return new Error(`line ${line?.number} is beyond this reader: ${line?.text}`);
}
