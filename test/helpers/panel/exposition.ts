export interface Family {
  readonly type: string;
  readonly help: string;
  /** By the sample's name and labels, as written. */
  readonly samples: Map<string, number>;
}

const SAMPLE =
  /^([a-zA-Z_:][\w:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*\})? ([+-]?(?:Inf|NaN|\d[\d.e+-]*))$/;

/**
 * Prometheus' text format 0.0.4, strictly: every family has one HELP, then one TYPE, then its own
 * samples and no others; nothing comes twice. Throws at the first line that is not so.
 */
export function parseExposition(text: string): Map<string, Family> {
  if (!text.endsWith("\n")) throw new Error("The last line does not end.");
  const families = new Map<string, Family>();
  let current: { name: string; type: string; help: string; samples: Map<string, number> } | null =
    null;
  for (const line of text.slice(0, -1).split("\n")) {
    const help = /^# HELP ([a-zA-Z_:][\w:]*) (.+)$/.exec(line);
    const type = /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram)$/.exec(line);
    if (help !== null) {
      const [, name, words] = help as unknown as [string, string, string];
      if (families.has(name)) throw new Error(`Twice: ${line}`);
      current = { name, type: "", help: words, samples: new Map() };
      families.set(name, current);
    } else if (type !== null) {
      const [, name, kind] = type as unknown as [string, string, string];
      if (current?.name !== name || current.type !== "") throw new Error(`Out of place: ${line}`);
      current.type = kind;
    } else {
      const sample = SAMPLE.exec(line);
      if (sample === null || current === null) throw new Error(`No sample: ${line}`);
      const [, name, labels = "", value] = sample as unknown as [string, string, string, string];
      if (!belongs(name, current)) throw new Error(`Of another family: ${line}`);
      const id = name + labels;
      if (current.samples.has(id)) throw new Error(`Twice: ${line}`);
      current.samples.set(id, value === "+Inf" ? Number.POSITIVE_INFINITY : Number(value));
    }
  }
  return families;
}

function belongs(sample: string, { name, type }: { name: string; type: string }): boolean {
  if (type === "histogram")
    return [`${name}_bucket`, `${name}_sum`, `${name}_count`].includes(sample);
  if (type === "counter" && !name.endsWith("_total")) return false;
  return sample === name && type !== "";
}
