/** Names, branches and users: what people write on one line. */
export declare const TEXT_BYTES_LIMIT = 256;
/**
 * One line of well-formed text, or undefined where nothing is left. A branch or job name comes from
 * strangers: it must not be able to forge a line of a lock file or of a log.
 */
export declare function clean(text: string | undefined): string | undefined;
/** Cuts long text, with a digest of the whole in place of the rest: two that differ stay different. */
export declare function shorten(text: string, bytes: number): string;
/** An address that may be shown: http or https, without credentials. A cut one would lead nowhere. */
export declare function webUrl(text: string | undefined): string | undefined;
/** `owner/name` of a clone URL. The rest may hold a token and is not carried along. */
export declare function repositoryOf(cloneUrl: string | undefined): string | undefined;
