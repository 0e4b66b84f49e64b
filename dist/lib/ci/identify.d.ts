import { type Owner } from "../lock/owner.ts";
import type { Environment, Purpose } from "../lock/ttl.ts";
import type { Read } from "./systems/detector.ts";
/** All that is known about this process; `here()` finds it out. */
export interface Surroundings {
    readonly env: NodeJS.ProcessEnv;
    readonly pid: number;
    readonly hostname: string;
    readonly user: string;
    readonly isContainer: boolean;
}
/** Who is running. */
export interface Identity {
    /** The CI system, or null outside CI. */
    readonly system: string | null;
    readonly owner: Owner;
    readonly environment: Environment;
    readonly purpose: Purpose;
    readonly user: string;
}
/** What the caller says about itself; it overrides everything that is found. */
export interface IdentityOverrides {
    /** Used as it is. Throws BAD_OWNER where it is no acceptable owner id. */
    readonly owner?: string | undefined;
    readonly purpose?: Purpose | undefined;
    readonly environment?: Environment | undefined;
    readonly user?: string | undefined;
    /** The command that runs under the lock, in words that others may read: `commandWords`. */
    readonly command?: string | undefined;
    /** The leg of a matrix, where the environment does not tell it. */
    readonly leg?: string | undefined;
}
export declare function identify(surroundings: Surroundings, overrides?: IdentityOverrides): Identity;
/** Reads the variables of an environment, cleaned and bounded. */
export declare function reader(env: NodeJS.ProcessEnv): Read;
