/**
 * The pkt-line framing of git's protocols: four hexadecimal digits of length, then the bytes.
 * It is pure, so that it can be tested by cutting an answer at every byte.
 */
export type Packet = Buffer | "flush" | "delimiter" | "end";
export declare const FLUSH: Buffer<ArrayBuffer>;
export declare const DELIMITER: Buffer<ArrayBuffer>;
/** An answer that is not what git's protocol says. What it means is for the caller to say. */
export declare class ProtocolError extends Error {
}
/** An answer that ends too early: the server's program was stopped, or a gateway cut it. */
export declare class Truncated extends ProtocolError {
}
export declare function packet(content: string | Buffer): Buffer;
/** The packets of a whole answer. Throws where it ends inside of one. */
export declare function readPackets(bytes: Buffer): Packet[];
/** A packet as a line of text, without the newline that git puts at its end. */
export declare function lineOf(content: Buffer): string;
/** What a side-band carries: data, words for people, or the reason why the server gave up. */
export interface Bands {
    readonly data: Buffer;
    readonly words: string;
    readonly fatal: string | null;
}
/** Takes apart multiplexed packets up to a flush. */
export declare function readBands(packets: readonly Packet[]): Bands;
