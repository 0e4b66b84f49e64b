import type { World } from "../protocol/world.ts";
/** The steps that only look. Synchronous, as the others are: see disk.ts. */
export declare const diskView: Pick<World, "list" | "read" | "inode">;
export declare function absentAs<T>(absent: T, call: () => T): T;
