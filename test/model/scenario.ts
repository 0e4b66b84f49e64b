import { checkEnding } from "./ending.ts";
import { type Exploration, type Violation, violationIn } from "./exploration.ts";
import { explore, type ModelOptions } from "./explorer.ts";
import { type LifeOptions, life, pair } from "./lives.ts";

/** Processes that run the shipped protocol, through every interleaving. */
export function run(lives: readonly Kind[], options: Partial<ModelOptions>): Exploration {
  const slots = options.slots ?? 1;
  const explored = explore({
    guarded: true,
    slots,
    crashes: 0,
    atEnd: checkEnding,
    lives: lives.flatMap((each, index) =>
      each.keeper
        ? pair(index + 1, index + 11, { ...each, slots })
        : life(index + 1, { ...each, slots }),
    ),
    ...options,
  });
  console.log(
    `explored ${explored.states} states, ${explored.transitions} transitions, ${explored.ends} ends`,
  );
  return explored;
}

/** `keeper`: it claims for another process, which adopts the lock. */
type Kind = LifeOptions & { readonly keeper?: boolean };

export function violation(lives: readonly Kind[], options: Partial<ModelOptions>): Violation {
  return violationIn(() => run(lives, { atEnd: () => {}, ...options }));
}
