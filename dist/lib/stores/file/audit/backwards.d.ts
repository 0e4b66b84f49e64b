/**
 * The lines of a log that contain a text, the last one first, read in blocks from the end of each
 * file. Whoever has seen enough stops asking; `bytes` bounds what is read for one who never has.
 */
export declare function linesBackwards(paths: readonly string[], text: string, bytes: number): Generator<string, void>;
