import { parseDuration } from "../../lock/duration.ts";
import { LockError } from "../../lock/errors.ts";
import { parseNote } from "../../lock/owner.ts";
import { commandWords } from "../../lock/people/who.ts";
import { parseReclaim } from "../../lock/reclaim.ts";
import {
  parseDeadAfter,
  parseFormat,
  parseLine,
  parsePriority,
  parseSlots,
  parseTtl,
  parseWeight,
} from "../../lock/request.ts";
import { parseResources } from "../../lock/resources.ts";
import type { ClaimRequest } from "../../lock/store.ts";
import { quote } from "../../lock/text.ts";
import { parseEnvironment, parsePurpose } from "../../lock/ttl.ts";
import type { StoreOptions } from "../../stores/options.ts";
import type { Input } from "../command.ts";
import { staleTimeoutOf, whoCalls } from "../context.ts";
import type { Io } from "../io.ts";

export const DEFAULT_TIMEOUT_MS = 30 * 60_000;
/** The default grace: long enough for a deployment to write down where it stopped. */
const DEFAULT_GRACE_MS = 10_000;

/** What a command line says about a claim, checked before anything is touched. */
export interface ClaimPlan {
  /** Of the first key. */
  readonly request: ClaimRequest;
  /** All keys, the first one among them, as they were written. */
  readonly keys: readonly string[];
  readonly storeOptions: StoreOptions;
  /** Milliseconds; null: without limit. */
  readonly timeout: number | null;
}

/** Everything that the command line of `run` says. */
export interface Plan extends ClaimPlan {
  readonly grace: number | null;
  readonly commandLine: readonly string[];
}

export function planOf(input: Input, io: Io): Plan {
  const { commandLine } = input;
  if (commandLine.length === 0 || commandLine[0] === "") {
    throw new LockError(
      "BAD_COMMAND",
      "The command is missing: write it after --, as in holdfast run production -- ./deploy.sh.",
    );
  }
  const given = givenIn(input)("grace", (text) => parseDuration(text, "grace"));
  const grace = given === undefined ? DEFAULT_GRACE_MS : given;
  const plan = claimPlanOf(input, io);
  const request = grace === null ? plan.request : { ...plan.request, grace };
  return { ...plan, request, grace, commandLine };
}

/** Parses an option where it was given. */
function givenIn(input: Input) {
  return <T>(name: string, parse: (text: string) => T): T | undefined => {
    const text = input.text(name);
    return text === undefined ? undefined : parse(text);
  };
}

/** `pid`: the process that the owner is named after outside CI. */
export function claimPlanOf(input: Input, io: Io, pid = process.pid): ClaimPlan {
  const given = givenIn(input);
  const identity = whoCalls(io, pid, {
    owner: input.text("owner"),
    user: input.text("user"),
    purpose: given("purpose", parsePurpose),
    environment: given("environment", parseEnvironment),
    command: input.commandLine.length === 0 ? undefined : commandWords(input.commandLine),
  });
  const request = {
    slots: given("slots", parseSlots),
    weight: given("weight", parseWeight),
    priority: given("priority", parsePriority),
    resources: given("resources", parseResources),
    ttl: given("ttl", parseTtl),
    deadAfter: given("dead-after", parseDeadAfter),
    note: given("note", parseNote),
    reclaim: given("reclaim", parseReclaim),
    line: given("line", parseLine),
  };
  const storeOptions = {
    format: given("format", parseFormat),
    stale: given("stale", parseStale),
  };
  const timeout = given("timeout", (text) => parseDuration(text, "timeout"));
  return {
    request: { key: input.key, owner: identity.owner, ...defined(request) },
    keys: [input.key, ...input.texts("also")],
    storeOptions: { user: identity.user, ...defined(storeOptions), ...staleTimeoutOf(input) },
    timeout: timeout === undefined ? DEFAULT_TIMEOUT_MS : timeout,
  };
}

/** The requests of all keys: they differ in nothing else. */
export function requestsOf({ request, keys }: ClaimPlan): ClaimRequest[] {
  return keys.map((key) => ({ ...request, key }));
}

function parseStale(text: string): "both" | "age" {
  if (text === "both" || text === "age") return text;
  throw new LockError("BAD_OPTION", `The stale rule ${quote(text)} is not known: use both or age.`);
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Leaves out options that were not given, so that each default is stated in one place. */
function defined<T extends object>(fields: T): Given<T> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Given<T>;
}
