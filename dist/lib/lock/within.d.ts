/** The promise's own result, or a rejection with `late()` when it takes longer than `ms`. */
export declare function within<T>(promise: Promise<T>, ms: number, late: () => Error): Promise<T>;
