import type { Surroundings } from "./identify.ts";
export declare function here(): Surroundings;
/** `root` is where the filesystem begins; tests name another. */
export declare function isContainer(env: NodeJS.ProcessEnv, root?: string): boolean;
