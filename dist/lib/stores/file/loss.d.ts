import type { Held } from "./protocol/release.ts";
import type { World } from "./protocol/world.ts";
/** Why a lock is no longer this holder's, in words: who has it now, or who took it away. */
export declare function explainLoss(world: World, held: Held): string;
