import { type Released, releaseLease } from "../../../keeper/client/release.ts";
import { leasesOf } from "../../../keeper/lease-file.ts";
import { enumerated } from "../../../lock/people/names.ts";
import { whoIs } from "../../../lock/people/who.ts";
import type { KeyStatus } from "../../../lock/status.ts";
import { jsonText } from "../../../lock/text.ts";
import type { Command } from "../../command.ts";
import { accessOfLease, withStore } from "../../context.ts";
import { type FoundLease, leaseOf } from "../../find-lease.ts";
import type { Io } from "../../io.ts";
import { say, sentence } from "../../output.ts";
import { releaseOfRun } from "./for-run.ts";

export const releaseCommand: Command = {
  name: "release",
  summary: "Releases what a keeper holds",
  usage: "[KEY] [--lease FILE | --run]",
  about: [
    "Without KEY and --lease it takes HOLDFAST_LEASE. A place that acquire --join keeps is left. With KEY it finds the keeper by the lease files of this user. A lock that is already gone is success.",
    "With --run it releases what this CI run holds since acquire KEY --until run or until: run, whichever of its jobs claimed it.",
  ],
  takes: "word",
  options: [
    {
      name: "lease",
      value: "FILE",
      says: "the lease file that acquire printed",
      default: "$HOLDFAST_LEASE",
    },
    { name: "run", says: "what this CI run holds, whichever of its jobs claimed it" },
  ],
  examples: [
    { line: "holdfast release production", says: "by key" },
    { line: 'holdfast release --lease "$lease"', says: "by the file that acquire printed" },
    { line: "holdfast release production --run", says: "at the end of a workflow's last job" },
  ],
  exitCodes: [
    ["0", "released, or already gone"],
    ["1", "by KEY: held by somebody else; with --run: by another run or a single job"],
    ["2", "bad input or failure"],
  ],
  async act(input, io) {
    if (input.flag("run")) return releaseOfRun(input, io);
    const found = await leaseOf(input, io);
    if (found.path === null) {
      const status = await withStore(input, io, {}, (store) => store.inspect(found.key));
      return withoutLease(status, input, io);
    }
    const isPlace = found.lease?.state === "waiting";
    const released = await releaseLease(found.path, {
      access: await accessOfLease(found.lease?.store, input, io),
    });
    if (input.json) {
      const { outcome } = released;
      const reason = "reason" in released ? released.reason : null;
      const holder = "holder" in released ? (released.holder ?? null) : null;
      const { key, store } = found;
      io.stdout.write(`${jsonText({ key, store, outcome, reason, holder })}\n`);
    }
    if (!input.quiet) say(io, isPlace ? leftLine(found, released) : sentenceOf(found, released));
    // A lease means its own lock alone, which is gone; a key means any lock under that key.
    const byKey = input.key !== "" && input.text("lease") === undefined;
    return byKey && released.outcome === "lost" && released.holder ? 1 : 0;
  },
};

/** A place in line was given up: nothing was held. */
function leftLine({ lease }: FoundLease, { outcome }: Released): string {
  const keys = lease === null ? [] : leasesOf(lease).map((each) => JSON.stringify(each.key));
  const was = outcome === "released" ? "has left" : "was no longer in";
  return `The claim of ${enumerated(keys)} ${was} the line.`;
}

/** The key and its verb, or all keys that were claimed and are released together. */
function namesOf({ key, lease }: FoundLease): string {
  const keys = lease === null ? [key] : leasesOf(lease).map((each) => each.key);
  const names = keys.map((each) => (each === "" ? "The lock" : JSON.stringify(each)));
  return `${enumerated(names)} ${keys.length === 1 ? "was" : "were"}`;
}

function sentenceOf(found: FoundLease, released: Released): string {
  const names = namesOf(found);
  const key = "key" in released ? (released.key ?? found.key) : found.key;
  switch (released.outcome) {
    case "released":
      return `${names} released.`;
    case "already-gone":
      return `${names} already released.`;
    case "recovered":
      return `${names} released without a keeper: ${sentence(released.reason, key)}`;
    case "lost": {
      const now = !released.who ? "" : ` It is held by ${released.who}.`;
      const gone = released.key === undefined ? names : `${JSON.stringify(released.key)} was`;
      return `${gone} already gone: ${sentence(released.reason, key)}${now}`;
    }
  }
}

/** The answer if no keeper of this user has the key: it is free, or somebody else holds it. */
function withoutLease(status: KeyStatus, input: { json: boolean; quiet: boolean }, io: Io): number {
  const holder = status.holders.map(({ owner }) => owner).join(", ") || null;
  const outcome = holder === null ? "already-gone" : "not-held";
  const { key, store } = status;
  if (input.json) io.stdout.write(`${jsonText({ key, store, outcome, reason: null, holder })}\n`);
  const name = JSON.stringify(status.key);
  if (!input.quiet) {
    say(
      io,
      holder === null
        ? `${name} is free: nothing to release.`
        : `${name} is held by ${status.holders.map(whoIs).join(", ")}, not by a keeper of this user: nothing was released.`,
    );
  }
  return holder === null ? 0 : 1;
}
