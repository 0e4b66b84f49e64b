import type { Vitality } from "../../lock/reclaim.ts";
import type { Holder, KeyStatus, Progress } from "../../lock/store.ts";
import { type Freeze, type HolderEntry, type KeyDocument } from "./document.ts";
import type { Judgement } from "./protocol/judge.ts";
import type { Standing } from "./protocol/world.ts";
/** A document as `status` shows it. Claims in line that are known to be dead no longer wait. */
export declare function statusOf(document: KeyDocument, store: string, { alive, vitality }: Judgement): KeyStatus;
export declare function holderOf(entry: HolderEntry, alive: boolean | null, vitality: Vitality): Holder;
/** Shown in the place of a holder where a document cannot be read. */
export declare function unreadableStatus(key: string, store: string, problem: string): KeyStatus;
/** How a waiting claim stands, for its caller. */
export declare function progressOf(standing: Standing, trouble: string | null, now: number): Progress;
/** Why a claim that was not to wait any longer has got nothing. */
export declare function whyNot(standing: Standing | null, url: string, now: number): string;
export declare function frozenBy({ by, reason, until }: Freeze): string;
/** Why a hold is no longer there, in words: who took it, or who has it now. */
export declare function lossOf(document: KeyDocument, fence: number): string;
