import { readFileSync } from "node:fs";
import { STATUS_CODES } from "node:http";
import { LockError } from "../../../lock/errors.ts";
import { quote, shellWord } from "../../../lock/text.ts";
import { saidBy, unreachable } from "../../remote/trouble.ts";
import type { GitAddress } from "./address.ts";

/**
 * What a forge's refusals mean and what to do about them, each in one sentence: a new user meets them on the
 * first day, and "permission denied" helps nobody.
 */
export interface Asker {
  readonly address: GitAddress;
  readonly hasToken: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Servers' words for what is not allowed. They are looked for first: a rule's name may hold any word. */
const RULE =
  /declined|denied|deny|protected|prohibit|not allowed|permission|forbid|hidden|funny|unpack|read.?only|archived|quota|restrict|violat/i;
/** Servers' words for a ref that was not where the push said it is. */
const RACE =
  /failed to (update|write|lock)|lock|stale|old (value|id)|already exists|does not exist|changed|fetch first|missing necessary objects|bad pack/i;

/** Why a push was refused. "chain": the server wants each state to follow the one before. */
export function causeOf(reason: string): "rule" | "chain" | "race" | "unclear" {
  if (/fast.?forward/i.test(reason)) return "chain";
  if (RULE.test(reason)) return "rule";
  return RACE.test(reason) ? "race" : "unclear";
}

const YAML = "permissions:\n  contents: write";

function refused(sentence: string): LockError {
  return new LockError("STORE_REFUSED", sentence);
}

/** A status below 500 in place of an answer. `words`: what the server said, without secrets. */
export function refusedBy(status: number, words: string, asker: Asker): LockError {
  const { address, hasToken } = asker;
  switch (status) {
    case 401:
      return hasToken ? tokenRefused(words, asker) : tokenWanted(asker);
    case 403:
      return hasToken ? mayNotWrite(said(403, words), asker) : tokenWanted(asker);
    case 404:
    case 410:
      return noRepository(said(status, words), asker);
    case 407:
      return refused(
        `The git server of ${address.shown} is asked through a proxy that wants a user and a password (407): write them into the proxy's URL.`,
      );
    default:
      return refused(
        `The git server of ${address.shown} refuses the request (${said(status, words)}): check the store's URL.`,
      );
  }
}

/** The server took the push and said no: a hook, a rule, or the token's rights. */
export function pushRefused(reason: string, words: string, asker: Asker): LockError {
  const told = said(200, [reason, words].filter((each) => each.trim() !== "").join(": "));
  const what = told.replace(/^200, /, "");
  if (asker.address.isForge) return mayNotWrite(what, asker);
  const { shown, prefix } = asker.address;
  return refused(
    `The git server of ${shown} does not let the refs in ${prefix} be written (${what}): give the user of the token the right to push there, or name another place with ?ref=refs/heads/locks/.`,
  );
}

function mayNotWrite(what: string, asker: Asker): LockError {
  const { address, env } = asker;
  const { shown } = address;
  if (!address.isForge) {
    return refused(
      `The git server of ${shown} does not let this token write (${what}): give its user the right to push, and see that the server takes pushes over HTTP (git config http.receivepack true).`,
    );
  }
  const head = forkOf(env);
  if (head !== null) {
    return refused(
      `No lock can be taken in ${shown} by a pull request from a fork (${head}): its token may only read (${what}). Leave the step out there with: if: github.event.pull_request.head.repo.full_name == github.repository`,
    );
  }
  const other =
    env.GITHUB_REPOSITORY === undefined || isOwnRepository(asker)
      ? ""
      : ` A job's token is for its own repository ${env.GITHUB_REPOSITORY} alone: for another, give a token that may write there in HOLDFAST_TOKEN.`;
  return refused(
    `The token may not write to ${shown} (${what}): add these lines to the job in the workflow file.${other}\n${YAML}`,
  );
}

function noRepository(what: string, asker: Asker): LockError {
  const { address, env } = asker;
  const advice =
    address.isForge && env.GITHUB_ACTIONS !== undefined && isOwnRepository(asker)
      ? `check the name, and where the workflow file has permissions, add these lines to the job:\n${YAML}`
      : "check the name; where it is right, give a token that may see it in HOLDFAST_TOKEN.";
  return refused(
    `There is no repository at ${address.shown}, or the token has no right to see it (${what}): ${advice}`,
  );
}

function tokenRefused(words: string, { address }: Asker): LockError {
  const life = address.isForge
    ? "a job's token ends when its job is over or cancelled, and after 24 hours (6 on hosted runners, 1 for an app's token): a longer job needs a token of its own in the action's token input or HOLDFAST_TOKEN"
    : "look at its end and its user's name";
  return refused(
    `The git server of ${address.shown} does not accept the token (${said(401, words)}): it is wrong, expired or was revoked; ${life}.`,
  );
}

function tokenWanted({ address }: Asker): LockError {
  const how = address.isForge
    ? "give one in HOLDFAST_TOKEN, GITHUB_TOKEN or GH_TOKEN, or in the action's github-token input"
    : "give it in HOLDFAST_TOKEN, as user:password or as the token alone";
  return refused(`The git server of ${address.shown} asks for a token: ${how}.`);
}

function isOwnRepository({ address, env }: Asker): boolean {
  return (
    address.path.toLowerCase().endsWith(`/${env.GITHUB_REPOSITORY?.toLowerCase()}.git`) ||
    address.path.toLowerCase().endsWith(`/${env.GITHUB_REPOSITORY?.toLowerCase()}`)
  );
}

/**
 * The repository that a pull request comes from, if it is another than this one. Workflows of
 * `pull_request_target` run with the base's own token: for them it is null.
 */
function forkOf(env: Asker["env"]): string | null {
  const event = env.GITHUB_EVENT_NAME ?? "";
  if (!event.startsWith("pull_request") || event === "pull_request_target") return null;
  try {
    const payload = JSON.parse(readFileSync(env.GITHUB_EVENT_PATH ?? "", "utf8"));
    const { head, base } = payload.pull_request;
    const own = env.GITHUB_REPOSITORY ?? base.repo.full_name;
    // The fork may be gone by now.
    if (head.repo === null) return "which was deleted";
    return head.repo.full_name === own ? null : quote(String(head.repo.full_name));
  } catch {
    return null;
  }
}

/** A passing trouble of the server's own. */
export function troubled(address: GitAddress, status: number, words: string): LockError {
  return unreachable(
    address,
    `cannot answer just now (${said(status, words)}): it, or the proxy before it, has a problem; try again later`,
  );
}

/**
 * git's program there was stopped in the middle. A server without version 2 of the protocol ends its answer like
 * this too.
 */
export function halfAnswered(address: GitAddress, what: string): LockError {
  return unreachable(
    address,
    `did not answer to the end (${what}): try again later; it must know git's protocol version 2, as git does since 2.18`,
  );
}

/** It answers, but not as git does. */
export function notGit(address: GitAddress, what: string): LockError {
  return refused(
    `The server of ${address.shown} does not answer as a git server does (${what}): check host and path; it must know git's protocol version 2, as git does since 2.18.`,
  );
}

export function otherIds(address: GitAddress): LockError {
  return refused(
    `The repository of ${address.shown} names its objects by SHA-256, and the locks need one with SHA-1: use another repository, made with git init --object-format=sha1.`,
  );
}

/** The ref of a key cannot be made beside another ref, which is not Holdfast's. */
export function inTheWay(
  { shown, origin, path }: GitAddress,
  ref: string,
  other: string,
): LockError {
  return refused(
    `The ref ${ref} of the key cannot be made in ${shown}, since ${quote(other, 200)} is there, and git has no ref below another: if nobody needs that one, delete it with git push ${shellWord(`${origin}${path}`)} --delete ${shellWord(other)}.`,
  );
}

/** `403, "the server's own words"`. */
function said(status: number, words: string): string {
  const shown = words.trim() || (STATUS_CODES[status] ?? "");
  return shown === "" ? String(status) : `${status}, ${saidBy(shown)}`;
}
