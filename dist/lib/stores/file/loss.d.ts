import type { Held } from "./protocol/release.ts";
import type { World } from "./protocol/world.ts";
/** Explains in words why a lock is no longer its holder's: who broke it, took it over or has it now. */
export declare function explainLoss(world: World, held: Held): string;
