/**
 * Where the three lines of a request are in the bytes, without newline and carriage returns. One
 * object is used over and over, because a request every few microseconds should leave no lines
 * behind as garbage.
 */
export declare class Frame {
    bytes: Buffer;
    commandStart: number;
    commandEnd: number;
    keyStart: number;
    keyEnd: number;
    argumentStart: number;
    argumentEnd: number;
    /** Finds the next three lines and returns where they end, or one of the two numbers below. */
    locate(bytes: Buffer, start: number): number;
    /** Lets go of the bytes: a chunk must not live as long as an idle connection. */
    clear(): void;
}
export declare const INCOMPLETE = -1;
export declare const TOO_LONG = -2;
