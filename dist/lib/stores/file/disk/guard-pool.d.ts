import { Guard } from "./guard.ts";
/** Open guards, ready to be entered again: opening one costs more than entering it. */
export declare class GuardPool {
    #private;
    take(path: string): Guard;
    giveBack(path: string, guard: Guard): void;
    close(): void;
}
