import { readFileSync } from "node:fs";
import { join } from "node:path";
import { mapping, readYaml, text } from "./yaml.ts";

/** What action.yml says about how an action is run. */
export interface Manifest {
  readonly using: string;
  readonly pre: string | null;
  readonly preIf: string;
  readonly main: string;
  readonly post: string | null;
  readonly postIf: string;
  /** Every input with its default, still with its expressions. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly outputs: readonly string[];
}

export function readManifest(folder: string): Manifest {
  const document = readYaml(readFileSync(join(folder, "action.yml"), "utf8"));
  const runs = mapping(document.runs);
  const file = (name: string) => (runs[name] ? join(folder, text(runs[name])) : null);
  const main = file("main");
  if (main === null) throw new Error(`action.yml in ${folder} has no main`);
  return {
    using: text(runs.using),
    pre: file("pre"),
    // The runner's own defaults: nothing is implied beside them.
    preIf: text(runs["pre-if"]) || "always()",
    main,
    post: file("post"),
    postIf: text(runs["post-if"]) || "always()",
    inputs: Object.fromEntries(
      Object.entries(mapping(document.inputs)).map(([name, input]) => [
        name,
        text(mapping(input).default),
      ]),
    ),
    outputs: Object.keys(mapping(document.outputs)),
  };
}
