import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ErrorCode } from "../../../src/lock/errors.ts";
import { cli, json } from "../../helpers/cli/cli.ts";
import { temporaryDirectory } from "../../helpers/directories.ts";

const RUN = ["--", "echo", "ran"];

/** Each is one sentence with its code, exits 125, and touches nothing. */
const REFUSED_BY_RUN: [name: string, code: ErrorCode, args: string[], says: RegExp][] = [
  ["an empty key", "BAD_KEY", ["", ...RUN], /key is empty/],
  ["a key of 201 bytes", "BAD_KEY", ["x".repeat(201), ...RUN], /201 bytes.*at most 200/],
  ["a key with a newline", "BAD_KEY", ["a\nb", ...RUN], /"a\\nb" contains a control character/],
  ["a key with an escape", "BAD_KEY", ["a\u001b[2J", ...RUN], /control character/],
  ["a key with a C1 character", "BAD_KEY", ["a\u009b2J", ...RUN], /"a\\u009b2J"/],
  ["no key", "BAD_KEY", RUN, /key is missing: write holdfast run KEY/],
  ["two keys", "BAD_COMMAND", ["k", "l", ...RUN], /"l" is too much: put -- before the command/],
  ["no command", "BAD_COMMAND", ["k"], /command is missing: write it after --/],
  ["nothing after --", "BAD_COMMAND", ["k", "--"], /command is missing/],
  ["an empty command", "BAD_COMMAND", ["k", "--", ""], /command is missing/],
  ["slots 0", "BAD_SLOTS", ["k", "--slots", "0", ...RUN], /"0" is not a whole number from 1/],
  ["slots -1", "BAD_SLOTS", ["k", "--slots", "-1", ...RUN], /"-1" is not a whole number/],
  ["slots 1.5", "BAD_SLOTS", ["k", "--slots", "1.5", ...RUN], /"1.5"/],
  ["slots x", "BAD_SLOTS", ["k", "--slots=x", ...RUN], /"x"/],
  [
    "timeout -1",
    "BAD_DURATION",
    ["k", "--timeout", "-1", ...RUN],
    /timeout "-1" is not a duration/,
  ],
  ["timeout 5 parsecs", "BAD_DURATION", ["k", "--timeout", "5 parsecs", ...RUN], /"5 parsecs"/],
  ["an empty timeout", "BAD_DURATION", ["k", "--timeout=", ...RUN], /timeout "" is not a duration/],
  ["grace soon", "BAD_DURATION", ["k", "--grace", "soon", ...RUN], /grace "soon"/],
  ["stale timeout x", "BAD_DURATION", ["k", "--stale-timeout", "x", ...RUN], /stale timeout "x"/],
  ["ttl none", "BAD_TTL", ["k", "--ttl", "none", ...RUN], /ttl "none" has no end: use at least 1s/],
  ["ttl 0", "BAD_TTL", ["k", "--ttl", "0", ...RUN], /ttl "0" is too short: use at least 1s/],
  ["ttl 999ms", "BAD_TTL", ["k", "--ttl", "999ms", ...RUN], /too short/],
  [
    "dead-after none",
    "BAD_DEAD_AFTER",
    ["k", "--dead-after", "none", ...RUN],
    /dead-after "none" has no end/,
  ],
  [
    "dead-after 0",
    "BAD_DEAD_AFTER",
    ["k", "--dead-after", "0", ...RUN],
    /dead-after "0" is too short/,
  ],
  ["an empty owner", "BAD_OWNER", ["k", "--owner", " ", ...RUN], /owner is empty/],
  ["an owner with a newline", "BAD_OWNER", ["k", "--owner", "a\nb", ...RUN], /control character/],
  ["an owner of 257 bytes", "BAD_OWNER", ["k", "--owner", "x".repeat(257), ...RUN], /257 bytes/],
  ["a note of 1,001 bytes", "BAD_NOTE", ["k", "--note", "x".repeat(1001), ...RUN], /1001 bytes/],
  ["format xml", "BAD_FORMAT", ["k", "--format", "xml", ...RUN], /"xml".*sema or json/],
  ["reclaim all", "BAD_RECLAIM", ["k", "--reclaim", "dead,all", ...RUN], /"all"/],
  ["purpose fun", "BAD_PURPOSE", ["k", "--purpose", "fun", ...RUN], /"fun"/],
  ["environment moon", "BAD_ENVIRONMENT", ["k", "--environment", "moon", ...RUN], /"moon"/],
  ["line last", "BAD_LINE", ["k", "--line", "last", ...RUN], /"last": use fifo or newest/],
  ["until run", "BAD_OPTION", ["k", "--until", "run", ...RUN], /acquire KEY --until run/],
  ["an empty second key", "BAD_KEY", ["k", "--also", "", ...RUN], /key is empty/],
  ["a bad second key", "BAD_KEY", ["k", "--also", "a\nb", ...RUN], /"a\\nb" contains a control/],
  ["stale maybe", "BAD_OPTION", ["k", "--stale", "maybe", ...RUN], /"maybe".*both or age/],
  ["an unknown option", "BAD_OPTION", ["k", "--tiemout", "5", ...RUN], /did you mean --timeout\?/],
  ["an option without value", "BAD_OPTION", ["k", "--timeout", ...RUN], /--timeout has no value/],
  ["an option for a value", "BAD_OPTION", ["k", "--note", "--json", ...RUN], /--note has no value/],
  ["a flag with a value", "BAD_OPTION", ["k", "--quiet=yes", ...RUN], /--quiet takes no value/],
  ["an unknown scheme", "BAD_STORE", ["k", "--store", "gopher://x", ...RUN], /scheme "gopher"/],
  [
    "an unknown scheme with a password",
    "BAD_STORE",
    ["k", "--store", "gopher://ann:s3cret@host/x", ...RUN],
    /^(?!.*s3cret).*"gopher:\/\/ann@host\/x" has the unknown scheme/s,
  ],
  ["an empty store", "BAD_STORE", ["k", "--store", "", ...RUN], /store is empty/],
  ["a store with ..", "BAD_STORE", ["k", "--store", "../up", ...RUN], /\.\. segment/],
  ["a store on another host", "BAD_STORE", ["k", "--store", "file://far/x", ...RUN], /host "far"/],
  ["a store that is a file", "BAD_STORE", ["k", "--store", "/dev/null", ...RUN], /not a directory/],
  [
    "a lock file with slots",
    "BAD_SLOTS",
    ["--store", "x.lock", "--slots", "2", ...RUN],
    /one slot/,
  ],
  ["another key's lock file", "BAD_KEY", ["k", "--store", "x.lock", ...RUN], /whose key is "x"/],
];

