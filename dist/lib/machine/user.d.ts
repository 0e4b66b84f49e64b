/** The operating system's name of the user that this process runs as. */
export declare function userName(): string;
