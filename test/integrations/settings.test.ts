import { expect, test } from "vitest";
import { filesBelow } from "../helpers/sources.ts";
import { blockAfter, read } from "./jobs.ts";

/** What a system is told to set is what its scripts use: a name that differs would be an empty text. */

/** The names of the project's own variables in a text, each once, sorted. */
function variablesIn(text: string, pattern = /\bHOLDFAST_LOCK_[A-Z]+/g): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([name]) => name))].sort();
}

test("GitLab: the component sets what its script uses, from inputs that it declares", () => {
  const template = read("templates/lock.yml");
  const script = blockAfter(template, "before_script:");
  const [header = "", body = ""] = template.split("\n---\n");
  const set = [...body.matchAll(/^ {4}(HOLDFAST_LOCK_[A-Z]+): "?\$\[\[ inputs\.(\w+) \]\]"?$/gm)];
  expect(set.map(([, name]) => name).sort()).toEqual(variablesIn(script));
  const declared = [...header.matchAll(/^ {4}(\w+):$/gm)].map(([, name]) => name as string);
  const used = [...body.matchAll(/\$\[\[ inputs\.(\w+) \]\]/g)].map(([, name]) => name as string);
  expect([...new Set(used)].sort()).toEqual(declared.sort());
  // An input in a script would be read by the shell; in a variable it is text.
  expect(script).not.toContain("$[[");
});

test("Jenkins: the step sets what its script uses, and releases in a finally", () => {
  const step = read("integrations/jenkins/vars/holdfast.groovy");
  const resources = "integrations/jenkins/resources/holdfast";
  expect(variablesIn(step)).toEqual(variablesIn(read(`${resources}/acquire.sh`)));
  const named = [...step.matchAll(/libraryResource\('holdfast\/([^']+)'\)/g)].map(
    ([, name]) => name as string,
  );
  expect(named.sort()).toEqual(filesBelow(resources).sort());
  expect(step).toMatch(/try \{\s+body\(\)\s+\} finally \{\s+sh\(.*release\.sh/);
});

test("CircleCI: the command sets what its script uses, from parameters that it declares", () => {
  const command = read("integrations/circleci/commands/lock.yml");
  expect(variablesIn(command)).toEqual(variablesIn(read("integrations/circleci/scripts/lock.sh")));
  const declared = [...command.matchAll(/^ {2}(\w+):$/gm)].map(([, name]) => name as string);
  const used = [...command.matchAll(/<< parameters\.(\w+) >>/g)].map(([, name]) => name as string);
  expect([...new Set(used)].sort()).toEqual(declared.sort());
  const included = filesBelow("integrations/circleci/commands").flatMap((name) => {
    const text = read(`integrations/circleci/commands/${name}`);
    return [...text.matchAll(/include\(([^)]+)\)/g)].map(([, path]) => path as string);
  });
  expect(included.sort()).toEqual(
    filesBelow("integrations/circleci/scripts")
      .map((name) => `scripts/${name}`)
      .sort(),
  );
});

test("Buildkite: the plugin declares what its hooks use", () => {
  const plugin = read("integrations/holdfast-buildkite-plugin/plugin.yml");
  const declared = [...plugin.matchAll(/^ {4}(\w+):$/gm)].map(
    ([, name]) => `BUILDKITE_PLUGIN_HOLDFAST_${name?.toUpperCase()}`,
  );
  const hook = read("integrations/holdfast-buildkite-plugin/hooks/pre-command");
  expect(declared.sort()).toEqual(variablesIn(hook, /\bBUILDKITE_PLUGIN_HOLDFAST_[A-Z]+/g));
});
