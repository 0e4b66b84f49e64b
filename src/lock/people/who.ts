import { ciOwnerId, type Metadata, parseLocalOwnerId } from "../owner.ts";

/** A present or past holder, or a waiter: an owner's id, and what the owner told about itself. */
export interface Party {
  readonly owner: string;
  readonly metadata: Metadata;
}

/**
 * Says who somebody is, as people know it: `Release #128 of acme/shop (main, job deploy), started by
 * ann` for a job, ``ann, `sleep 300`, pid 28044 on vm`` for a terminal. Two runs of one workflow never
 * read alike if anything known tells them apart. An id that somebody chose is always shown.
 */
export function whoIs({ owner, metadata }: Party): string {
  const job = jobWords(owner, metadata);
  if (job !== null) return isMade(owner, metadata) ? job : `${job} (${owner})`;
  return terminalWords(owner, metadata) ?? owner;
}

/** The same with the owner's id, for logs, where somebody may search for it. */
export function nameOf(party: Party): string {
  const { owner, metadata } = party;
  const who = whoIs(party);
  return jobWords(owner, metadata) === null || who.endsWith(`(${owner})`)
    ? who
    : `${who} (${owner})`;
}

/** Says who an owner is if only the id is known: `pid 28044 on vm`. */
export function whoseId(owner: string): string {
  return whoIs({ owner, metadata: {} });
}

/** Whether Holdfast made the id from the run; else somebody chose it. */
function isMade(owner: string, { ci_system }: Metadata): boolean {
  return typeof ci_system === "string" && owner.startsWith(`${ciOwnerId(ci_system)}-`);
}

/** Null where it is not known which workflow or job it is. */
function jobWords(owner: string, metadata: Metadata): string | null {
  const { workflow, repository, actor, job } = metadata;
  const what = workflow || (repository && (job || repository));
  if (!what) return null;
  const where = repository && what !== repository ? ` of ${repository}` : "";
  const more = [placeOf(metadata), what === job ? "" : legOf(owner, metadata)].filter(Boolean);
  const details = more.length === 0 ? "" : ` (${more.join(", ")})`;
  return `${what}${numberOf(metadata)}${where}${details}${actor ? `, started by ${actor}` : ""}`;
}

/** Systems whose run id is no number that their users know. */
const LONG_RUN_IDS: readonly unknown[] = ["github", "gitea", "forgejo"];

/** ` #128`, and the attempt if it is not the first. */
function numberOf({ run_number, run_id, run_attempt, ci_system }: Metadata): string {
  const isKnown = /^\d{1,10}$/.test(String(run_id)) && !LONG_RUN_IDS.includes(ci_system);
  const number = run_number ?? (ci_system !== undefined && isKnown ? run_id : undefined);
  const attempt = Number(run_attempt) > 1 ? `attempt ${run_attempt}` : "";
  if (number === undefined) return attempt && ` ${attempt}`;
  return ` #${number}${attempt && `, ${attempt},`}`;
}

/** `main`, `pull 12`, or a short commit; branch and commit if no number tells two runs of one branch apart. */
function placeOf(metadata: Metadata): string {
  const ref = String(metadata.ref ?? "")
    .replace(/^refs\/pull\/(\d+)\/.*$/, "pull $1")
    .replace(/^refs\/(?:heads|tags)\//, "");
  const commit = String(metadata.sha ?? "").slice(0, 7);
  if (ref === "" || commit === "") return ref || commit;
  return numberOf(metadata).includes("#") ? ref : `${ref} at ${commit}`;
}

/** `job deploy`, and in a matrix the leg, as the end of the owner's id tells it. */
function legOf(owner: string, { job, ci_system, run_id, run_attempt }: Metadata): string {
  if (!job) return "";
  const parts = [run_id, run_attempt, job].map((part) => (part === undefined ? part : `${part}`));
  const start = `${ciOwnerId(String(ci_system), ...parts)}-`;
  return `job ${job}${owner.startsWith(start) ? `-${owner.slice(start.length)}` : ""}`;
}

/** Null where the id is not the one that a terminal has. */
function terminalWords(owner: string, { user_identity, command }: Metadata): string | null {
  const process = parseLocalOwnerId(owner);
  if (process === null) return null;
  const user = user_identity ? `${user_identity}, ` : "";
  const what = command ? `\`${command}\`, ` : "";
  return `${user}${what}pid ${process.pid} on ${process.hostname}`;
}

/** How many words after the program's name are shown. */
const ARGUMENTS_SHOWN = 2;
const WORD_LIMIT = 24;
/** A number, or letters as names of targets, files and directories have them. */
const HARMLESS = /^(?:\d{1,5}|(?:\.{0,2}\/)?[a-z]+(?:[._/-][a-z]+)*)$/i;
const SECRETIVE = /pass|secret|token|login|auth|cred|key/i;

/**
 * A command line for others to read: the program's name, and the plain words that follow it. A command
 * line may hold secrets. So the text ends at the first word that looks like an option, a value or a
 * token; if a word speaks of secrets, only the program is shown.
 */
export function commandWords(commandLine: readonly string[]): string {
  const [program = "", ...rest] = commandLine;
  const name = program.split(/[/\\]/).at(-1) ?? "";
  // A first word that does not look like a name may hold a secret: `sh -c` and a script in one word.
  if (!/^[\w.+-]{1,40}$/.test(name)) return "a command";
  const stop = rest.findIndex((word) => word.length > WORD_LIMIT || !HARMLESS.test(word));
  const plain = rest.slice(0, stop === -1 ? rest.length : stop).slice(0, ARGUMENTS_SHOWN);
  const shown = commandLine.some((word) => SECRETIVE.test(word)) ? [] : plain;
  return [name, ...shown, ...(shown.length < rest.length ? ["…"] : [])].join(" ");
}
