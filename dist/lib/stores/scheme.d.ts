/** A store's scheme. A single letter before the colon is a Windows drive. */
export declare function schemeOf(store: string): string;
