import { type Verified, verifyLease } from "../../../keeper/client/verify.ts";
import { leasesOf } from "../../../keeper/lease-file.ts";
import { LockError } from "../../../lock/errors.ts";
import { whoIs } from "../../../lock/people/who.ts";
import { jsonText, quote } from "../../../lock/text.ts";
import type { Command, Input } from "../../command.ts";
import { accessOfLease, withStore } from "../../context.ts";
import { leaseOf } from "../../find-lease.ts";
import type { Io } from "../../io.ts";
import { say, sentence } from "../../output.ts";

export const verifyCommand: Command = {
  name: "verify",
  summary: "Tells whether the lock is still held, by this lease",
  usage: "[KEY] [--lease FILE] [--fence N]",
  about: [
    "Asks the store. It takes the lease (with --fence both must hold), else KEY with --fence, else HOLDFAST_KEY and HOLDFAST_FENCE, which run and the action set. Put it before the step that must not run twice.",
  ],
  takes: "word",
  options: [
    {
      name: "lease",
      value: "FILE",
      says: "the lease file that acquire printed",
      default: "$HOLDFAST_LEASE",
    },
    {
      name: "fence",
      value: "N",
      says: "the fencing number of the grant that is meant",
      default: "$HOLDFAST_FENCE",
    },
  ],
  examples: [
    {
      line: "holdfast verify && ./switch-traffic.sh",
      says: "in a step of the action, or under run",
    },
    { line: 'holdfast verify production --fence "$HOLDFAST_FENCE"', says: "by key and fence" },
  ],
  exitCodes: [
    ["0", "held"],
    ["1", "not held: lost, released, or somebody else's"],
    ["2", "bad input or failure"],
  ],
  async act(input, io) {
    const { key, store, verified, by = "" } = await verify(input, io);
    const { held, reason } = verified;
    if (input.json) io.stdout.write(`${jsonText({ key, store, held, reason })}\n`);
    const name = key === "" ? "The lock" : JSON.stringify(key);
    if (!input.quiet)
      say(
        io,
        verified.held
          ? `${name} is held.`
          : `${name} is not held${by}: ${sentence(verified.reason ?? "", key)}`,
      );
    return verified.held ? 0 : 1;
  },
};

interface Answer {
  readonly key: string;
  /** Null where there is no lease that names it. */
  readonly store: string | null;
  readonly verified: Verified;
  /** Whose lock was meant, since another claim may hold the key: ` by this lease`. */
  readonly by?: string;
}

async function verify(input: Input, io: Io): Promise<Answer> {
  const text = input.text("fence");
  const fence = text === undefined ? null : parseFence(text);
  const byLease =
    input.text("lease") !== undefined ||
    (input.key === "" && fence === null && Boolean(io.env.HOLDFAST_LEASE));
  if (!byLease) {
    const key = input.key || io.env.HOLDFAST_KEY || "";
    if (fence !== null) return verifyFence(key, fence, input, io);
    const inherited = inheritedFences(io.env);
    if (input.key === "" && inherited.size > 1) return verifyAll(inherited, input, io);
    const wanted = inherited.get(key);
    if (wanted !== undefined) return verifyFence(key, wanted, input, io);
  }
  const { key, store, lease } = await leaseOf(input, io);
  if (lease === null) return { key, store, verified: { held: false, reason: "there is no lease" } };
  const fences = leasesOf(lease).map((each) => each.fence);
  if (fence !== null && !fences.includes(fence)) {
    const reason = `its lease has the fence ${fences.join(", ")}, not ${fence}`;
    return { key, store, verified: { held: false, reason } };
  }
  const access = await accessOfLease(lease.store, input, io);
  return { key, store, verified: await verifyLease(lease, access), by: " by this lease" };
}

/** What the command runs under: HOLDFAST_FENCES where several keys are held, else HOLDFAST_FENCE. */
function inheritedFences(env: NodeJS.ProcessEnv): Map<string, number> {
  const { HOLDFAST_FENCES: several, HOLDFAST_KEY: key = "", HOLDFAST_FENCE: one } = env;
  if (!several) return new Map(one ? [[key, parseFence(one)]] : []);
  try {
    // A store without fences gives null for each.
    const fences = Object.entries(JSON.parse(several) as Record<string, unknown>).filter(
      ([, fence]) => fence !== null,
    );
    return new Map(fences.map(([name, fence]) => [name, parseFence(String(fence))]));
  } catch {
    throw new LockError(
      "BAD_OPTION",
      `HOLDFAST_FENCES is ${quote(several)}: leave it as run or the action sets it, a JSON object from key to fence.`,
    );
  }
}

/** Several keys are held together: if one is lost, all count as lost. */
async function verifyAll(
  fences: ReadonlyMap<string, number>,
  input: Input,
  io: Io,
): Promise<Answer> {
  const [[key, fence] = ["", 0], ...others] = fences;
  const first = await verifyFence(key, fence, input, io);
  if (!first.verified.held) return first;
  for (const other of others) {
    const answer = await verifyFence(...other, input, io);
    if (!answer.verified.held) return answer;
  }
  return first;
}

async function verifyFence(key: string, fence: number, input: Input, io: Io): Promise<Answer> {
  return withStore(input, io, {}, async (store) => {
    const status = await store.inspect(key);
    const held = await store.verify({ key, fence, slot: 0 });
    const others = status.holders
      .map((holder) => `${whoIs(holder)} with fence ${holder.fence}`)
      .join(", ");
    const reason = held ? null : others === "" ? "nobody holds it" : `it is held by ${others}`;
    const by = ` with fence ${fence}`;
    return { key: status.key, store: status.store, verified: { held, reason }, by };
  });
}

function parseFence(text: string): number {
  const fence = Number(text);
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(fence)) return fence;
  throw new LockError(
    "BAD_OPTION",
    `The fence ${quote(text)} is not a whole number: give the one that HOLDFAST_FENCE or the lease names.`,
  );
}
