import type { Address } from "./address.ts";
/** A proxy that the environment names for a server, as far as sentences need to know it. */
export interface ProxyFacts {
    /** `HTTPS_PROXY`, as the user wrote it. */
    readonly variable: string;
    /** Without its password. */
    readonly shown: string;
    /** What is to be added to a sentence where this Node knows nothing of proxies. */
    readonly ignored: string;
    /** Whether it was the proxy that could not be reached, and not the server. */
    failedWith(error: unknown): boolean;
}
/** Which servers are asked without it (NO_PROXY) is for Node to say: here it is only talked about. */
export declare function proxyOf(address: Address, env: NodeJS.ProcessEnv): ProxyFacts | null;
