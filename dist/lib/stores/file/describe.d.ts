import { type Location } from "./disk/location.ts";
/** What can be said of a file store without opening it. */
export interface FileStoreFacts {
    readonly url: string;
    readonly location: Location;
    readonly resolved: Location;
    /** Between machines. */
    readonly shared: boolean;
    readonly scope: "filesystem" | "machine";
}
/** Throws BAD_STORE and what else is wrong with the path. Makes nothing. */
export declare function describeFileStore(store: string, workingDirectory?: string): FileStoreFacts;
