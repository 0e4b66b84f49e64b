import type { CallOptions } from "../register.ts";
import type { State } from "./protocol/commit.ts";
import { type GitServer } from "./server.ts";
/**
 * What refs were seen to be. A commit never changes, so that it is fetched once: looking again costs
 * one small request, and a second one only where the ref has moved.
 */
export declare class Sights {
    #private;
    constructor(server: GitServer);
    /** As it was last seen or written here. */
    of(ref: string): State | undefined;
    /** An own push has replaced `version` by `state`. */
    wrote(ref: string, version: string | null, state: State): void;
    /**
     * The state of a ref, or null where it is not there. A list that shows what was replaced here a
     * moment ago lags behind, and the newer state is known: `asTold` takes it as it is all the same.
     */
    look(ref: string, options: CallOptions, asTold?: boolean): Promise<State | null>;
    /** The state that an id names. Throws a ProtocolError where it is not one, or gone. */
    fetch(ref: string, id: string, options: CallOptions): Promise<State>;
    /** Refs whose names begin so, and their ids. */
    list(prefix: string, options: CallOptions): Promise<Map<string, string>>;
}
