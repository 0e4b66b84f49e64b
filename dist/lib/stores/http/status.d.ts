import type { Holder, KeyStatus, Waiter } from "../../lock/store.ts";
import { type Fields } from "../remote/fields.ts";
/** One key as its server tells it, in whatever words. */
export interface Picture {
    readonly slots: number;
    readonly holders: readonly Holder[];
    readonly waiting: number;
    readonly waiters: readonly Waiter[];
    /** The asking session's own place in line; null: it has none. Undefined: the server has no line. */
    readonly position: number | null | undefined;
    /** The asking session holds it. */
    readonly isOwn: boolean;
}
/** The answer to `?lock=status`, a 423, or a key from `/admin`. */
export declare function pictureIn(fields: Fields): Picture;
/** Whether it is a key as `/admin` tells it, and not a file or something else under that path. */
export declare function isKeyFields(fields: Fields | null): fields is Fields;
export declare function statusOf(picture: Picture, store: string, key: string): KeyStatus;
/** `ttl` is the session's life: so long the lock outlives the last word from its holder. */
export declare function holderOf(fields: Fields): Holder;
