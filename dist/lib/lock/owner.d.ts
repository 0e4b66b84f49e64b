export declare const OWNER_BYTES_LIMIT = 256;
export declare const NOTE_BYTES_LIMIT = 1000;
/** Who claims: an id that is unique to a run, and what is known about it. */
export interface Owner {
    readonly id: string;
    readonly metadata: Metadata;
}
export type MetadataValue = string | number | boolean;
export type Metadata = Readonly<Record<string, MetadataValue>>;
/** Fields of the lock policy, then those of CI, then what Holdfast itself adds on a reclaim or a migration. */
export declare const METADATA_FIELDS: readonly ["hostname", "process_id", "user_identity", "session_id", "environment", "purpose", "ci_system", "run_id", "run_attempt", "job", "workflow", "repository", "ref", "sha", "actor", "run_url", "reclaimed_from", "reclaimed_reason", "migrated", "migrated_at", "run_number", "command"];
/** Fields that servers of the first version refuse. */
export declare const LATER_FIELDS: readonly string[];
export declare function parseOwnerId(text: string): string;
/** The note becomes the tag of a lock file: control characters become spaces, so it can forge no field. */
export declare function parseNote(text: string): string;
/** Strict, for what a caller hands in. What a file holds is read with `readMetadata` instead. */
export declare function checkMetadata(value: unknown): Metadata;
/** Lenient, for what a file holds: unknown fields are kept, values that are not plain are left out. */
export declare function readMetadata(value: unknown): Metadata;
/** Local development: one process on one host. */
export declare function localOwnerId(pid: number, hostname: string): string;
/** Several people or sessions on one system. */
export declare function sessionOwnerId(user: string, session: string): string;
/**
 * Cloud sessions that are known by a token. A JWT is named by its first 20 characters: they are its
 * header, which is no secret. Any other token is named by its digest, since all of it is secret.
 */
export declare function tokenOwnerId(token: string): string;
/** CI: the parts that tell one run of one job from every other. Empty parts are left out. */
export declare function ciOwnerId(system: string, ...parts: (string | undefined)[]): string;
/** The pid and host of an owner in the local form, or null for any other form. */
export declare function parseLocalOwnerId(id: string): {
    pid: number;
    hostname: string;
} | null;
