import { readFile } from "node:fs/promises";
import { LockError, messageOf } from "../../lock/errors.ts";
import { counted } from "../../lock/people/names.ts";
import { jsonText, quote, showable } from "../../lock/text.ts";
import { systemClock } from "../../lock/time.ts";
import type { Identity, Policy, Right, Verdict } from "../../server/identity/policy.ts";
import type { Command, Input } from "../command.ts";
import type { Io } from "../io.ts";

export const policyCommand: Command = {
  name: "policy",
  summary: "Checks the file of a server's --policy, and what it lets a token do",
  usage: "check FILE [--token FILE] [--key KEY] [--unsigned]",
  about: [
    "Without --token it only says whether the file is sound. With one it says which rule lets the token do what; the token is not used up by that.",
  ],
  takes: "paths",
  usesStore: false,
  options: [
    { name: "token", value: "FILE", says: "an ID token; its issuer is asked for its keys" },
    { name: "key", value: "KEY", says: "the key that the question is about", default: "any" },
    { name: "unsigned", says: "do not check the token's signature and times" },
  ],
  examples: [
    { line: "holdfast policy check policy.json", says: "is it sound?" },
    {
      line: "holdfast policy check policy.json --token token.txt --key production",
      says: "what may this job do?",
    },
  ],
  exitCodes: [
    ["0", "sound; with a token: a rule allows something"],
    ["1", "sound, but the token is refused, or no rule allows it anything"],
    ["2", "bad input or failure"],
  ],
  async act(input, io) {
    const [word, file, ...rest] = input.words;
    if (word !== "check" || file === undefined || rest.length > 0) {
      throw new LockError("BAD_COMMAND", "Say what is checked: holdfast policy check FILE.");
    }
    // The library that checks tokens is loaded only here.
    const { readPolicy } = await import("../../server/identity/identities.ts");
    const { TokenRefused } = await import("../../server/identity/refusal.ts");
    const { policy, verifier } = await readPolicy(file, systemClock, null);
    const tokenFile = input.text("token");
    if (tokenFile === undefined) {
      if (input.text("key") !== undefined || input.flag("unsigned")) {
        throw new LockError("BAD_OPTION", "The options --key and --unsigned need --token FILE.");
      }
      tellPolicy(policy, file, input, io);
      return 0;
    }
    const token = await readToken(tokenFile);
    const identity = await verifier.look(token, !input.flag("unsigned")).catch((error) => {
      if (error instanceof TokenRefused) return error.message;
      throw error;
    });
    return tellToken(policy, file, identity, input, io);
  },
};

async function readToken(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    throw new LockError(
      "BAD_OPTION",
      `The file ${quote(file, 200)} of --token cannot be read: ${messageOf(error)}.`,
      { cause: error },
    );
  }
}

function tellPolicy(
  { issuers, rules, warnings }: Policy,
  file: string,
  input: Input,
  io: Io,
): void {
  const names = issuers.map(({ name }) => name);
  if (input.json) {
    const told = { file, issuers: names, rules: rules.length, warnings };
    io.stdout.write(`${jsonText(told)}\n`);
    return;
  }
  for (const warning of warnings) io.stderr.write(`holdfast: ${showable(warning)}\n`);
  if (input.quiet) return;
  io.stdout.write(
    showable(`${file} is sound: ${counted(rules.length, "rule")} for ${names.join(", ")}`),
  );
  io.stdout.write("\n");
}

/** `identity`: who the token is, or why it is refused. */
function tellToken(
  policy: Policy,
  file: string,
  identity: Identity | string,
  input: Input,
  io: Io,
): number {
  const key = input.text("key") ?? null;
  const verdicts: Partial<Record<Right, Verdict>> =
    typeof identity === "string" ? {} : policy.verdicts(identity, key);
  const isAllowed = Object.values(verdicts).some(({ allowed }) => allowed);
  const refused = typeof identity === "string" ? identity : null;
  const warnings = input.flag("unsigned") ? ["The token's signature was not checked."] : [];
  if (input.json) {
    const told = { file, key, refused, verdicts, warnings };
    io.stdout.write(`${jsonText(told)}\n`);
    return isAllowed ? 0 : 1;
  }
  const lines = [
    ...(refused === null ? [] : [`the token is refused: ${refused}`]),
    ...Object.entries(verdicts).map(([right, verdict]) => `${right}: ${words(verdict)}`),
  ];
  if (!input.quiet) for (const line of lines) io.stdout.write(`${showable(line)}\n`);
  for (const warning of warnings) io.stderr.write(`holdfast: ${warning}\n`);
  return isAllowed ? 0 : 1;
}

function words(verdict: Verdict): string {
  return verdict.allowed ? `yes, by rule ${verdict.rule}` : `no, ${verdict.detail}`;
}
