/** Where the fields of an argument line are. Used over and over, as the frame is. */
export declare class Fields {
    #private;
    count: number;
    split(bytes: Buffer, start: number, end: number): void;
    text(index: number): string;
    integer(index: number): number;
    clear(): void;
}
/** NaN where it is none. Numbers too large for a double are cut to the largest safe one. */
export declare function parseInteger(bytes: Buffer, start: number, end: number): number;
