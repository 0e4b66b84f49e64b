import { type Released, releaseLease } from "../../../keeper/client/release.ts";
import type { KeyStatus } from "../../../lock/store.ts";
import { jsonText } from "../../../lock/text.ts";
import { environmentOptions } from "../../../stores/options.ts";
import type { Command } from "../../command.ts";
import { withStore } from "../../context.ts";
import { leaseOf } from "../../find-lease.ts";
import type { Io } from "../../io.ts";
import { say, sentence } from "../../output.ts";

export const releaseCommand: Command = {
  name: "release",
  summary: "Releases what a keeper holds",
  usage: "[KEY] [--lease FILE]",
  about: [
    "Without KEY and --lease it takes HOLDFAST_LEASE. With KEY it finds the keeper by the lease files of this user. A lock that is already gone is success.",
  ],
  takes: "word",
  options: [
    {
      name: "lease",
      value: "FILE",
      says: "the lease file that acquire printed",
      default: "$HOLDFAST_LEASE",
    },
  ],
  examples: [
    { line: "holdfast release production", says: "by key" },
    { line: 'holdfast release --lease "$lease"', says: "by the file that acquire printed" },
  ],
  exitCodes: [
    ["0", "released, or already gone"],
    ["1", "by KEY: held by somebody else"],
    ["2", "bad input or failure"],
  ],
  async act(input, io) {
    const found = await leaseOf(input, io);
    if (found.path === null) {
      const status = await withStore(input, io, {}, (store) => store.inspect(found.key));
      return withoutLease(status, input, io);
    }
    const released = await releaseLease(found.path, {
      storeOptions: environmentOptions(io.env),
    });
    const { log: _, ...told } = released;
    if (input.json) io.stdout.write(`${jsonText({ key: found.key, ...told })}\n`);
    if (!input.quiet) say(io, sentenceOf(found.key, released));
    // A lease asks for its own lock alone, which is gone; a key asks for whatever is held under it.
    const byKey = input.key !== "" && input.text("lease") === undefined;
    return byKey && released.outcome === "lost" && released.holder ? 1 : 0;
  },
};

function sentenceOf(key: string, released: Released): string {
  const name = key === "" ? "The lock" : JSON.stringify(key);
  switch (released.outcome) {
    case "released":
      return `${name} was released.`;
    case "already-gone":
      return `${name} was already released.`;
    case "recovered":
      return `${name} was released without its keeper: ${sentence(released.reason)}`;
    case "lost": {
      const now = !released.holder ? "" : ` It is held by ${released.holder}.`;
      return `${name} was already gone: ${sentence(released.reason)}${now}`;
    }
  }
}

/** The answer where no keeper of this user has the key: it is free, or somebody else's. */
function withoutLease(status: KeyStatus, input: { json: boolean; quiet: boolean }, io: Io): number {
  const holder = status.holders.map(({ owner }) => owner).join(", ") || null;
  const outcome = holder === null ? "already-gone" : "not-held";
  if (input.json) io.stdout.write(`${jsonText({ key: status.key, outcome, holder })}\n`);
  const name = JSON.stringify(status.key);
  if (!input.quiet) {
    say(
      io,
      holder === null
        ? `${name} is free: nothing to release.`
        : `${name} is held by ${holder}, not by a keeper of this user: nothing was released.`,
    );
  }
  return holder === null ? 0 : 1;
}
