/** A repository whose refs are the locks: `github:owner/repo`, `git+https://host/path.git`. */
export interface GitAddress {
    /** As the user would write it, without a password: shown, saved and exported. */
    readonly shown: string;
    /** `https://host:8443`. */
    readonly origin: string;
    /** Without the brackets of IPv6. */
    readonly host: string;
    readonly port: number;
    readonly secure: boolean;
    /** `/owner/repo.git`, as it is sent. */
    readonly path: string;
    /** Where the URL names them, decoded. */
    readonly user: string | null;
    readonly password: string | null;
    /** What the names of the refs begin with: `refs/holdfast/v1/`. */
    readonly prefix: string;
    /** It is the forge that runs this job, else GitHub: the variables' token is for it and no other. */
    readonly isForge: boolean;
}
type Environment = Readonly<Record<string, string | undefined>>;
export declare const DEFAULT_PREFIX = "refs/holdfast/v1/";
export declare function parseGitAddress(store: string, env: Environment): GitAddress;
export {};
