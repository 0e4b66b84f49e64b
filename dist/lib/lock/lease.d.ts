/** Proof of holding. Plain JSON: it goes into lease files and over sockets as it is. */
export interface Lease {
    readonly key: string;
    readonly store: string;
    readonly owner: string;
    /** Null where the store gives none. */
    readonly fence: number | null;
    readonly slot: number;
    /** When it was acquired, ISO 8601. */
    readonly since: string;
    /** Seconds that the lock outlives its last refresh. */
    readonly ttl: number;
    /** Milliseconds that the claim waited. */
    readonly waited: number;
    /** 128 random bits in hex. A secret: only in memory and in the lease file (0600). */
    readonly token: string;
}
