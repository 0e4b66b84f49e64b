/** A number above 0 and below 1. */
export type Random = () => number;
/** Small and repeatable, for simulations and tests: the same seed gives the same numbers. Never for secrets. */
export declare function seededRandom(seed: number): Random;
