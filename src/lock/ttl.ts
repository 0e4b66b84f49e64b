import { LockError } from "./errors.ts";

export const ENVIRONMENTS = ["local", "ci", "cloud", "container"] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

export const PURPOSES = ["interactive", "automated", "emergency"] as const;
export type Purpose = (typeof PURPOSES)[number];

/** Seconds, from the lock policy's table. */
const TTL_SECONDS: Record<Environment, Partial<Record<Purpose, number>>> = {
  local: { interactive: 3_600, automated: 1_800, emergency: 300 },
  ci: { interactive: 3_600, automated: 86_400 },
  cloud: { interactive: 7_200, automated: 14_400 },
  container: { interactive: 1_800, automated: 3_600 },
};

/** The table knows an emergency only for `local`; its five minutes hold everywhere. */
const EMERGENCY_SECONDS = 300;

/** A refresh comes at this part of the ttl, so that a missed one still has a quarter left. */
export const REFRESH_AT = 0.75;

export const TTL_MIN_MS = 1_000;

export function defaultTtlSeconds(environment: Environment, purpose: Purpose): number {
  return TTL_SECONDS[environment][purpose] ?? EMERGENCY_SECONDS;
}

export function parseEnvironment(text: string): Environment {
  if (isEnvironment(text)) return text;
  throw new LockError(
    "BAD_ENVIRONMENT",
    `The environment ${JSON.stringify(text)} is not known: use one of ${ENVIRONMENTS.join(", ")}.`,
  );
}

export function parsePurpose(text: string): Purpose {
  if (isPurpose(text)) return text;
  throw new LockError(
    "BAD_PURPOSE",
    `The purpose ${JSON.stringify(text)} is not known: use one of ${PURPOSES.join(", ")}.`,
  );
}

export function isEnvironment(value: unknown): value is Environment {
  return ENVIRONMENTS.includes(value as Environment);
}

export function isPurpose(value: unknown): value is Purpose {
  return PURPOSES.includes(value as Purpose);
}
