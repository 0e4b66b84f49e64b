/** Names the process that has a kernel lock on a file, where the system tells (Linux). */
export declare function whoLocks(path: string): string | null;
/** Lines such as `1: POSIX  ADVISORY  WRITE 4711 fd:01:1234 1073741826 1073742335`. */
export declare function lockingPid(locks: string, device: bigint, inode: bigint): number | null;
