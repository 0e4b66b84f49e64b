import { type CommandFacts, KEY_MAY_BE_LEFT_OUT, type Option } from "../facts.ts";

/** What a claim can be told; `acquire` takes the same. */
export const CLAIM_OPTIONS: readonly Option[] = [
  { name: "slots", value: "N", says: "how many may hold the key at once", default: "1" },
  {
    name: "timeout",
    value: "D",
    says: "how long to wait; 0: not at all, none: without limit",
    default: "30m",
  },
  {
    name: "ttl",
    value: "D",
    says: "how long the lock outlives its last refresh, at least 1s",
    default: "by environment and purpose, 24h in CI",
  },
  {
    name: "dead-after",
    value: "D",
    says: "how soon a holder that cannot be seen and is silent counts as dead, at least 1s",
    default: "30s",
  },
  {
    name: "owner",
    value: "O",
    says: "who takes the lock",
    default: "from the CI run, else process and host",
  },
  { name: "note", value: "TEXT", says: "shown to those who wait" },
  { name: "format", value: "F", says: "of lock files: sema or json", default: "sema" },
  {
    name: "reclaim",
    value: "LIST",
    says: "whose lock may be taken over: expired, dead, same-user, higher-privilege, emergency, or none",
    default: "expired,dead",
  },
  {
    name: "purpose",
    value: "P",
    says: "automated, interactive or emergency",
    default: "automated in CI, else interactive",
  },
  {
    name: "environment",
    value: "E",
    says: "ci, container, cloud or local",
    default: "as found",
  },
  {
    name: "user",
    value: "U",
    says: "on whose behalf",
    default: "$HOLDFAST_USER, else the CI's actor, else the system's user",
  },
  {
    name: "stale",
    value: "RULE",
    says: "when a lock of another tool is stale: both (old, and its process gone) or age",
    default: "both",
  },
  {
    name: "stale-timeout",
    value: "D",
    says: "how old it must be for that",
    default: "1h",
  },
];

export const RUN_FACTS: CommandFacts = {
  name: "run",
  summary: "Takes the lock, runs a command, lets go, and exits with the command's code",
  usage: "KEY [options] -- CMD ARGS…",
  about: [
    "Waits its turn in line, and says who is ahead. CMD finds HOLDFAST_KEY, HOLDFAST_FENCE, HOLDFAST_OWNER and HOLDFAST_STORE in its environment. SIGINT, SIGTERM and SIGHUP go to CMD, each once. If the lock is lost, CMD gets SIGTERM, and SIGKILL after the grace.",
    KEY_MAY_BE_LEFT_OUT,
  ],
  takes: "key",
  takesCommand: true,
  options: [
    ...CLAIM_OPTIONS,
    {
      name: "grace",
      value: "D",
      says: "from SIGTERM to SIGKILL where the lock was lost; none: no SIGKILL",
      default: "10s",
    },
  ],
  examples: [
    { line: "holdfast run production -- ./deploy.sh", says: "one deployment at a time" },
    {
      line: "holdfast run gpu --slots 2 --timeout 1h -- make train",
      says: "two at a time, waiting for an hour at most",
    },
    {
      line: "holdfast run nightly --timeout 0 -- ./backup.sh || echo busy",
      says: "now or not at all",
    },
  ],
  exitCodes: [
    ["CMD's own", "it ran under the lock"],
    ["123", "the lock was lost, and CMD was stopped"],
    ["124", "not acquired in time"],
    ["125", "Holdfast failed: bad input, store unreachable"],
    ["126", "CMD cannot be run"],
    ["127", "CMD was not found"],
    ["128+n", "CMD, or a run that still waited, was ended by signal n"],
  ],
};
