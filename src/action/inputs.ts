import type { Access } from "../keeper/leases.ts";
import { parseDuration } from "../lock/duration.ts";
import { isLockError, LockError } from "../lock/errors.ts";
import { parseKey } from "../lock/key.ts";
import { parseNote, parseOwnerId } from "../lock/owner.ts";
import { enumerated } from "../lock/people/names.ts";
import { parseReclaim, type ReclaimReason } from "../lock/reclaim.ts";
import {
  type LockFormat,
  parseDeadAfter,
  parseFormat,
  parseLine,
  parsePriority,
  parseSlots,
  parseTtl,
  parseWeight,
} from "../lock/request.ts";
import { parseResources } from "../lock/resources.ts";
import type { Line } from "../lock/store.ts";
import { quote, withoutPassword } from "../lock/text.ts";
import { type Purpose, parsePurpose } from "../lock/ttl.ts";
import { schemeOf, tokenIn } from "../stores/open.ts";
import type { StoreOptions } from "../stores/options.ts";
import type { Stage } from "./workflow.ts";

/** Reads an input by name; empty where the step does not set it and it has no default. */
export type ReadInput = (name: string) => string;

/** The step's inputs, checked. Plain JSON: pre saves them, so that post uses the same key. */
export interface Inputs extends Plan {
  /** The first of the keys, as written. */
  readonly key: string;
  /** All of them, each once. */
  readonly keys: readonly string[];
  readonly store: string;
  readonly slots: number;
  readonly weight: number | "all";
  readonly priority: number;
  /** The names of the slots; null: they have none. */
  readonly resources: readonly string[] | null;
  /** Milliseconds; null without limit. */
  readonly timeout: number | null;
  readonly required: boolean;
  readonly onLost: "warn" | "fail";
  readonly ttl: number | null;
  readonly deadAfter: number;
  readonly owner: string | null;
  readonly leg: string;
  readonly purpose: Purpose;
  readonly reclaim: readonly ReclaimReason[];
  readonly note: string;
  readonly format: LockFormat;
  readonly history: HistorySource;
}

/** Where the history of earlier holds is: in the store, in the Actions cache, or not wanted. */
const HISTORY_SOURCES = ["auto", "cache", "off"] as const;
export type HistorySource = (typeof HISTORY_SOURCES)[number];

/** What the step is to do, and when. */
export interface Plan {
  /** Whether it acts before the job's first step, or at the step itself. */
  readonly stage: "pre" | "main" | "line";
  readonly mode: "hold" | "release" | "check";
  readonly until: "job" | "run";
  readonly line: Line;
}

export function parseInputs(read: ReadInput, env: NodeJS.ProcessEnv): Inputs {
  const text = (name: string, fallback: string) => read(name) || fallback;
  const keys = named("key", () => parseKeys(read("key")));
  checkToken(read, env);
  const resources = named("resources", () =>
    read("resources") === "" ? null : parseResources(read("resources")),
  );
  return {
    ...parsePlan(read),
    key: keys[0] as string,
    keys,
    store: openly(storeIn(read, env)),
    slots: named("slots", () => parseSlots(text("slots", String(resources?.length ?? 1)))),
    weight: named("weight", () => parseWeight(text("weight", "1"))),
    priority: named("priority", () => parsePriority(text("priority", "0"))),
    resources,
    timeout: named("timeout", () => parseDuration(text("timeout", "30m"), "timeout")),
    required: named("required", () => flag(read("required"), true)),
    onLost: named("on-lost", () => choice(text("on-lost", "warn"), ["warn", "fail"] as const)),
    ttl: named("ttl", () => (read("ttl") === "" ? null : parseTtl(read("ttl")))),
    deadAfter: named("dead-after", () => parseDeadAfter(text("dead-after", "30s"))),
    owner: named("owner", () => (read("owner") === "" ? null : parseOwnerId(read("owner")))),
    leg: matrixLeg(read("leg")),
    purpose: named("purpose", () => parsePurpose(text("purpose", "automated"))),
    reclaim: named("reclaim", () => parseReclaim(text("reclaim", "expired,dead"))),
    note: named("note", () => parseNote(read("note"))),
    format: named("format", () => parseFormat(text("format", "sema"))),
    history: named("history", () => choice(text("history", "auto"), HISTORY_SOURCES)),
  };
}

/** Each line is a key. Doubles are dropped: a claim would wait for itself. */
function parseKeys(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const keys = [...new Set(lines.filter((line) => line !== ""))];
  return (keys.length === 0 ? [""] : keys).map(parseKey);
}

/** Reads what the step is to do. Throws for inputs that contradict each other. */
export function parsePlan(read: ReadInput): Plan {
  const stage = claimingStage(read);
  const mode = named("mode", () =>
    choice(read("mode") || "hold", ["hold", "release", "check"] as const),
  );
  const until = named("until", () => choice(read("until") || "job", ["job", "run"] as const));
  const line = named("line", () => parseLine(read("line") || "fifo"));
  if (mode === "check" && until === "run") throw contradiction("until: run", mode);
  if (mode !== "hold" && line === "newest") throw contradiction("line: newest", mode);
  if (mode === "hold" && stage === "line" && until === "run")
    throw new LockError(
      "BAD_OPTION",
      "Input stage: a place in line ends with its job, and until: run outlives it: use stage: main to claim a lock of the whole run at the step.",
    );
  // Neither mode has work before the job's first step, and the runner drops outputs of pre.
  return { stage: mode === "hold" ? stage : "main", mode, until, line };
}

