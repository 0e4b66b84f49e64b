import { type FSWatcher } from "node:fs";
import type { Wake, Watch, World } from "../protocol/world.ts";
type Senses = Pick<World, "inode" | "alive" | "monotonic">;
/**
 * Sleeps until a watched file is gone or replaced, a watched process is gone, the review is due or
 * the claim is cancelled. Watches first and looks afterwards, so that no change falls in between.
 */
export declare function waitFor(watch: Watch, senses: Senses, cancel: AbortSignal | undefined, events: boolean): Promise<Wake>;
/** True where events will come. A file that is already gone needs none: the first look finds that. */
export declare function watchOne(path: string, watchers: FSWatcher[], onEvent: (name: string | null) => void): boolean;
export {};
