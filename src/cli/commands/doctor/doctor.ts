import { checkHostedRunner } from "../../../ci/index.ts";
import { runOf } from "../../../ci/run.ts";
import { isBadInput, isLockError, type LockError } from "../../../lock/errors.ts";
import type { KeyStatus } from "../../../lock/status.ts";
import type { Store } from "../../../lock/store.ts";
import { jsonText } from "../../../lock/text.ts";
import { NEVER } from "../../../lock/time.ts";
import { checkNode } from "../../../machine/programs.ts";
import type { Command, Input } from "../../command.ts";
import { openNamedStore, whoCalls, withForge } from "../../context.ts";
import type { Io } from "../../io.ts";
import { screenOf } from "../../screen.ts";
import { type Finding, failed, findingsText } from "./finding.ts";
import { stuckIn } from "./stuck.ts";
import { tryStore } from "./trial.ts";

export const doctorCommand: Command = {
  name: "doctor",
  summary: "Tells what is wrong here, line by line, and what to do about it",
  usage: "[--store URL] [--github-app FILE]",
  about: [
    "Looks at Node, the store (can it be reached, may this user write there), the clock, who this command is, and what is stuck: holders that are gone, stopped or far over their usual time, frozen keys, lock files that cannot be read.",
    "It leaves nothing behind in a directory or a repository; on a server it claims and releases the key holdfast-doctor.",
    "With --github-app it also asks GitHub about the App of that file: whether it takes the private key, what the App may do, how the webhook was last answered, where the App is installed, and which of the file's environments ask it. It changes nothing there.",
  ],
  takes: "nothing",
  options: [
    {
      name: "github-app",
      value: "FILE",
      says: "also look at the GitHub App of a server's --github-app FILE",
    },
  ],
  examples: [
    { line: "holdfast doctor", says: "before the first lock, and when one does not come" },
    { line: "holdfast doctor --store github --json", says: "for a script" },
    { line: "holdfast doctor --github-app gate.json", says: "when a gate is set up" },
  ],
  exitCodes: [
    ["0", "all is well"],
    ["1", "there is something to do"],
    ["2", "bad input or failure"],
  ],
  async act(input, io) {
    const { store, found } = await storeFindings(input, io);
    const findings = [nodeFinding(), identityFinding(io), ...found, ...(await gateFindings(input))];
    const ok = findings.every((finding) => finding.ok !== false);
    if (input.json) io.stdout.write(`${jsonText({ store, ok, findings })}\n`);
    else if (!input.quiet) io.stdout.write(findingsText(findings, screenOf(io.stdout, io.env)));
    return ok ? 0 : 1;
  },
};

/** The gate's code, and the library that signs its tokens, are loaded only where they are asked for. */
async function gateFindings(input: Input): Promise<readonly Finding[]> {
  const file = input.text("github-app");
  if (file === undefined) return [];
  const { appFindings } = await import("./app.ts");
  return appFindings(file);
}

function nodeFinding(): Finding {
  try {
    checkNode();
    return { about: "node", ok: true, says: `${process.versions.node} (${process.execPath})` };
  } catch (error) {
    return failed("node", error as LockError);
  }
}

function identityFinding(io: Io): Finding {
  const { owner, system, user, environment, purpose } = whoCalls(io);
  const run = runOf(io.env);
  const where = system === null ? "no CI system is recognised" : `a job of ${system}`;
  const whole = run === null ? "" : `, run ${run.id}`;
  const says = `${owner.id}, user ${user}, ${where}${whole} (${environment}, ${purpose})`;
  return { about: "identity", ok: true, says };
}

async function storeFindings(
  input: Input,
  io: Io,
): Promise<{ readonly store: string; readonly found: readonly Finding[] }> {
  const store = await openNamedStore(input, io, await withForge(input, io, {}, NEVER));
  try {
    const found = await listed(store);
    if (!Array.isArray(found)) {
      const skipped = { ok: null, says: "not looked at, since the store cannot be used" };
      const others = ["write", "clock", "stuck"].map((about) => ({ about, ...skipped }));
      return { store: store.url, found: [failed("store", found), ...others] };
    }
    const findings = [
      storeFinding(store, found, input, io),
      ...(await tryStore(store, io)),
      ...(await stuckIn(store, found, input)),
    ];
    return { store: store.url, found: findings };
  } finally {
    await store.close();
  }
}

/** What the store says about its keys, or why it does not answer. A bad URL is bad input, as in every command. */
async function listed(store: Store): Promise<KeyStatus[] | LockError> {
  try {
    return await store.list();
  } catch (error) {
    if (isLockError(error) && !isBadInput(error)) return error;
    throw error;
  }
}

const EXCLUDES = {
  machine: "all processes of this machine",
  filesystem: "all machines that mount this filesystem",
  network: "everybody who uses this store, on any machine",
};

function storeFinding(store: Store, found: readonly KeyStatus[], input: Input, io: Io): Finding {
  const { fair, fenced, scope } = store.promises;
  const held = found.filter(({ holders }) => holders.length > 0).length;
  const limits = [fair ? "" : ", not fair", fenced ? "" : ", without fences"].join("");
  const says = `${store.url} answers; a lock there excludes ${EXCLUDES[scope]}${limits}; ${held} held`;
  try {
    const wasNamed = input.storeWasNamed || Boolean(io.env.HOLDFAST_STORE);
    const warning = checkHostedRunner(io.env, store, wasNamed);
    return warning === null
      ? { about: "store", ok: true, says }
      : { about: "store", ok: false, says: warning };
  } catch (error) {
    if (isLockError(error)) return failed("store", error);
    throw error;
  }
}
