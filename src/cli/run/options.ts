import { RECLAIM_WORDS } from "../../lock/reclaim.ts";
import { LOCK_FORMATS } from "../../lock/request.ts";
import { ENVIRONMENTS, PURPOSES } from "../../lock/ttl.ts";
import type { Option } from "../command.ts";

/** The options of a claim; `acquire` takes the same. */
export const CLAIM_OPTIONS: readonly Option[] = [
  {
    name: "also",
    value: "KEY",
    says: "another key, as often as wanted: all are held together, or none",
    repeats: true,
  },
  {
    name: "slots",
    value: "N",
    says: "how many may hold the key at once",
    default: "1, or as many as there are resources",
  },
  {
    name: "weight",
    value: "N",
    says: "how many of the slots this claim takes; all: every one of them",
    default: "1",
  },
  {
    name: "priority",
    value: "N",
    says: "-100 to 100: a higher one is served first among those that wait",
    default: "0",
  },
  {
    name: "resources",
    value: "LIST",
    says: "names of the slots, with commas; the command finds its own in HOLDFAST_RESOURCE",
  },
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
  {
    name: "line",
    value: "ORDER",
    says: "fifo, or newest: a newer claim with newest ends this one while it waits",
    default: "fifo",
    choices: ["fifo", "newest"],
  },
  { name: "note", value: "TEXT", says: "shown to everybody who waits" },
  {
    name: "format",
    value: "F",
    says: "of lock files: sema or json",
    default: "sema",
    choices: LOCK_FORMATS,
  },
  {
    name: "reclaim",
    value: "LIST",
    says: "whose lock may be taken over: expired, dead, same-user, higher-privilege, emergency, or none",
    default: "expired,dead",
    choices: RECLAIM_WORDS,
  },
  {
    name: "purpose",
    value: "P",
    says: "automated, interactive or emergency",
    default: "automated in CI, else interactive",
    choices: PURPOSES,
  },
  {
    name: "environment",
    value: "E",
    says: "ci, container, cloud or local",
    default: "as found",
    choices: ENVIRONMENTS,
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
    choices: ["both", "age"],
  },
  {
    name: "stale-timeout",
    value: "D",
    says: "how old it must be for that",
    default: "1h",
  },
];
