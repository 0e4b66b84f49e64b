import type { StoreOptions } from "../../options.ts";
import type { GitAddress } from "./address.ts";
/** Who asks, as the server is told; and what must never be shown. */
export interface Credentials {
    /** The header's value; null: nobody in particular. */
    readonly authorization: string | null;
    /** Every form in which the secret could come back in a server's words. */
    readonly secrets: readonly string[];
}
type Environment = Readonly<Record<string, string | undefined>>;
/**
 * The password is the URL's own, else the store's token, else the forge's variables. Those are only
 * for the forge itself: a token of GitHub's must not be sent to another server.
 */
export declare function credentialsOf({ user, password, isForge }: GitAddress, { token, forgeToken }: Pick<StoreOptions, "token" | "forgeToken">, env: Environment): Credentials;
/** A server's words without what was sent to it. */
export declare function withoutSecrets(text: string, { secrets }: Credentials): string;
export {};
