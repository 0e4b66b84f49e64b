import { LockError } from "./errors.ts";
import type { Metadata } from "./owner.ts";

/** Why a lock may be taken from its holder. The first two mean that it is dead; the others rob a living one. */
export const RECLAIM_REASONS = [
  "LOCK_EXPIRED",
  "HOLDER_DEAD",
  "SAME_USER",
  "HIGHER_PRIVILEGE",
  "EMERGENCY_OVERRIDE",
] as const;
export type ReclaimReason = (typeof RECLAIM_REASONS)[number];

export type ReclaimDecision =
  | { canReclaim: true; reason: ReclaimReason; priority: "high" | "medium" }
  | { canReclaim: false; reason: "LOCK_HELD"; priority: "low" };

/** The words of `--reclaim`, in the order in which they are tried. */
const WORDS: Record<string, ReclaimReason> = {
  expired: "LOCK_EXPIRED",
  dead: "HOLDER_DEAD",
  "same-user": "SAME_USER",
  "higher-privilege": "HIGHER_PRIVILEGE",
  emergency: "EMERGENCY_OVERRIDE",
};

/** What `reclaim` takes, one or several of them. */
export const RECLAIM_WORDS: readonly string[] = [...Object.keys(WORDS), "none"];

const PRIORITY: Record<ReclaimReason, "high" | "medium"> = {
  LOCK_EXPIRED: "high",
  HOLDER_DEAD: "high",
  SAME_USER: "medium",
  HIGHER_PRIVILEGE: "medium",
  EMERGENCY_OVERRIDE: "high",
};

/** In CI the other three would let one person's two deployments run together. */
export const DEFAULT_RECLAIM: readonly ReclaimReason[] = ["LOCK_EXPIRED", "HOLDER_DEAD"];

/** Most privileged first. */
const PRIVILEGE = ["ci", "cloud", "local"];

export function parseReclaim(text: string): readonly ReclaimReason[] {
  if (text.trim() === "none") return [];
  return text.split(",").map((part) => {
    const reason = Object.hasOwn(WORDS, part.trim()) ? WORDS[part.trim()] : undefined;
    if (reason === undefined) {
      throw new LockError(
        "BAD_RECLAIM",
        `The reclaim reason ${JSON.stringify(part.trim())} is not known: use ${Object.keys(WORDS).join(", ")} or none.`,
      );
    }
    return reason;
  });
}

/** What the store found out about the holder: expired and dead are facts, not policy. */
export type Vitality = "alive" | "unknown" | "expired" | "dead";

export interface Claimant {
  readonly metadata: Metadata;
  readonly allowed: readonly ReclaimReason[];
}

/** The lock policy's decision tree, with HOLDER_DEAD, limited to what the claimant allowed. */
export function decideReclaim(
  holder: { vitality: Vitality; metadata: Metadata },
  claimant: Claimant,
): ReclaimDecision {
  for (const reason of RECLAIM_REASONS) {
    if (claimant.allowed.includes(reason) && applies(reason, holder, claimant)) {
      return { canReclaim: true, reason, priority: PRIORITY[reason] };
    }
  }
  return { canReclaim: false, reason: "LOCK_HELD", priority: "low" };
}

function applies(
  reason: ReclaimReason,
  holder: { vitality: Vitality; metadata: Metadata },
  claimant: Claimant,
): boolean {
  switch (reason) {
    case "LOCK_EXPIRED":
      return holder.vitality === "expired";
    case "HOLDER_DEAD":
      return holder.vitality === "dead";
    case "SAME_USER": {
      const user = claimant.metadata.user_identity;
      return user !== undefined && user !== "" && user === holder.metadata.user_identity;
    }
    case "HIGHER_PRIVILEGE":
      return outranks(claimant.metadata.environment, holder.metadata.environment);
    case "EMERGENCY_OVERRIDE":
      return claimant.metadata.purpose === "emergency";
  }
}

/** An earlier place in the policy's list wins; an environment that is not listed (-1) never wins. */
function outranks(claimant: unknown, holder: unknown): boolean {
  const mine = PRIVILEGE.indexOf(String(claimant));
  const theirs = PRIVILEGE.indexOf(String(holder));
  return mine !== -1 && mine < theirs;
}
