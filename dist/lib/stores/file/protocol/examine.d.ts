import { type Place } from "../disk/place.ts";
import type { LockRecord } from "../format/record.ts";
import { type Ticket } from "../format/ticket.ts";
import { type JudgeRules, type Verdict } from "./judge.ts";
import { type FileView, type Steps } from "./world.ts";
/**
 * Since when this process has seen a file's heartbeat unchanged. A watcher elsewhere judges by its
 * own monotonic clock alone; what it has not watched itself, it does not know.
 */
export declare class Sightings {
    #private;
    /** Notes what is seen now and answers since when it has been so. */
    note(what: string, value: string, monotonic: number): number;
}
/** A lock file as it was found, and what is to be thought of it. */
export interface Examined {
    readonly slot: number;
    readonly path: string;
    readonly view: FileView;
    readonly record: LockRecord;
    readonly verdict: Verdict;
}
/** Reads and judges the lock of a slot; null where it is free. Changes nothing. */
export declare function examineSlot(place: Place, slot: number, rules: JudgeRules, sightings: Sightings): Steps<Examined | null>;
export declare function examineView(path: string, view: FileView, rules: JudgeRules, sightings: Sightings): Steps<{
    record: LockRecord;
    verdict: Verdict;
}>;
export interface ExaminedTicket {
    readonly path: string;
    readonly inode: string;
    /** Null where a crash left it half written. */
    readonly ticket: Ticket | null;
    readonly dead: boolean;
    readonly alive: boolean | null;
    /** Milliseconds of silence after which it loses its place. */
    readonly deadAfter: number;
    readonly reviewAt: number | null;
}
/**
 * The longest silence of a waiter, whatever its ticket says. Its place in line is all that it can lose,
 * and a ticket that asks for years would keep a free lock from everyone behind it.
 */
export declare const TICKET_SILENCE_LIMIT_MS = 600000;
/** Reads and judges a ticket; null where it is gone. */
export declare function examineTicket(path: string, sightings: Sightings): Steps<ExaminedTicket | null>;
/** By this the record of a lock's end is found again; null where its tool gives none. */
export declare function fenceOf(lock: Examined): number | null;
/** What to call a holder in the record of a reclaim. */
export declare function nameOf(lock: Examined): string;
