import { type Metadata } from "../../../lock/owner.ts";
import type { ProcessMark } from "../../../machine/processes.ts";
/** A place in line, as a file whose name sorts by arrival. */
export interface Ticket {
    readonly owner: string;
    readonly note: string | null;
    readonly metadata: Metadata;
    readonly slots: number;
    /** Wall-clock milliseconds of joining the line. */
    readonly since: number;
    readonly deadAfter: number;
    readonly beat: number;
    readonly process: ProcessMark;
}
/** Numbers are given under the guard: one more than the last in line, or the clock's microseconds. */
export declare function nextTicketName(line: readonly string[], nowMs: number, random: string): string;
/** The tickets among the names of a side directory, first in line first. */
export declare function lineOf(names: readonly string[]): string[];
export declare function writeTicket({ deadAfter, ...ticket }: Ticket): string;
/** Null for a ticket that a crash left half written: tickets are only made under the guard. */
export declare function parseTicket(content: Uint8Array): Ticket | null;
