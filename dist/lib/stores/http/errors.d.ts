import { LockError } from "../../lock/errors.ts";
import type { ProxyFacts } from "../remote/proxy.ts";
import type { Address } from "./address.ts";
import type { Answer } from "./answer.ts";
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
