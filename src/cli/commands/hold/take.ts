import { takePlace } from "../../../keeper/client/take.ts";
import { leasesOf } from "../../../keeper/lease-file.ts";
import { parseDuration } from "../../../lock/duration.ts";
import { LockError } from "../../../lock/errors.ts";
import { quote } from "../../../lock/text.ts";
import type { Command } from "../../command.ts";
import { leaseOf } from "../../find-lease.ts";
import { DEFAULT_TIMEOUT_MS } from "../../run/plan.ts";
import { waitFor } from "./acquire.ts";

export const takeCommand: Command = {
  name: "take",
  summary: "Waits for the turn of a place in line, and takes the lock",
  usage: "[KEY] [--lease FILE] [--timeout D]",
  about: [
    "The place is the one that acquire KEY --join keeps. Prints what acquire prints. The timeout counts from here. A place whose turn does not come in time is given up.",
  ],
  takes: "word",
  options: [
    {
      name: "lease",
      value: "FILE",
      says: "the lease file that acquire --join printed",
      default: "$HOLDFAST_LEASE",
    },
    {
      name: "timeout",
      value: "D",
      says: "how long to wait; 0: not at all, none: without limit",
      default: "30m",
    },
  ],
  examples: [
    {
      line: "holdfast take production && ./deploy.sh; holdfast release production",
      says: "after holdfast acquire production --join and the build",
    },
  ],
  exitCodes: [
    ["0", "acquired"],
    ["1", "not acquired in time, superseded, or there is no place in line"],
    ["2", "bad input or failure"],
    ["128+n", "ended by signal n while waiting; the line is left"],
  ],
  async act(input, io) {
    const text = input.text("timeout");
    const timeout = text === undefined ? DEFAULT_TIMEOUT_MS : parseDuration(text, "timeout");
    const { key, path } = await leaseOf(input, io);
    if (path === null)
      throw new LockError(
        "LOCK_LOST",
        `There is no place in line for ${quote(key)}: holdfast acquire KEY --join makes one.`,
      );
    return waitFor(key, timeout, input, io, async (waiting) => {
      const lease = await takePlace(path, { timeout, ...waiting });
      return { leases: leasesOf(lease), leaseFile: path };
    });
  },
};
