/** Variables of an environment, as a store is given them. */
export type Variables = Readonly<Record<string, string | undefined>>;
/** What stores read of an environment. For a process that does not have it itself, such as a keeper. */
export declare function storeVariables(env: Variables): Variables;
/** The same without secrets: for a store that only a file names. */
export declare function variablesWithoutSecrets(env: Variables): Variables;