/**
 * Whether the lock is claimed before the job's first step, or at the step itself, or both: the place in
 * line before, the lock at the step.
 */
function claimingStage(read: ReadInput): Plan["stage"] {
  return named("stage", () => choice(read("stage") || "pre", ["pre", "main", "line"] as const));
}

function contradiction(input: string, mode: Plan["mode"]): LockError {
  const [name] = input.split(":");
  return new LockError(
    "BAD_OPTION",
    `Input ${name}: ${input} is for a lock that is claimed, and mode: ${mode} claims none: leave one of the two out.`,
  );
}

/** The store as the step names it. It may have a password in it, which only `secretsOf` may use. */
function storeIn(read: ReadInput, env: NodeJS.ProcessEnv): string {
  return read("store") || env.HOLDFAST_STORE || defaultStore(read, env);
}

/** A store without the password that `secretsOf` takes from it; an invalid one stays as it is. */
function openly(store: string): string {
  return tokenIn(store).token === undefined ? store : withoutPassword(store);
}

/**
 * The store of a step that names none. The refs of the job's own repository exclude all runners of
 * it, hosted or not: they are used wherever the runner hands out a token for them.
 */
function defaultStore(read: ReadInput, env: NodeJS.ProcessEnv): string {
  const isForge = read("github-token") && env.GITHUB_SERVER_URL && env.GITHUB_REPOSITORY;
  return isForge ? "github" : "file:";
}

/** The keys of a step for a sentence. */
export function namesOf({ keys }: Pick<Inputs, "keys">): string {
  return enumerated(keys);
}

/** The secrets of the step's inputs, as a store takes them. Masked in the log, and never saved. */
export function secretsOf({ core, env }: Stage): Pick<StoreOptions, "token" | "forgeToken"> {
  const inUrl = tokenIn(storeIn(core.getInput, env)).token;
  const token = inUrl ?? (core.getInput("token") || env.HOLDFAST_TOKEN || "");
  const forgeToken = core.getInput("github-token");
  const secrets = [token, forgeToken, encodeURIComponent(inUrl ?? "")];
  for (const secret of new Set(secrets)) if (secret !== "") core.setSecret(secret);
  return {
    ...(token === "" ? {} : { token }),
    ...(forgeToken === "" ? {} : { forgeToken }),
  };
}

/**
 * What a later stage may send to the store of its lease. The store is the one of the saved state: a
 * step between the stages can change the lease file and the environment, but not that. Where no pre ran,
 * a step can make up the state: so what the inputs have of secrets goes only to the store that they name.
 */
export function accessOf(
  stage: Stage,
  { store, caFile }: { readonly store: string; readonly caFile?: string },
): Access {
  const read = stage.core.getInput;
  const input = read("store") || (read("token") && defaultStore(read, stage.env));
  const options = { ...(caFile && { caFile }), ...secretsOf(stage) };
  return { store, ...(input && { input: openly(input) }), options };
}

/**
 * Throws for a secret input whose store is in the environment. Every step before this one may have
 * written HOLDFAST_STORE there, and the secret would go to its server.
 */
function checkToken(read: ReadInput, env: NodeJS.ProcessEnv): void {
  const fromEnvironment = read("store") === "" ? (env.HOLDFAST_STORE ?? "") : "";
  if (read("token") === "" || fromEnvironment === "" || schemeOf(fromEnvironment) === "file")
    return;
  throw new LockError(
    "BAD_OPTION",
    `Input token: the store ${quote(withoutPassword(fromEnvironment), 120)} is from HOLDFAST_STORE, which every step before this one can set, and a secret input goes only to a store that is an input as well: name it in the input store, or give the secret as HOLDFAST_TOKEN, beside HOLDFAST_STORE.`,
  );
}

function choice<T extends string>(text: string, choices: readonly T[]): T {
  if ((choices as readonly string[]).includes(text)) return text as T;
  throw new LockError("BAD_OPTION", `${quote(text)} is not known: use ${choices.join(" or ")}.`);
}

/** An input as @actions/core reads it: for pre, which needs one before that is loaded. */
export function readInput(env: NodeJS.ProcessEnv, name: string): string {
  return (env[`INPUT_${name.replaceAll(" ", "_").toUpperCase()}`] ?? "").trim();
}

/** Whether the action is turned on; anything but the two words is an error. */
export function isEnabled(read: ReadInput): boolean {
  return named("enabled", () => flag(read("enabled"), true));
}

/** Every sentence begins with the input that it is about. */
function named<T>(name: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!isLockError(error)) throw error;
    throw new LockError(error.code, `Input ${name}: ${error.message}`, { cause: error });
  }
}

function flag(text: string, fallback: boolean): boolean {
  if (text === "") return fallback;
  if (/^(true|True|TRUE)$/.test(text)) return true;
  if (/^(false|False|FALSE)$/.test(text)) return false;
  throw new LockError("BAD_OPTION", `${quote(text)} is neither true nor false.`);
}

/** The leg of a matrix; empty in other jobs. What a runner could not evaluate counts as none. */
function matrixLeg(text: string): string {
  return text === "null" || text.includes("${{") ? "" : text;
}
