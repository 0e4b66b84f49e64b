export declare const ENVIRONMENTS: readonly ["local", "ci", "cloud", "container"];
export type Environment = (typeof ENVIRONMENTS)[number];
export declare const PURPOSES: readonly ["interactive", "automated", "emergency"];
export type Purpose = (typeof PURPOSES)[number];
/** A refresh comes at this part of the ttl, so that a missed one still has a quarter left. */
export declare const REFRESH_AT = 0.75;
export declare const TTL_MIN_MS = 1000;
export declare function defaultTtlSeconds(environment: Environment, purpose: Purpose): number;
export declare function parseEnvironment(text: string): Environment;
export declare function parsePurpose(text: string): Purpose;
export declare function isEnvironment(value: unknown): value is Environment;
export declare function isPurpose(value: unknown): value is Purpose;
