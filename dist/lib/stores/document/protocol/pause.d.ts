import type { KeyDocument } from "../document.ts";
import type { Timing } from "../timing.ts";
/**
 * How long a waiting claim sleeps, in milliseconds: the nearer its turn, the shorter. While the past
 * says that the turn is far away, it sleeps longer, and never longer than `farPoll`.
 */
export declare function pauseOf(document: KeyDocument, place: number, now: number, { poll, farPoll }: Pick<Timing, "poll" | "farPoll">): number;
