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
/** The proxy for a server, to be named in sentences. Node itself uses it, and knows NO_PROXY. */
export declare function proxyOf(address: {
    readonly secure: boolean;
    readonly host: string;
    readonly port: number;
}, env: NodeJS.ProcessEnv): ProxyFacts | null;