describe("run refuses with 125 and one sentence, and writes nothing", () => {
  test.each(REFUSED_BY_RUN)("%s", async (_, code, args, says) => {
    const { at, written } = sandbox();
    const ended = await cli(["run", "--json", ...args], at);
    expect(ended.code).toBe(125);
    expectOneSentence(ended, code, says);
    expect(written()).toEqual([]);
  });
});

const REFUSED: [code: ErrorCode, args: string[], says: RegExp][] = [
  ["BAD_KEY", ["status"], /key is missing: write holdfast status KEY/],
  ["BAD_KEY", ["status", "a\tb"], /control character/],
  ["BAD_KEY", ["break", "", "--reason", "r"], /key is empty/],
  ["BAD_COMMAND", ["status", "k", "l"], /"l" is too much/],
  ["BAD_COMMAND", ["list", "k"], /"k" is too much/],
  ["BAD_OPTION", ["status", "k", "--timeout", "5"], /"--timeout" is not known/],
  ["BAD_OPTION", ["list", "-x"], /"-x" is not known/],
  ["BAD_REASON", ["break", "k"], /reason is missing/],
  ["BAD_REASON", ["break", "k", "--reason", " \n "], /reason is missing/],
  ["BAD_REASON", ["break", "k", "--reason", "é".repeat(501)], /1002 bytes: use at most 1000/],
  ["BAD_SLOTS", ["break", "k", "--reason", "r", "--slot", "-1"], /slot "-1"/],
  ["BAD_SLOTS", ["break", "k", "--reason", "r", "--slot", "1000"], /from 0 to 999/],
  ["BAD_DURATION", ["clean", "--stale-timeout", "x"], /stale timeout "x"/],
  ["BAD_KEY", ["freeze", "--reason", "r"], /key is missing: write holdfast freeze KEY/],
  ["BAD_REASON", ["freeze", "k"], /reason is missing: say why the key is frozen/],
  ["BAD_REASON", ["freeze", "k", "--reason", "é".repeat(501)], /1002 bytes: use at most 1000/],
  ["BAD_DURATION", ["freeze", "k", "--reason", "r", "--for", "soon"], /freeze "soon" is not/],
  ["BAD_DURATION", ["freeze", "k", "--reason", "r", "--for", "0"], /freeze "0" is nothing/],
  ["BAD_DURATION", ["freeze", "k", "--reason", "r", "--for", "400d"], /longer than a year/],
  ["BAD_OPTION", ["freeze", "k", "--reason"], /--reason has no value/],
  ["BAD_OPTION", ["thaw", "k", "--reason", "r"], /"--reason" is not known/],
  ["BAD_KEY", ["thaw"], /key is missing: write holdfast thaw KEY/],
  ["BAD_COMMAND", ["doctor", "k"], /"k" is too much: write holdfast doctor/],
  ["BAD_OPTION", ["doctor", "--fix"], /"--fix" is not known/],
  ["BAD_COMMAND", ["completion", "tcsh"], /shell "tcsh" is not known: use one of bash, zsh, fish/],
  ["BAD_OPTION", ["help", "--store", "x"], /"--store" is not known/],
  ["BAD_LINE", ["acquire", "k", "--line", "last"], /line is "last": use fifo or newest/],
  ["BAD_OPTION", ["acquire", "k", "--until", "noon"], /until "noon": write --until run/],
  ["BAD_KEY", ["acquire", "k", "--also", "a\tb"], /control character/],
  ["BAD_RUN", ["acquire", "k", "--until", "run"], /no CI run here/],
  ["BAD_RUN", ["release", "k", "--run"], /no CI run here/],
  ["BAD_OPTION", ["release", "k", "--run=yes"], /--run takes no value/],
  ["BAD_COMMAND", ["migrate"], /path of the file is missing/],
  ["BAD_COMMAND", ["policy"], /file is missing: write holdfast policy check FILE/],
  ["BAD_FORMAT", ["migrate", "x.lock", "--to", "yaml"], /"yaml".*json or sema/],
  ["BAD_COMMAND", ["stauts", "k"], /"stauts" is not known: did you mean status\? Use one of run, /],
  [
    "BAD_STORE",
    ["status", "k", "--store", "redi://host"],
    /unknown scheme "redi": did you mean redis:\? Use a path, or one of file:, /,
  ],
  ["BAD_COMMAND", ["frobnicate"], /"frobnicate" is not known: use one of run, .*status/],
  ["BAD_COMMAND", ["help", "frobnicate"], /"frobnicate" is not known/],
  ["BAD_OPTION", ["--frobnicate"], /"--frobnicate" is not known/],
  ["BAD_STORE", ["list", "--store", "gopher://x"], /scheme "gopher"/],
  ["BAD_STORE", ["status", "k", "--store", "/dev/null"], /not a directory/],
];

