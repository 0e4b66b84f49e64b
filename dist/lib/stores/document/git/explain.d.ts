import { LockError } from "../../../lock/errors.ts";
import type { ProxyFacts } from "../../remote/proxy.ts";
import type { GitAddress } from "./address.ts";
/** Every way in which a git server can be out of reach or be another kind of server, in one sentence each. */
export declare function unreachable({ shown }: GitAddress, why: string, cause?: unknown): LockError;
export declare function silent(address: GitAddress, patience: number, proxy: ProxyFacts | null, sent: boolean): LockError;
export declare function endless(address: GitAddress): LockError;
export declare function cutShort(address: GitAddress): LockError;
/** `began`: an answer was on its way. */
export declare function explainRequest(error: unknown, address: GitAddress, proxy: ProxyFacts | null, began: boolean): LockError;
/** A passing trouble of the server's own. */
export declare function troubled(address: GitAddress, status: number, words: string): LockError;
export declare function askedTooOften(address: GitAddress, waited: number): LockError;
/** git's program there was stopped in the middle; one before version 2 of the protocol ends so too. */
export declare function halfAnswered(address: GitAddress, what: string): LockError;
/** It answers, but not as git does. */
export declare function notGit(address: GitAddress, what: string): LockError;
export declare function otherIds(address: GitAddress): LockError;
/** `403, "the server's own words"`. */
export declare function said(status: number, words: string): string;
