/** Variables of an environment, as a store is given them. */
export type Variables = Readonly<Record<string, string | undefined>>;
/** The variables that stores read, out of an environment. For a process without them, such as a keeper. */
export declare function storeVariables(env: Variables): Variables;
/** The same without secrets: for a store that only a file names. */
export declare function variablesWithoutSecrets(env: Variables): Variables;
