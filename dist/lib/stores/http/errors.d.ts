import { LockError } from "../../lock/errors.ts";
import type { Address } from "./address.ts";
import { type Answer } from "./answer.ts";
/** Every way in which a server can be the wrong one, out of reach or unwilling, in one sentence each. */
export declare function silent(address: Address, patience: number, proxy: ProxyFacts | null): LockError;
export declare function endless(address: Address): LockError;
/** `began`: an answer was on its way. */
export declare function explainRequest(error: unknown, address: Address, proxy: ProxyFacts | null, began: boolean): LockError;
export declare function cutShort(address: Address): LockError;
/** A redirect that is not followed: the token is for the server that the user named alone. */
export declare function redirected(address: Address, { status, location }: Answer): LockError;
/** What an answer means that has no meaning of its own for the question. */
export declare function refusal(address: Address, answer: Answer, secret: string | null): LockError;
/** What it says is shown, since it mostly tells what listens there; the secret that we sent never is. */
export declare function speaksOtherwise(address: Address, answer: Answer, secret: string | null): LockError;
/** A proxy that the environment names for a server, as far as sentences need to know it. */
export interface ProxyFacts {
    /** `HTTPS_PROXY`, as the user wrote it. */
    readonly variable: string;
    /** Without its password. */
    readonly shown: string;
    /** What is to be added to a sentence where this Node knows nothing of proxies. */
    readonly ignored: string;
    /** Whether it was the proxy that could not be reached, and not the server. */
    failedWith(error: unknown): boolean;
}
/** Which servers are asked without it (NO_PROXY) is for Node to say: here it is only talked about. */
export declare function proxyOf(address: Address, env: NodeJS.ProcessEnv): ProxyFacts | null;
