import { mkdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import type { Io } from "../../../src/cli/io.ts";
import { holdfast } from "../../../src/cli/program.ts";
import { waitingText } from "../../../src/cli/run/waiting-line.ts";
import { oneSlot } from "../../../src/lock/status.ts";
import type { Holding } from "../../../src/lock/store.ts";
import { jsonText, showable } from "../../../src/lock/text.ts";
import { openStore } from "../../../src/stores/open.ts";
import { runnerCommands } from "../../helpers/cli/runners.ts";
import { temporaryDirectory } from "../../helpers/directories.ts";

const PAYLOADS = [
  "::error::stopped",
  "  ::stop-commands::x",
  "fix ##[add-mask]e",
  "a%0A##[error]b",
  "###[set-env name=PATH;]/evil",
  "x ##vso[task.setvariable variable=PATH]/evil",
  "##VSO[task.complete result=Failed]",
  "##teamcity[buildStop comment='x']",
  "#\u00ad#[add-path]/evil",
  "#\u200d#\u2060vso[task.prependpath]/evil",
  ":\u200b:add-mask::e",
];

test.each(PAYLOADS)("%j is a command to a runner as it stands", (payload) => {
  expect(runnerCommands(payload)).not.toEqual([]);
});

describe("shown text", () => {
  test.each(PAYLOADS)("%j is none", (payload) => {
    expect(runnerCommands(showable(payload))).toEqual([]);
    expect(runnerCommands(`holdfast: ${showable(payload)}`)).toEqual([]);
  });

  test.each(PAYLOADS)("%j is none in JSON, and is read back the same", (payload) => {
    const written = jsonText([{ [payload]: payload }]);
    expect(runnerCommands(written)).toEqual([]);
    expect(JSON.parse(written)).toEqual([{ [payload]: payload }]);
  });

  test("of whatever parts is none", () => {
    const parts = fc.array(
      fc.constantFrom("#", ":", "[", "]", "vso", "teamcity", "error", " ", "\n", "\u200b", "\0"),
    );
    fc.assert(
      fc.property(parts, (pieces) => {
        const text = pieces.join("");
        expect(runnerCommands(showable(text))).toEqual([]);
        expect(runnerCommands(jsonText({ text }))).toEqual([]);
        expect(JSON.parse(jsonText({ text }))).toEqual({ text });
      }),
    );
  });

  test("keeps what is no command", () => {
    for (const text of ["## Heading", "a::b", "std::vector", "#1 [x]", "C##", "[##]"]) {
      expect(showable(text)).toBe(text);
    }
  });
});

/** Everything that a command writes. */
function recorder(directory: string): { io: Io; written: () => string } {
  const texts: string[] = [];
  const output = { write: (text: string) => void texts.push(text), isTerminal: false };
  const stream = { ...output, columns: () => 80 };
  const env = { HOLDFAST_STORE: directory, HOLDFAST_FSYNC: "off", RUNNER_TEMP: directory };
  const io = { stdout: stream, stderr: stream, env, workingDirectory: () => directory };
  return { io, written: () => texts.join("") };
}

const holdings: Holding[] = [];
afterEach(async () => {
  for (const holding of holdings.splice(0)) await holding.release();
});

/** A store in which everything that others can choose is a command. */
async function hostileStore(payload: string): Promise<string> {
  const directory = join(temporaryDirectory(), "locks");
  mkdirSync(directory);
  const key = payload.replaceAll("\0", "");
  const metadata = { run_url: `https://x/${payload}`, actor: payload, workflow: payload };
  const store = await openStore(directory, { user: payload, fsync: false });
  const request = { key, owner: { id: payload, metadata }, note: payload };
  for (let past = 0; past < 4; past++) await (await store.claim(request)).release();
  holdings.push(await store.claim(request));
  return directory;
}

describe.each(PAYLOADS)("with %j as key, owner, note, run address and user", (payload) => {
  const lines: [string, string[]][] = [
    ["status", [payload]],
    ["status", [payload, "--json"]],
    ["list", []],
    ["list", ["--json"]],
    ["history", [payload]],
    ["history", [payload, "--json"]],
    ["verify", [payload, "--fence", "1"]],
    ["verify", [payload, "--fence", "1", "--json"]],
    ["release", [payload]],
    ["release", [payload, "--json"]],
    ["run", [payload, "--timeout", "0", "--json", "--", "true"]],
    ["run", [payload, "--timeout", "300ms", "--", "true"]],
    ["run", [payload, "--slots", "2", "--", "true"]],
    ["clean", ["--dry-run"]],
    ["migrate", [payload]],
    ["migrate", [payload, "--json"]],
    ["break", [payload, "--reason", payload]],
    ["break", [payload, "--reason", payload, "--json"]],
    ["run", [payload, "--", payload]],
    [payload, []],
    ["status", [payload, `--${payload}`]],
    ["status", [payload, "--store", `${payload}://x`]],
    ["help", [payload]],
  ];

  test("no command prints a command", async () => {
    const directory = await hostileStore(payload);
    for (const [name, args] of lines) {
      const { io, written } = recorder(directory);
      await holdfast([name, ...args], io);
      expect(written(), name).not.toBe("");
      expect(runnerCommands(written()), written()).toEqual([]);
    }
  });

  test("no line that is shown while waiting is one", () => {
    const holder = {
      owner: payload,
      since: new Date().toISOString(),
      ttl: null,
      fence: 1,
      ...oneSlot(0),
      pid: null,
      host: payload,
      alive: true,
      reclaimable: null,
      note: payload,
      metadata: { run_url: payload, workflow: payload, repository: payload, actor: payload },
      heartbeat: null,
    };
    const progress = { position: 1, waiting: 1, holders: [holder], trouble: payload };
    expect(runnerCommands(waitingText(payload, progress, Date.now()))).toEqual([]);
  });
});
