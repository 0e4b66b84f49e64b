/** A number above 0 and below 1. */
export type Random = () => number;

/** Small and repeatable, for simulations and tests: the same seed gives the same numbers. Never for secrets. */
export function seededRandom(seed: number): Random {
  let state = Math.imul(seed, 0x9e3779b9) ^ 0x85ebca6b;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 4_294_967_296;
  };
}
