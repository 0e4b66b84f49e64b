import { parseDuration } from "../lock/duration.ts";
import { isLockError, LockError } from "../lock/errors.ts";
import { parseKey } from "../lock/key.ts";
import { parseNote, parseOwnerId } from "../lock/owner.ts";
import { parseReclaim, type ReclaimReason } from "../lock/reclaim.ts";
import {
  type LockFormat,
  parseDeadAfter,
  parseFormat,
  parseSlots,
  parseTtl,
} from "../lock/request.ts";
import { quote } from "../lock/text.ts";
import { type Purpose, parsePurpose } from "../lock/ttl.ts";
import type { StoreOptions } from "../stores/options.ts";
import type { Stage } from "./workflow.ts";

/** Reads an input by name; empty where the step does not set it and it has no default. */
export type ReadInput = (name: string) => string;

/** The step's inputs, checked. Plain JSON: pre saves them, so that post cannot disagree about the key. */
export interface Inputs {
  readonly key: string;
  readonly store: string;
  readonly slots: number;
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

/** Where the memory of earlier holds is: in the store, in the Actions cache, or not wanted. */
export const HISTORY_SOURCES = ["auto", "cache", "off"] as const;
export type HistorySource = (typeof HISTORY_SOURCES)[number];

export function parseInputs(read: ReadInput, env: NodeJS.ProcessEnv): Inputs {
  const text = (name: string, fallback: string) => read(name) || fallback;
  return {
    key: named("key", () => parseKey(read("key"))),
    store: read("store") || env.HOLDFAST_STORE || defaultStore(read, env),
    slots: named("slots", () => parseSlots(text("slots", "1"))),
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

/**
 * The store of a step that names none. The refs of the job's own repository lock out every runner of
 * it, hosted or not: they are used wherever the runner hands out a token for them.
 */
function defaultStore(read: ReadInput, env: NodeJS.ProcessEnv): string {
  const isForge = read("github-token") && env.GITHUB_SERVER_URL && env.GITHUB_REPOSITORY;
  return isForge ? "github" : "file:";
}

/** The secrets of the step's inputs, as a store takes them. Masked in the log, and never saved. */
export function secretsOf({ core, env }: Stage): Pick<StoreOptions, "token" | "forgeToken"> {
  const token = core.getInput("token") || env.HOLDFAST_TOKEN || "";
  const forgeToken = core.getInput("github-token");
  for (const secret of [token, forgeToken]) if (secret !== "") core.setSecret(secret);
  return {
    ...(token === "" ? {} : { token }),
    ...(forgeToken === "" ? {} : { forgeToken }),
  };
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

/** Whether the lock is claimed before the job's first step, or at the step itself. */
export function claimingStage(read: ReadInput): "pre" | "main" {
  return named("stage", () => choice(read("stage") || "pre", ["pre", "main"] as const));
}

/** The inputs that decide what is locked, as the workflow gave them. */
export type SeenInputs = Readonly<Record<(typeof DECIDING)[number], string>>;
const DECIDING = ["key", "store", "slots", "enabled"] as const;

/** The deciding inputs as this stage sees them. */
export function seenInputs(read: ReadInput): SeenInputs {
  const [key, store, slots, enabled] = DECIDING.map(read) as [string, string, string, string];
  return { key, store, slots, enabled };
}

/**
 * Throws where main sees another deciding input than pre did. An expression over an earlier step is
 * empty before that step has run: the job would go on behind the wrong lock, or none.
 */
export function checkSeenInputs(inPre: SeenInputs, read: ReadInput): void {
  const now = seenInputs(read);
  const changed = DECIDING.find((name) => now[name] !== inPre[name]);
  if (changed === undefined) return;
  throw new LockError(
    "BAD_OPTION",
    `Input ${changed} is ${quote(now[changed])} at this step and was ${quote(inPre[changed])} before the job's first step, when the lock was claimed: with an input that depends on an earlier step, set stage: main.`,
  );
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