describe("every other command refuses with 2 and one sentence, and writes nothing", () => {
  const cases = REFUSED.map((each) => [each[1].join(" ").slice(0, 40), ...each] as const);
  test.each(cases)("%s", async (_, code, args, says) => {
    const { at, written } = sandbox();
    const ended = await cli([...args, "--json"], at);
    expect(ended.code).toBe(2);
    expectOneSentence(ended, code, says);
    expect(written()).toEqual([]);
  });
});

const LEGAL_KEYS: [key: string, file: string][] = [
  ["../x", "%2E.%2Fx.lock"],
  ["../../../../../../tmp/x", "%2E.%2F..%2F..%2F..%2F..%2F..%2Ftmp%2Fx.lock"],
  ["/etc/passwd", "%2Fetc%2Fpasswd.lock"],
  ["a/b", "a%2Fb.lock"],
  ["a b", "a%20b.lock"],
  [".", "%2E.lock"],
  ["..", "%2E..lock"],
  ["....", "%2E....lock"],
  ["%2F", "%252F.lock"],
  ["CON", "CON.lock"],
  ["🔒".repeat(50), `${"%F0%9F%94%92".repeat(7).slice(0, 80)}~`],
];

describe("legal keys are encoded, and nothing is written outside the store's directory", () => {
  test.each(LEGAL_KEYS)("%j", async (key, file) => {
    const { at, written } = sandbox();
    const look = 'require("node:fs").readdirSync(new URL(process.env.HOLDFAST_STORE).pathname)';
    const text = `console.log(JSON.stringify([process.env.HOLDFAST_KEY, ${look}]))`;
    const ended = await cli(["run", key, "--", process.execPath, "-e", text], at);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const [seen, files] = json<[string, string[]]>(ended);
    expect(seen).toBe(key);
    expect(files.filter((name) => name.endsWith(".lock"))).toEqual([
      expect.stringMatching(new RegExp(`^${RegExp.escape(file)}`)),
    ]);
    expect(written()).toEqual(["store"]);
  });
});

function expectOneSentence(
  ended: { stdout: string; stderr: string },
  code: ErrorCode,
  says: RegExp,
): void {
  expect(ended.stderr).toMatch(/^holdfast: [^\n]+[.?]\n$/);
  expect(ended.stderr).toMatch(says);
  expect(ended.stdout).not.toContain("ran");
  const { error } = json<{ error: { code: string; message: string } }>(ended);
  expect(error.code).toBe(code);
  expect(`holdfast: ${error.message}\n`).toBe(ended.stderr);
}

/** A home, a working directory and a store of which every trace can be seen. */
function sandbox() {
  const root = temporaryDirectory();
  const cwd = join(root, "work");
  mkdirSync(cwd);
  const store = join(root, "store");
  const env = { HOLDFAST_STORE: store, HOME: root, TMPDIR: root };
  const written = () => [
    ...readdirSync(root).filter((name) => name !== "work"),
    ...readdirSync(cwd),
  ];
  return { at: { cwd, env }, written };
}
